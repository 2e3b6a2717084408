package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Ledger is what a store keeps beside the records of a scope (accounts, jobs, the states of files, acts and settings), by
// statements that all dialects of SQL share. A driver embeds one. The first parameter of each statement is the owner, a
// statement's own begin at ?5.
type Ledger struct {
	read, write Transaction
}

// Transaction runs fn in a transaction. One that writes may run it again from the start.
type Transaction func(ctx context.Context, owner lukasa.ID, fn func(Statements) error) error

// NewLedger makes a ledger of a driver's transactions.
func NewLedger(read, write Transaction) Ledger { return Ledger{read, write} }

// Statements runs statements in a transaction.
type Statements interface {
	Now() time.Time
	Query(fn func(Row), sql string, args ...any) error
	Run(sql string, args ...any) (changed int64, err error)
	// Lines hands a stretch of a log, newest first, to fn. Key is the column that numbers its lines; kind tells cursors of
	// different logs apart.
	Lines(fn func(Row), kind byte, columns, from, key string, conditions map[string]any, p lukasa.Page) (next string, total int, err error)
}

func orNow(s Statements, t time.Time) time.Time {
	if t.IsZero() {
		return s.Now()
	}
	return t
}

// do runs a statement of which only the error matters.
func (l Ledger) do(ctx context.Context, owner lukasa.ID, sql string, args ...any) error {
	return l.write(ctx, owner, func(s Statements) error {
		_, err := s.Run(sql, args...)
		return err
	})
}

// collect reads a list.
func collect[T any](ctx context.Context, l Ledger, owner lukasa.ID, scan func(Row) T, sql string, args ...any) ([]T, error) {
	list := []T{}
	err := l.read(ctx, owner, func(s Statements) error {
		list = list[:0]
		return s.Query(func(r Row) { list = append(list, scan(r)) }, sql, args...)
	})
	return list, err
}

// first returns the first of a list, or says that there is none.
func first[T any](list []T, err error, what string, id any) (x T, _ error) {
	if err != nil {
		return x, err
	}
	if len(list) == 0 {
		return x, lukasa.NotFound(what, id)
	}
	return list[0], nil
}

func objectJSON(m map[string]any) (any, error) {
	if len(m) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "metadata", Msg: "cannot be written as JSON", Err: err}
	}
	return string(b), nil
}

// PutUser implements [Accounts].
func (l Ledger) PutUser(ctx context.Context, u lukasa.User, wrappedKey []byte) error {
	if u.ID == "" {
		return lukasa.Invalid("id", "is empty")
	}
	settings, err := objectJSON(u.Settings)
	if err != nil {
		return err
	}
	return l.write(ctx, u.ID, func(s Statements) error {
		created := orNow(s, u.CreatedAt)
		if _, err := s.Run("INSERT INTO owners (owner_id, wrapped_key, created_at) VALUES (?1, ?5, ?6) ON CONFLICT DO NOTHING", wrappedKey, created); err != nil {
			return err
		}
		_, err := s.Run(`INSERT INTO users (owner_id, name, email, external_id, role, settings, created_at) VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (owner_id) DO UPDATE SET name = excluded.name, email = excluded.email, external_id = excluded.external_id, role = excluded.role,
 settings = excluded.settings, created_at = excluded.created_at`, u.Name, u.Email, u.ExternalID, u.Role, settings, created)
		return err
	})
}

// ChangeUser implements [Accounts].
func (l Ledger) ChangeUser(ctx context.Context, id lukasa.ID, change func(*lukasa.User) error) (u lukasa.User, err error) {
	err = l.write(ctx, id, func(s Statements) error {
		var list []lukasa.User
		err := s.Query(func(r Row) { list = append(list, ScanUser(r)) }, "SELECT "+UserColumns+" FROM users u WHERE u.owner_id = ?1")
		if u, err = first(list, err, "user", id); err == nil {
			err = change(&u)
		}
		if err != nil {
			return err
		}
		settings, err := objectJSON(u.Settings)
		if err != nil {
			return err
		}
		_, err = s.Run("UPDATE users SET name = ?5, email = ?6, external_id = ?7, role = ?8, settings = ?9 WHERE owner_id = ?1", u.Name, u.Email, u.ExternalID, u.Role, settings)
		return err
	})
	return u, err
}

// User implements [Accounts].
func (l Ledger) User(ctx context.Context, id lukasa.ID) (lukasa.User, error) {
	list, err := collect(ctx, l, id, ScanUser[Row], "SELECT "+UserColumns+" FROM users u WHERE u.owner_id = ?1")
	return first(list, err, "user", id)
}

// Users implements [Accounts]. They come oldest first.
func (l Ledger) Users(ctx context.Context) ([]lukasa.User, error) {
	return collect(ctx, l, "", ScanUser[Row], "SELECT "+UserColumns+" FROM users u ORDER BY u.created_at, u.owner_id")
}

