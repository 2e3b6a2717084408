package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// PrefixReceipt leads the ids of receipts.
const PrefixReceipt lukasa.Prefix = "rcpt"

// Why a record went for good.
const (
	ByRequest     = "request"
	ByForgetAfter = "forget_after"
	ByTrash       = "trash"     // it lay in the trash for too long, or the trash was emptied
	ByRetention   = "retention" // the user's limit of days
)

// A Deletion is the receipt of one: it says what was taken away. It holds ids and counts, and nothing of what was deleted. Its first part is there as
// soon as the rows are gone; Scrub follows when the store's own files have been cleaned and searched.
type Deletion struct {
	ID       lukasa.ID      `json:"receipt_id"`
	Owner    lukasa.ID      `json:"owner_id"`
	Action   string         `json:"action"` // document.delete, memory.delete, message.delete, conversation.delete, node.delete, user.delete; content.delete: see Parts
	Resource lukasa.ID      `json:"resource"`
	Node     lukasa.ID      `json:"node_id,omitempty"` // where it stood
	Actor    lukasa.ID      `json:"actor_id"`
	Why      string         `json:"why"`
	At       time.Time      `json:"removed_at"`
	Removed  lukasa.Removal `json:"removed"`
	Parts    []lukasa.ID    `json:"parts,omitempty"`   // of a node or a user that held much: the receipts of what went of its content before it. Removed counts all, and has the ids of the rest
	Segment  lukasa.ID      `json:"segment,omitempty"` // of a message: what its recall file is made anew as, without it
	Scrub    Scrub          `json:"scrub"`
}

// How far a scrub is.
const (
	ScrubPending    = "pending"    // not yet
	ScrubClean      = "scrubbed"   // cleaned, searched, and nothing found
	ScrubUnsearched = "unsearched" // cleaned; what to look for is not known any more, or was too short to tell apart
	ScrubHeld       = "held"       // cleaned, and Held says where pieces were found all the same
)

// Scrub says what became of the traces of a deletion in the store's own files.
type Scrub struct {
	State   string     `json:"state"`
	At      *time.Time `json:"scrubbed_at,omitempty"`
	Pieces  int        `json:"pieces,omitempty"` // distinctive pieces of the deleted text that were searched for
	Shared  int        `json:"shared,omitempty"` // of these, how many other records say too
	Files   int        `json:"files,omitempty"`  // that were searched: rows, write-ahead log, index, sealed files
	Bytes   int64      `json:"bytes,omitempty"`
	Caches  int        `json:"caches,omitempty"` // cached answers that were forgotten
	Held    []string   `json:"held,omitempty"`   // files that still hold a piece
	Backups []Backup   `json:"backups,omitempty"`
	Tries   int        `json:"tries,omitempty"`
}

// Backup is a copy that is older than a deletion, and so may hold what was deleted. It is nobody's but its keeper's to destroy.
type Backup struct {
	Path string    `json:"path"`
	At   time.Time `json:"made_at"`
}

// asDetails is the receipt as the audit log keeps it.
func (r Deletion) asDetails() (map[string]any, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write receipt: %w", err)
	}
	var m map[string]any
	err = json.Unmarshal(b, &m)
	return m, err
}

func receiptOf(a store.Audit) (Deletion, bool) {
	if !strings.HasSuffix(a.Action, ".delete") || a.Details["receipt_id"] == nil {
		return Deletion{}, false
	}
	b, err := json.Marshal(a.Details)
	if err != nil {
		return Deletion{}, false
	}
	var r Deletion
	return r, json.Unmarshal(b, &r) == nil
}

// settingOf is where the finished state of a receipt is kept; its audit line stays as it was written.
func settingOf(id lukasa.ID) string { return "receipt." + string(id) }

