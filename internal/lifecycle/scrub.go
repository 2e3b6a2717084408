package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// After a deletion the rows are gone, and what the files of the store still hold of them is overwritten, cut off or built again;
// then the files are searched for pieces of what was deleted. One pass serves all deletions that wait for it. What is searched for
// is chosen before the rows go and is never written anywhere; a process that ends before the search leaves a receipt that says so.

// pending is a receipt whose scrub is still to come, with what only this process knows.
type pending struct {
	receipt Deletion
	pieces  []piece
	blobs   []string
	going   bool // its deletion is not done yet
}

// pend remembers what to search for.
func (p *Path) pend(r Deletion, texts, blobs []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending[r.ID] = &pending{receipt: r, pieces: pieces(r.ID, texts), blobs: blobs}
}

// scrubTime is when a scrub that is asked for now may begin: a little later, so that it serves what follows too, and not before
// the last one has been paid for. Without a background that comes back to it, at once.
func (p *Path) scrubTime() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.now()
	if !p.running {
		return at
	}
	if at = at.Add(p.opt.Linger); at.Before(p.next) {
		at = p.next
	}
	return at
}

// Scrub cleans up after the deletion of a receipt now, and after all others that wait. It returns the receipt as it then is.
func (p *Path) Scrub(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Deletion, error) {
	r, err := p.Receipt(ctx, sc, id)
	if err != nil || r.Scrub.done() {
		return r, err
	}
	for try := 1; ; try++ {
		if err := p.pass(ctx, &r); err != nil {
			return r, err
		}
		if r, err = p.Receipt(ctx, sc, id); err != nil || r.Scrub.done() || try == 3 {
			return r, err
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(100 * time.Millisecond): // a search that was under way may have held the index
		}
	}
}

// ErrLater says that a job of this kind is not to be done yet. Its reason must be kept as it is.
var ErrLater = errors.New("not yet")

// LaterBy is how long to wait after [ErrLater].
const LaterBy = 3 * time.Second

// A deletion is left to the process that did it: for a moment to write the receipt, and for longer to search, as only that one knows
// for what.
const (
	keepTime = 5 * time.Second
	ownTime  = time.Minute
)

// Work does a job that a deletion left.
func (p *Path) Work(ctx context.Context, j lukasa.Job) error {
	if j.Kind == JobRespace {
		return p.follow(ctx, lukasa.Scope{Owner: j.Owner, Principal: j.Owner, Role: lukasa.RoleUser})
	}
	if j.Kind == JobReword {
		return p.reword(ctx, lukasa.Scope{Owner: j.Owner, Principal: j.Owner, Role: lukasa.RoleUser})
	}
	p.mu.Lock()
	mine := p.pending[j.Record]
	p.mu.Unlock()
	age := p.now().Sub(j.Created)
	if mine != nil && mine.going || mine == nil && age < keepTime {
		return ErrLater
	}
	if r, err := deletionOf(j); err == nil && r.Owner != j.Owner {
		return p.tell(ctx, j.Owner, r) // which leaves its own job
	}
	r, there, err := p.find(ctx, j.Owner, j.Record, false)
	if err == nil && !there {
		r, err = p.recover(ctx, j)
	}
	if err != nil || r.ID == "" || r.Scrub.done() {
		return err
	}
	if mine == nil && age < ownTime {
		return ErrLater
	}
	if err := p.pass(ctx, &r); err != nil {
		return err
	}
	if r, _, err = p.find(ctx, j.Owner, j.Record, false); err == nil && !r.Scrub.done() {
		err = ErrLater
	}
	return err
}

// done reports that nothing more will be tried.
func (s Scrub) done() bool {
	return s.State == ScrubClean || s.State == ScrubUnsearched || s.State == ScrubHeld && s.Tries >= scrubTries
}

// Tidy does what waits in this process and is due.
func (p *Path) Tidy(ctx context.Context) error {
	p.mu.Lock()
	var first *pending
	for _, w := range p.pending {
		if !w.going && (first == nil || w.receipt.At.Before(first.receipt.At)) {
			first = w
		}
	}
	due := first != nil && !p.now().Before(p.next) && p.now().Sub(first.receipt.At) > p.opt.Linger
	p.mu.Unlock()
	if !due {
		return nil
	}
	r := first.receipt
	return p.pass(ctx, &r)
}

// recover writes the receipt of a deletion whose process ended right after it. A user who is still there was not deleted: the zero
// Deletion.
func (p *Path) recover(ctx context.Context, j lukasa.Job) (r Deletion, err error) {
	if r, err = deletionOf(j); err != nil {
		p.Log.ErrorContext(ctx, "a deletion left no receipt", "receipt", j.Record, "err", err)
		return Deletion{}, nil
	}
	if x := r.Resource.Prefix(); r.Action != partDelete && (x == lukasa.PrefixUser || x == store.PrefixOrganisation) {
		if _, err := p.Store.User(ctx, r.Resource); err == nil {
			return Deletion{}, nil
		} else if lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return Deletion{}, err
		}
	}
	return r, p.keep(ctx, r)
}

