package sqlite

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lite"
)

const (
	userColumns = "u.owner_id, u.name, u.email, u.external_id, u.role, u.settings, u.created_at"
	keyColumns  = "k.id, k.owner_id, k.name, k.hint, k.role, k.root, k.read_only, k.unlimited, k.created_at, k.expires_at, k.last_used_at, k.revoked_at"
)

func scanUser(r row) lukasa.User {
	u := lukasa.User{ID: lukasa.ID(r.Text(0)), Name: r.Text(1), Email: r.Text(2), ExternalID: r.Text(3), Role: lukasa.Role(r.Text(4)), CreatedAt: r.Time(6)}
	if r[5] != nil {
		u.Settings = r.Object(5)
	}
	return u
}

func scanKey(r row) lukasa.Key {
	return lukasa.Key{
		ID: lukasa.ID(r.Text(0)), User: lukasa.ID(r.Text(1)), Name: r.Text(2), Hint: r.Text(3), Role: lukasa.Role(r.Text(4)),
		Root: lukasa.Path(r.Text(5)), ReadOnly: r.Bool(6), Unlimited: r.Bool(7), CreatedAt: r.Time(8), ExpiresAt: r.Timep(9), LastUsedAt: r.Timep(10), RevokedAt: r.Timep(11),
	}
}

// PutUser implements [store.Accounts].
func (db *DB) PutUser(ctx context.Context, u lukasa.User, wrappedKey []byte) error {
	return db.write(ctx, lukasa.Scope{Owner: u.ID}, func(t *tx) error {
		if u.ID == "" {
			return lukasa.Invalid("id", "is empty")
		}
		settings, err := lite.Object(u.Settings)
		if err != nil {
			return err
		}
		created := t.orNow(u.CreatedAt)
		if err := t.Do("INSERT INTO owners (owner_id, wrapped_key, created_at) VALUES (?1, ?5, ?6) ON CONFLICT DO NOTHING", wrappedKey, created); err != nil {
			return err
		}
		return t.Do(`INSERT INTO users (owner_id, name, email, external_id, role, settings, created_at) VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (owner_id) DO UPDATE SET name = excluded.name, email = excluded.email, external_id = excluded.external_id, role = excluded.role,
 settings = excluded.settings, created_at = excluded.created_at`, u.Name, u.Email, u.ExternalID, u.Role, settings, created)
	})
}

// User implements [store.Accounts].
func (db *DB) User(ctx context.Context, id lukasa.ID) (u lukasa.User, err error) {
	err = db.read(ctx, lukasa.Scope{Owner: id}, func(s *session) error {
		u, err = found(s, "user", id, scanUser, "SELECT "+userColumns+" FROM users u WHERE u.owner_id = ?1")
		return err
	})
	return u, err
}

// Users implements [store.Accounts]. They come oldest first.
func (db *DB) Users(ctx context.Context) ([]lukasa.User, error) {
	users := []lukasa.User{}
	err := db.read(ctx, lukasa.Scope{}, func(s *session) error {
		return lite.Into(&s.Session, &users, scanUser, "SELECT "+userColumns+" FROM users u ORDER BY u.created_at, u.owner_id")
	})
	return users, err
}

// OwnerKey implements [store.Accounts].
func (db *DB) OwnerKey(ctx context.Context, owner lukasa.ID) (key []byte, err error) {
	err = db.read(ctx, lukasa.Scope{Owner: owner}, func(s *session) error {
		_, err := s.One(func(r row) { key = r.Bytes(0) }, "SELECT wrapped_key FROM owners WHERE owner_id = ?1")
		if err == nil && len(key) == 0 {
			err = lukasa.NotFound("key of owner", owner)
		}
		return err
	})
	return key, err
}

// PutKey implements [store.Accounts]. An update without a hash keeps the one that is there.
func (db *DB) PutKey(ctx context.Context, k lukasa.Key, hash []byte) error {
	return db.write(ctx, lukasa.Scope{Owner: k.User}, func(t *tx) error {
		ok, err := t.Has("SELECT 1 FROM users WHERE owner_id = ?1")
		if err != nil {
			return err
		}
		if !ok {
			return lukasa.NotFound("user", k.User)
		}
		args := []any{k.ID, k.Name, k.Hint, k.Role, k.Root, k.ReadOnly, k.Unlimited, t.orNow(k.CreatedAt), k.ExpiresAt, k.LastUsedAt, k.RevokedAt}
		n, _, err := t.Exec(`UPDATE api_keys SET name = ?6, hint = ?7, role = ?8, root = ?9, read_only = ?10, unlimited = ?11, created_at = ?12,
 expires_at = ?13, last_used_at = ?14, revoked_at = ?15, hash = coalesce(?16, hash) WHERE owner_id = ?1 AND id = ?5`, append(args, noneIfEmpty(hash))...)
		if err != nil || n > 0 {
			return err
		}
		if len(hash) == 0 {
			return lukasa.Invalid("hash", "is empty")
		}
		return t.Do(`INSERT INTO api_keys (owner_id, id, name, hint, role, root, read_only, unlimited, created_at, expires_at, last_used_at, revoked_at, hash)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`, append(args, hash)...)
	})
}

func noneIfEmpty(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

// KeyByHash implements [store.Accounts].
func (db *DB) KeyByHash(ctx context.Context, hash []byte) (k lukasa.Key, u lukasa.User, err error) {
	err = db.read(ctx, lukasa.Scope{}, func(s *session) error {
		ok, err := s.One(func(r row) { k, u = scanKey(r), scanUser(r[12:]) },
			"SELECT "+keyColumns+", "+userColumns+" FROM api_keys k JOIN users u ON u.owner_id = k.owner_id WHERE k.hash = ?5", hash)
		if err == nil && !ok {
			err = lukasa.NotFound("key", "with this secret")
		}
		return err
	})
	return k, u, err
}

// Keys implements [store.Accounts]. They come oldest first.
func (db *DB) Keys(ctx context.Context, user lukasa.ID) ([]lukasa.Key, error) {
	keys := []lukasa.Key{}
	err := db.read(ctx, lukasa.Scope{}, func(s *session) error {
		return lite.Into(&s.Session, &keys, scanKey, "SELECT "+keyColumns+" FROM api_keys k WHERE ?5 = '' OR k.owner_id = ?5 ORDER BY k.created_at, k.id", user)
	})
	return keys, err
}