// Receipt returns one receipt of the owner.
func (p *Path) Receipt(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Deletion, error) {
	if sc.Owner == "" {
		return Deletion{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	r, ok, err := p.find(ctx, sc.Owner, id, sc.Root != "")
	if err == nil && sc.Root != "" {
		var seen bool
		seen, err = p.stoodIn(ctx, sc, r.Node)
		ok = ok && seen
	}
	if err == nil && !ok {
		err = lukasa.NotFound("receipt", id)
	}
	if err != nil {
		return Deletion{}, err
	}
	return shown(sc, r), nil
}

// stoodIn reports whether a scope sees the container that something stood in.
func (p *Path) stoodIn(ctx context.Context, sc lukasa.Scope, node lukasa.ID) (bool, error) {
	err := p.Store.View(ctx, sc, func(r store.Reader) error {
		_, err := r.Node(node)
		return err
	})
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// shown is a receipt as a scope may read it. What other records say too is said of all users' records, and so to admins alone; whoever
// is bound to a part of the tree is not told of the store's files either.
func shown(sc lukasa.Scope, r Deletion) Deletion {
	if sc.CanAdmin() != nil {
		r.Scrub.Shared = 0
	}
	if sc.Root != "" {
		r.Scrub = Scrub{State: r.Scrub.State, At: r.Scrub.At, Tries: r.Scrub.Tries}
	}
	return r
}

// find looks for a receipt where it is kept: finished, under way, or as its deletion wrote it. With all it looks everywhere, so that it
// takes as long for one that is there as for one that is not.
func (p *Path) find(ctx context.Context, owner, id lukasa.ID, all bool) (r Deletion, there bool, err error) {
	s, err := p.Store.Setting(ctx, settingOf(id))
	if err != nil {
		return r, false, err
	}
	if s != "" {
		if err := json.Unmarshal([]byte(s), &r); err != nil {
			return r, false, fmt.Errorf("read receipt %s: %w", id, err)
		}
		if there = r.Owner == owner; !there {
			r = Deletion{}
		}
		if !all {
			return r, there, nil
		}
	}
	p.mu.Lock()
	w := p.pending[id]
	p.mu.Unlock()
	if w != nil && !w.going && !there {
		if there = w.receipt.Owner == owner; there {
			r = w.receipt
		}
		if !all {
			return r, there, nil
		}
	}
	made, ok := madeAt(id)
	if !ok {
		return r, there, nil
	}
	page := lukasa.Page{Limit: 100}
	for {
		l, err := p.Store.AuditLog(ctx, owner, "", page)
		if err != nil {
			return r, false, err
		}
		for _, a := range l.Items {
			if got, ok := receiptOf(a); ok && got.ID == id && !there {
				if r, there = got, true; !all {
					return r, true, nil
				}
			}
			if a.At.Before(made.Add(-time.Hour)) { // clocks of several processes may differ
				return r, there, nil
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return r, there, nil
		}
	}
}

// madeAt reads the time in an id.
func madeAt(id lukasa.ID) (time.Time, bool) {
	if _, err := lukasa.ParseID(PrefixReceipt, string(id)); err != nil {
		return time.Time{}, false
	}
	const digits = "0123456789abcdefghjkmnpqrstvwxyz"
	ms := uint64(0)
	for _, c := range strings.TrimPrefix(string(id), string(PrefixReceipt)+"_")[:10] { // 2 empty bits, then 48 of milliseconds
		ms = ms<<5 | uint64(strings.IndexRune(digits, c))
	}
	return time.UnixMilli(int64(ms)), true
}

// Receipts lists the owner's receipts, newest first. A page may hold fewer than its limit.
func (p *Path) Receipts(ctx context.Context, sc lukasa.Scope, page lukasa.Page) (lukasa.Listing[Deletion], error) {
	out := lukasa.Listing[Deletion]{Items: []Deletion{}}
	switch {
	case sc.Owner == "":
		return out, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	case sc.Root != "":
		return out, lukasa.Errorf(lukasa.CodeForbidden, "a key that is bound to a container cannot list receipts")
	}
	for _, kind := range kindsOfReceipts() {
		l, err := p.Store.AuditLog(ctx, sc.Owner, kind+".delete", lukasa.Page{Limit: 1})
		if err != nil {
			return out, err
		}
		out.Total += l.Total
	}
	want := page.Limit
	if want == 0 {
		want = 20
	}
	for {
		page.Limit = want - len(out.Items)
		l, err := p.Store.AuditLog(ctx, sc.Owner, "", page)
		if err != nil {
			return out, err
		}
		for _, a := range l.Items {
			r, ok := receiptOf(a)
			if !ok || slices.ContainsFunc(out.Items, func(o Deletion) bool { return o.ID == r.ID }) {
				continue
			}
			if now, ok, err := p.find(ctx, sc.Owner, r.ID, false); err != nil {
				return out, err
			} else if ok {
				r = now
			}
			out.Items = append(out.Items, shown(sc, r))
		}
		out.Next, page = l.Next, lukasa.Page{Cursor: l.Next}
		if l.Next == "" || len(out.Items) >= want {
			return out, nil
		}
	}
}

func kindsOfReceipts() []string {
	return []string{"document", "memory", "message", "conversation", "node", "user", "organisation", "content"}
}

// keep writes the audit line of a receipt.
func (p *Path) keep(ctx context.Context, r Deletion) error {
	d, err := r.asDetails()
	if err != nil {
		return err
	}
	return p.Store.Audit(ctx, store.Audit{
		Owner: r.Owner, Actor: r.Actor, Action: r.Action, Resource: string(r.Resource), Details: d, Address: Address(ctx), At: r.At,
	})
}

// finish writes what became of a scrub: a line of the audit log, and the receipt as it now stands.
func (p *Path) finish(ctx context.Context, r Deletion) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write receipt: %w", err)
	}
	if err := p.Store.SetSetting(ctx, settingOf(r.ID), string(b)); err != nil {
		return err
	}
	details := map[string]any{"receipt_id": r.ID, "state": r.Scrub.State, "pieces": r.Scrub.Pieces}
	if len(r.Scrub.Held) > 0 {
		details["held"] = r.Scrub.Held
	}
	err = p.Store.Audit(ctx, store.Audit{Owner: r.Owner, Actor: r.Actor, Action: "receipt.scrub", Resource: string(r.ID), Details: details, At: *r.Scrub.At})
	if errors.Is(err, store.ErrGone) { // nobody is left whose receipt it would be
		return p.Store.SetSetting(ctx, settingOf(r.ID), "")
	}
	return err
}

// NoteBackup remembers where a copy of the rows was put, so that receipts of later deletions can name it.
func (p *Path) NoteBackup(ctx context.Context, path string) error {
	list, err := p.backups(ctx)
	if err != nil {
		return err
	}
	list = append(list, Backup{Path: path, At: p.now()})
	if len(list) > maxBackups {
		list = list[len(list)-maxBackups:]
	}
	b, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("note backup: %w", err)
	}
	return p.Store.SetSetting(ctx, backupSetting, string(b))
}

const (
	backupSetting = "backups"
	maxBackups    = 200
)

func (p *Path) backups(ctx context.Context) ([]Backup, error) {
	s, err := p.Store.Setting(ctx, backupSetting)
	if err != nil || s == "" {
		return nil, err
	}
	var list []Backup
	if err := json.Unmarshal([]byte(s), &list); err != nil {
		return nil, fmt.Errorf("read the list of backups: %w", err)
	}
	return slices.Clip(list), nil
}