// OwnerKey implements [Accounts].
func (l Ledger) OwnerKey(ctx context.Context, owner lukasa.ID) ([]byte, error) {
	list, err := collect(ctx, l, owner, func(r Row) []byte { return r.Bytes(0) }, "SELECT wrapped_key FROM owners WHERE owner_id = ?1 AND length(wrapped_key) > 0")
	return first(list, err, "key of owner", owner)
}

// PutKey implements [Keyring]. An update without a hash keeps the one that is there.
func (l Ledger) PutKey(ctx context.Context, k lukasa.Key, hash []byte) error {
	owner, member := k.User, lukasa.ID("")
	if k.Org != "" {
		owner, member = k.Org, k.User
	}
	return l.write(ctx, owner, func(s Statements) error {
		there := false
		if err := s.Query(func(Row) { there = true }, "SELECT 1 FROM users WHERE owner_id = ?1"); err != nil {
			return err
		}
		if !there {
			return lukasa.NotFound("user", owner)
		}
		var sum any
		if len(hash) > 0 {
			sum = hash
		}
		args := []any{k.ID, k.Name, k.Hint, k.Role, k.Root, k.ReadOnly, k.Unlimited, orNow(s, k.CreatedAt), k.ExpiresAt, k.LastUsedAt, k.RevokedAt, sum, k.Persona, k.ThirdParty, member}
		n, err := s.Run(`UPDATE api_keys SET name = ?6, hint = ?7, role = ?8, root = ?9, read_only = ?10, unlimited = ?11, created_at = ?12,
 expires_at = ?13, last_used_at = ?14, revoked_at = ?15, hash = coalesce(?16, hash), persona_id = ?17, third_party = ?18, member_id = ?19 WHERE owner_id = ?1 AND id = ?5`, args...)
		if err != nil || n > 0 {
			return err
		}
		if sum == nil {
			return lukasa.Invalid("hash", "is empty")
		}
		_, err = s.Run(`INSERT INTO api_keys (owner_id, id, name, hint, role, root, read_only, unlimited, created_at, expires_at, last_used_at, revoked_at, hash,
 persona_id, third_party, member_id) VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)`, args...)
		return err
	})
}

// UseKey implements [Keyring]. A key that was revoked meanwhile stays so.
func (l Ledger) UseKey(ctx context.Context, k lukasa.Key, at time.Time) error {
	return l.do(ctx, cmp.Or(k.Org, k.User), "UPDATE api_keys SET last_used_at = ?6 WHERE owner_id = ?1 AND id = ?5", k.ID, at)
}

// KeyByHash implements [Keyring].
func (l Ledger) KeyByHash(ctx context.Context, hash []byte) (k lukasa.Key, u lukasa.User, err error) {
	err = l.read(ctx, "", func(s Statements) error {
		var keys []lukasa.Key
		err := s.Query(func(r Row) { keys = append(keys, ScanKey(r)) }, "SELECT "+KeyColumns+" FROM api_keys k WHERE k.hash = ?5", hash)
		if k, err = first(keys, err, "key", "with this secret"); err != nil {
			return err
		}
		var users []lukasa.User
		err = s.Query(func(r Row) { users = append(users, ScanUser(r)) }, "SELECT "+UserColumns+" FROM users u WHERE u.owner_id = ?5", k.User)
		u, err = first(users, err, "user", k.User)
		return err
	})
	return k, u, err
}

// Keys implements [Keyring]. They come oldest first.
func (l Ledger) Keys(ctx context.Context, owner lukasa.ID) ([]lukasa.Key, error) {
	return collect(ctx, l, "", ScanKey[Row], "SELECT "+KeyColumns+" FROM api_keys k WHERE ?5 = '' OR k.owner_id = ?5 ORDER BY k.created_at, k.id", owner)
}

const jobColumns = "id, owner_id, kind, record_id, attempt, max_tries, run_at, reason, dead, created_at"

func scanJob(r Row) lukasa.Job {
	return lukasa.Job{
		ID: lukasa.ID(r.Text(0)), Owner: lukasa.ID(r.Text(1)), Kind: lukasa.JobKind(r.Text(2)), Record: lukasa.ID(r.Text(3)),
		Attempt: int(r.Int64(4)), MaxTries: int(r.Int64(5)), RunAt: r.Time(6), Reason: r.Text(7), Dead: r.Int64(8) != 0, Created: r.Time(9),
	}
}