// deletionOf is the receipt that a job keeps until it is written.
func deletionOf(j lukasa.Job) (r Deletion, err error) {
	if err := json.Unmarshal([]byte(j.Reason), &r); err != nil {
		return r, fmt.Errorf("read the receipt of a job: %w", err)
	}
	if r.ID != j.Record {
		return r, fmt.Errorf("a job for receipt %s holds %q", j.Record, r.ID)
	}
	return r, nil
}

// pass cleans and searches once, for the receipt and all that wait in this process.
func (p *Path) pass(ctx context.Context, r *Deletion) error {
	p.scrub.Lock()
	defer p.scrub.Unlock()
	p.mu.Lock()
	batch := maps.Clone(p.pending)
	p.mu.Unlock()
	maps.DeleteFunc(batch, func(_ lukasa.ID, w *pending) bool { return w.going })
	if _, ok := batch[r.ID]; !ok {
		done, there, err := p.find(ctx, r.Owner, r.ID, false)
		if err != nil || there && done.Scrub.done() {
			return err // the pass before this one did it
		}
		batch[r.ID] = &pending{receipt: *r}
		if at, ok := p.passed[ownerOf(*r)]; ok && at.After(r.At) { // and cleaned up after this one too
			backups, err := p.copies(ctx)
			if err != nil {
				return err
			}
			return p.finish(ctx, batch[r.ID].result(newFinder(nil), nil, backups, 0, p.now()))
		}
	}
	began, from := time.Now(), p.now()
	caches, err := p.clean(ctx, batch)
	if err != nil {
		return err
	}
	f, said, err := p.search(ctx, batch)
	if err != nil {
		return err
	}
	backups, err := p.copies(ctx)
	if err != nil {
		return err
	}
	for _, o := range owners(batch) {
		p.passed[o] = from
	}
	for id, w := range batch {
		done := w.result(f, said, backups, caches, p.now())
		if !done.Scrub.done() {
			p.mu.Lock()
			p.pending[id] = &pending{receipt: done, pieces: w.pieces, blobs: w.blobs}
			p.mu.Unlock()
			continue
		}
		if err := p.finish(ctx, done); err != nil {
			return err
		}
		p.mu.Lock()
		delete(p.pending, id)
		p.mu.Unlock()
	}
	p.mu.Lock()
	p.next = p.now().Add(20 * time.Since(began)) // at most a twentieth of the time goes into it
	p.mu.Unlock()
	return p.tellOthers(ctx, batch)
}

// ownerOf is whose records a deletion took.
func ownerOf(r Deletion) lukasa.ID {
	if x := r.Resource.Prefix(); x == lukasa.PrefixUser || x == store.PrefixOrganisation {
		return r.Resource
	}
	return r.Owner
}

// owners are whose index is built again.
func owners(batch map[lukasa.ID]*pending) []lukasa.ID {
	var list []lukasa.ID
	for _, w := range batch {
		list = append(list, ownerOf(w.receipt))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// clean overwrites what the files of the store hold of deleted rows.
func (p *Path) clean(ctx context.Context, batch map[lukasa.ID]*pending) (caches int, err error) {
	for _, w := range batch {
		for _, key := range w.blobs {
			if _, err := p.Blobs.Stat(ctx, key); errors.Is(err, blob.ErrNotFound) {
				continue
			}
			if err := p.Blobs.Delete(ctx, key); err != nil {
				return 0, fmt.Errorf("delete sealed file: %w", err)
			}
		}
	}
	if _, err := p.Store.DropForgotten(ctx); err != nil {
		return 0, err
	}
	if err := p.Store.Scrub(ctx); err != nil {
		return 0, err
	}
	if p.Evict != nil {
		caches = p.Evict(ctx)
	}
	for _, o := range owners(batch) {
		p.Index.Rebuild(o, "")
	}
	return caches, p.warm(ctx, owners(batch))
}

// warm loads the indexes again, so that no search waits for it.
func (p *Path) warm(ctx context.Context, list []lukasa.ID) error {
	if _, err := p.Index.Sync(ctx); err != nil {
		return err
	}
	for _, o := range list {
		nodes, err := p.nodes(ctx, o)
		if err != nil {
			return err
		}
		if len(nodes) == 0 {
			continue
		}
		if _, err := p.Index.Search(ctx, index.Request{Owner: o, Nodes: nodes}); err != nil {
			return err
		}
	}
	return nil
}

func (p *Path) nodes(ctx context.Context, owner lukasa.ID) (ids []lukasa.ID, err error) {
	err = p.Store.View(ctx, scopeOf(owner), func(r store.Reader) error {
		list, err := r.Nodes(nil, false)
		for _, n := range list {
			ids = append(ids, n.ID)
		}
		return err
	})
	return ids, err
}

// search looks for the pieces of all receipts in all files, and says which of those found are other records' own words.
func (p *Path) search(ctx context.Context, batch map[lukasa.ID]*pending) (*finder, map[int]bool, error) {
	var list []piece
	for _, w := range batch {
		list = append(list, w.pieces...)
	}
	f := newFinder(list)
	if len(list) == 0 || p.opt.Dir == "" {
		return f, nil, nil
	}
	if err := f.tree(ctx, p.opt.Dir, p.Store.Own); err != nil {
		return f, nil, fmt.Errorf("search the files of the store: %w", err)
	}
	if len(f.hits) == 0 {
		return f, nil, nil
	}
	said, err := p.shared(ctx, f)
	return f, said, err
}

// result is what a pass means for one receipt.
func (w *pending) result(f *finder, said map[int]bool, backups []Backup, caches int, now time.Time) Deletion {
	r := w.receipt
	s := Scrub{State: ScrubClean, At: &now, Files: f.files, Bytes: f.bytes, Caches: caches, Tries: r.Scrub.Tries + 1}
	for k, pc := range f.pieces {
		if pc.receipt != r.ID {
			continue
		}
		s.Pieces++
		if said[k] {
			s.Shared++
			continue
		}
		for _, name := range f.hits[k] {
			if !isCopy(name) && !slices.Contains(s.Held, name) {
				s.Held = append(s.Held, name)
			}
		}
	}
	for _, b := range backups {
		if b.At.Before(r.At) {
			s.Backups = append(s.Backups, b)
		}
	}
	slices.Sort(s.Held)
	switch {
	case len(s.Held) > 0:
		s.State = ScrubHeld
	case s.Pieces == 0 || f.files == 0:
		s.State, s.Files, s.Bytes = ScrubUnsearched, 0, 0
	}
	r.Scrub = s
	return r
}

// isCopy reports whether a file of the data directory is a copy from before a migration.
func isCopy(name string) bool { return strings.Contains(filepath.Base(name), ".bak-") }

// copies lists the backups that are known and still there: those that were made here, and those of migrations.
func (p *Path) copies(ctx context.Context) ([]Backup, error) {
	list, err := p.backups(ctx)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(b Backup) bool { _, err := os.Stat(b.Path); return err != nil })
	if p.opt.Dir == "" {
		return list, nil
	}
	names, err := filepath.Glob(filepath.Join(p.opt.Dir, "*.bak-*"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if st, err := os.Stat(name); err == nil {
			list = append(list, Backup{Path: name, At: st.ModTime().UTC()})
		}
	}
	return list, nil
}

// noticeSetting names whose index other processes have to build again, so that none writes an old one to disk.
const noticeSetting = "scrub.notice"

type notice struct {
	N      int64       `json:"n"`
	Owners []lukasa.ID `json:"owners"` // of the last scrubs, newest last
}

const maxNotice = 200

func (p *Path) tellOthers(ctx context.Context, batch map[lukasa.ID]*pending) error {
	n, _, err := p.readNotice(ctx)
	if err != nil {
		return err
	}
	list := owners(batch)
	n.N += int64(len(list))
	n.Owners = append(n.Owners, list...)
	n.Owners = n.Owners[max(0, len(n.Owners)-maxNotice):]
	b, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("tell other processes: %w", err)
	}
	p.mu.Lock()
	p.beside, p.heard = string(b), true
	p.mu.Unlock()
	return p.Store.SetSetting(ctx, noticeSetting, string(b))
}

func (p *Path) readNotice(ctx context.Context) (n notice, raw string, err error) {
	if raw, err = p.Store.Setting(ctx, noticeSetting); err != nil || raw == "" {
		return n, raw, err
	}
	if err := json.Unmarshal([]byte(raw), &n); err != nil {
		return notice{}, raw, fmt.Errorf("read the notice of scrubs: %w", err)
	}
	return n, raw, nil
}

// Listen builds again the indexes of those for whom another process has scrubbed since the last call.
func (p *Path) Listen(ctx context.Context) error {
	n, raw, err := p.readNotice(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	before, heard := p.beside, p.heard
	p.beside, p.heard = raw, true
	p.mu.Unlock()
	if !heard || raw == before {
		return nil // what was scrubbed before this process began, it has never held
	}
	var old notice
	if before != "" {
		if err := json.Unmarshal([]byte(before), &old); err != nil {
			return fmt.Errorf("read the notice of scrubs: %w", err)
		}
	}
	fresh := n.Owners[max(0, len(n.Owners)-int(min(max(n.N-old.N, 0), maxNotice))):]
	if n.N-old.N > int64(len(n.Owners)) {
		fresh = []lukasa.ID{""} // too many: all
	}
	for _, o := range slices.Compact(slices.Sorted(slices.Values(fresh))) {
		p.Index.Rebuild(o, "")
	}
	return nil
}