// Claim implements [Jobs]. Those that have been due longest come first.
func (l Ledger) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]lukasa.Job, error) {
	// An idle queue does not take the write lock.
	due, err := collect(ctx, l, "", func(Row) bool { return true }, "SELECT 1 FROM jobs WHERE dead = 0 AND due_at <= ?5 LIMIT 1", now)
	jobs := []lukasa.Job{}
	if err != nil || len(due) == 0 || n <= 0 {
		return jobs, err
	}
	err = l.write(ctx, "", func(s Statements) error {
		jobs = jobs[:0]
		return s.Query(func(r Row) { jobs = append(jobs, scanJob(r)) }, `UPDATE jobs SET attempt = attempt + 1, running = 1, due_at = ?6
WHERE id IN (SELECT id FROM jobs WHERE dead = 0 AND due_at <= ?5 ORDER BY due_at, id LIMIT ?7) AND dead = 0 AND due_at <= ?5 RETURNING `+jobColumns, now, now.Add(lease), n)
	})
	slices.SortFunc(jobs, func(a, b lukasa.Job) int { return cmp.Or(a.RunAt.Compare(b.RunAt), cmp.Compare(a.ID, b.ID)) })
	return jobs, err
}

// Finish implements [Jobs]. A job that is gone is no error: it may have been done twice.
func (l Ledger) Finish(ctx context.Context, id lukasa.ID) error {
	return l.do(ctx, "", "DELETE FROM jobs WHERE id = ?5", id)
}

// Extend implements [Jobs].
func (l Ledger) Extend(ctx context.Context, j lukasa.Job, until time.Time) error {
	return l.do(ctx, "", "UPDATE jobs SET due_at = ?7 WHERE id = ?5 AND attempt = ?6 AND running = 1 AND dead = 0", j.ID, j.Attempt, until)
}

// Retry implements [Jobs]. Where another job of the kind waits for the record already, that one stands for both.
func (l Ledger) Retry(ctx context.Context, id lukasa.ID, at time.Time, reason string, dead bool) error {
	return l.write(ctx, "", func(s Statements) error {
		if !dead {
			n, err := s.Run(retired, id)
			if err != nil || n > 0 {
				return err
			}
		}
		n, err := s.Run("UPDATE jobs SET running = 0, run_at = ?6, due_at = ?6, reason = ?7, dead = ?8 WHERE id = ?5", id, at, reason, dead)
		if err == nil && n == 0 {
			err = lukasa.NotFound("job", id)
		}
		return err
	})
}

// Counts implements [Jobs].
func (l Ledger) Counts(ctx context.Context, now time.Time) (waiting, running, dead int, err error) {
	err = l.read(ctx, "", func(s Statements) error {
		return s.Query(func(r Row) { waiting, running, dead = int(r.Int64(0)), int(r.Int64(1)), int(r.Int64(2)) },
			`SELECT count(*) FILTER (WHERE dead = 0 AND NOT (running = 1 AND due_at > ?5)),
 count(*) FILTER (WHERE dead = 0 AND running = 1 AND due_at > ?5), count(*) FILTER (WHERE dead = 1) FROM jobs`, now)
	})
	return waiting, running, dead, err
}

// Revive implements [Jobs]. It starts the attempts of the dead anew. Where another one waits for the record, that one stands for both.
func (l Ledger) Revive(ctx context.Context, record lukasa.ID, now time.Time) (n int, err error) {
	err = l.write(ctx, "", func(s Statements) error {
		n = 0
		var ids []string
		err := s.Query(func(r Row) { ids = append(ids, r.Text(0)) }, "SELECT id FROM jobs WHERE dead = 1 AND (?5 = '' OR record_id = ?5) ORDER BY created_at DESC, id", record)
		for _, id := range ids {
			if err != nil {
				break
			}
			var k int64
			k, err = s.Run(`UPDATE jobs SET dead = 0, running = 0, attempt = 0, run_at = ?6, due_at = ?6 WHERE id = ?5 AND NOT EXISTS (SELECT 1 FROM jobs o
 WHERE o.owner_id = jobs.owner_id AND o.kind = jobs.kind AND o.record_id = jobs.record_id AND o.dead = 0 AND o.running = 0)`, id, now)
			if err == nil && k == 0 {
				_, err = s.Run("DELETE FROM jobs WHERE id = ?5", id)
			}
			n += int(k)
		}
		if err != nil {
			return err
		}
		k, err := s.Run(`UPDATE jobs SET run_at = ?6, due_at = ?6 WHERE dead = 0 AND running = 0 AND due_at > ?6 AND reason <> '' AND kind <> 'scrub'
 AND (?5 = '' OR record_id = ?5)`, record, now) // a scrub keeps something else there, and has its time
		n += int(k)
		return err
	})
	return n, err
}

// Setting implements [Settings].
func (l Ledger) Setting(ctx context.Context, name string) (value string, err error) {
	err = l.read(ctx, "", func(s Statements) error {
		return s.Query(func(r Row) { value = r.Text(0) }, "SELECT value FROM settings WHERE name = ?5", name)
	})
	return value, err
}

// SetSetting implements [Settings]. An empty value unsets.
func (l Ledger) SetSetting(ctx context.Context, name, value string) error {
	if value == "" {
		return l.do(ctx, "", "DELETE FROM settings WHERE name = ?5", name)
	}
	return l.do(ctx, "", "INSERT INTO settings (name, value) VALUES (?5, ?6) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
}
