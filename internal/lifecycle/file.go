package lifecycle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The states of a file. A file is readable in all of them: its row names whole bytes at any moment.
const (
	FileActive      = "active"
	FileDormant     = "dormant"     // compressed hard
	FileRehydrating = "rehydrating" // being woken; its row still names the dormant bytes
)

// What moved a file, as its log says.
const (
	ByScheduler = "scheduler"
	ByRetrieval = "retrieval"
	ByTTL       = "ttl_expiry"
	ByHand      = "manual"
)

// FileEvent is one line of the log of a file's states.
type FileEvent = store.FileEvent

// flight is a file on its way up; who wants it meanwhile waits in line.
type flight struct {
	done chan struct{}
	err  error
}

// awakened is a file that was woken.
type awakened struct {
	Owner lukasa.ID `json:"owner"`
	Since time.Time `json:"since"`
}

const (
	awakeSetting = "files.awake"
	flightTime   = 10 * time.Minute // the longest that waking may take
	pollTime     = 20 * time.Millisecond
	slowest      = 4 << 20 // bytes a second that a living wake moves at least
)

// Read opens the bytes of a file in whatever state it is. It does not wake it.
func (p *Path) Read(ctx context.Context, owner lukasa.ID, f lukasa.File) (io.ReadCloser, error) {
	if f.Blob == "" {
		data, err := p.Vault.OpenBytes(ctx, string(owner), string(f.ID), f.Inline)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	rc, err := p.Vault.Read(ctx, string(owner), strings.TrimPrefix(f.Blob, string(owner)+"/"))
	if errors.Is(err, blob.ErrNotFound) { // it moved since its row was read
		again, e := p.Store.File(ctx, owner, f.ID)
		if e == nil && again.Blob != f.Blob {
			return p.Read(ctx, owner, again)
		}
	}
	return rc, err
}

// Wake makes a file active and notes its use. Readers of one file share one waking, and wait for it until their ctx ends, which
// does not end it. The file is returned as it then is.
func (p *Path) Wake(ctx context.Context, owner, id lukasa.ID, trigger string) (lukasa.File, error) {
	for {
		f, err := p.Store.File(ctx, owner, id)
		if err != nil {
			return f, err
		}
		switch f.State {
		case FileRehydrating:
			err = p.stand(ctx, owner, f)
		case FileDormant:
			err = p.join(ctx, owner, f, trigger)
		default:
			f.UsedAt = p.Use(owner, id)
			return f, nil
		}
		if err != nil {
			return f, err
		}
	}
}

// Use notes that a file was read. It is written later, in batches.
func (p *Path) Use(owner, id lukasa.ID) time.Time {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used[owner] == nil {
		p.used[owner] = map[lukasa.ID]time.Time{}
	}
	p.used[owner][id] = now
	return now
}

// Flush writes when files were last read.
func (p *Path) Flush(ctx context.Context) error {
	p.mu.Lock()
	used := p.used
	p.used = map[lukasa.ID]map[lukasa.ID]time.Time{}
	p.mu.Unlock()
	for owner, files := range used {
		var last time.Time
		ids := make([]lukasa.ID, 0, len(files))
		for id, at := range files {
			ids = append(ids, id)
			if at.After(last) {
				last = at
			}
		}
		if err := p.Store.TouchFiles(ctx, owner, ids, last); err != nil {
			return err
		}
	}
	return nil
}

// stand waits for a file that is being woken here or by another process. A waking that nobody is at any more is undone.
func (p *Path) stand(ctx context.Context, owner lukasa.ID, f lukasa.File) error {
	p.mu.Lock()
	fl := p.flights[f.ID]
	p.mu.Unlock()
	if fl != nil {
		return fl.wait(ctx)
	}
	log, err := p.Store.FileEvents(ctx, owner, f.ID, lukasa.Page{Limit: 1})
	if err != nil {
		return err
	}
	if len(log.Items) == 0 || p.now().Sub(log.Items[0].At) > 10*time.Second+time.Duration(f.Size)*time.Second/slowest {
		_, err := p.move(ctx, owner, f, f, FileEvent{To: FileDormant, Trigger: ByScheduler, Error: "waking was interrupted"})
		return err
	}
	t := time.NewTimer(pollTime)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (fl *flight) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-fl.done:
		return fl.err
	}
}

// join waits for the waking of a dormant file, and begins it if nobody has.
func (p *Path) join(ctx context.Context, owner lukasa.ID, f lukasa.File, trigger string) error {
	p.mu.Lock()
	fl := p.flights[f.ID]
	if fl == nil {
		fl = &flight{done: make(chan struct{})}
		p.flights[f.ID] = fl
		p.wakes.Go(func() {
			run, stop := context.WithTimeout(context.WithoutCancel(ctx), flightTime)
			defer stop()
			fl.err = p.rehydrate(run, owner, f, trigger)
			p.mu.Lock()
			delete(p.flights, f.ID)
			p.mu.Unlock()
			close(fl.done)
		})
	}
	p.mu.Unlock()
	return fl.wait(ctx)
}

// rehydrate takes a dormant file through rehydrating to active.
func (p *Path) rehydrate(ctx context.Context, owner lukasa.ID, f lukasa.File, trigger string) error {
	up := f
	up.State = FileRehydrating
	moved, err := p.move(ctx, owner, f, up, FileEvent{To: FileRehydrating, Trigger: trigger})
	if err != nil || !moved { // another process was quicker
		return err
	}
	woken, err := p.repack(ctx, owner, f, false)
	if err != nil {
		_, back := p.move(context.WithoutCancel(ctx), owner, up, f, FileEvent{To: FileDormant, Trigger: trigger, Error: detail(err)})
		return errors.Join(fmt.Errorf("wake file %s: %w", f.ID, err), back)
	}
	woken.UsedAt = p.now()
	if err := p.swap(ctx, owner, up, woken, FileEvent{To: FileActive, Trigger: trigger}); err != nil {
		return err
	}
	p.mu.Lock()
	p.awake[f.ID] = awakened{Owner: owner, Since: woken.UsedAt}
	p.mu.Unlock()
	p.shelve(ctx, owner, f.Document, trigger)
	return p.saveAwake(ctx)
}

// Sleep makes a file dormant. One that is not active is left alone.
func (p *Path) Sleep(ctx context.Context, owner, id lukasa.ID, trigger string) (lukasa.File, error) {
	f, err := p.Store.File(ctx, owner, id)
	if err != nil || f.State != FileActive {
		return f, err
	}
	down, err := p.repack(ctx, owner, f, true)
	if err != nil {
		_, noted := p.move(ctx, owner, f, f, FileEvent{To: FileActive, Trigger: trigger, Error: detail(err)})
		return f, errors.Join(fmt.Errorf("compress file %s: %w", f.ID, err), noted)
	}
	if err := p.swap(ctx, owner, f, down, FileEvent{To: FileDormant, Trigger: trigger}); err != nil {
		return f, err
	}
	p.mu.Lock()
	delete(p.awake, id)
	p.mu.Unlock()
	p.shelve(ctx, owner, f.Document, trigger)
	return p.Store.File(ctx, owner, id)
}

// shelve sets the status of a recall file after one of its files has moved: it is archived while all of them are dormant, and finalized again once one is
// awake. Its history says so. A fault costs nothing but that: the files have their states.
func (p *Path) shelve(ctx context.Context, owner, document lukasa.ID, trigger string) {
	sc := lukasa.Scope{Owner: owner, Principal: owner, Role: lukasa.RoleUser}
	due := func(r store.Reader) (s lukasa.Segment, changes bool, err error) {
		s, err = r.Segment(document)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound { // a document that is no stretch of a conversation, or was deleted meanwhile
			return s, false, nil
		}
		if err != nil || s.State == lukasa.SegmentOpen {
			return s, false, err
		}
		files, err := r.Files(document, "")
		state := lukasa.SegmentArchived
		for _, f := range files {
			if f.State != FileDormant && f.Size > 0 {
				state = lukasa.SegmentFinalized
			}
		}
		changes = s.State != state
		s.State = state
		return s, changes, err
	}
	changes := false
	err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		_, changes, err = due(r)
		return err
	})
	if err == nil && changes {
		err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
			s, changes, err := due(tx)
			if err != nil || !changes {
				return err
			}
			tx.Because("pipeline", "its files were put away or woken: "+trigger)
			return tx.PutSegment(s)
		})
	}
	if err != nil {
		p.Log.WarnContext(ctx, "set the status of a recall file", "document", document, "err", err)
	}
}

// repack writes the bytes of a file once more, in the row or as a new blob, hard or not. Bytes that do not get smaller that
// way stay as they are.
func (p *Path) repack(ctx context.Context, owner lukasa.ID, f lukasa.File, dense bool) (lukasa.File, error) {
	rc, err := p.Read(ctx, owner, f)
	if err != nil {
		return f, err
	}
	defer rc.Close()
	out := f
	if f.Blob == "" {
		data, err := io.ReadAll(rc)
		if err != nil {
			return f, err
		}
		seal := p.Vault.SealBytes
		if dense {
			seal = p.Vault.SealBytesDense
		}
		if out.Inline, err = seal(ctx, string(owner), string(f.ID), data); err != nil {
			return f, err
		}
		if out.SealedSize = int64(len(out.Inline)); dense && out.SealedSize >= f.SealedSize {
			return f, nil
		}
		return out, nil
	}
	write := p.Vault.Write
	if dense {
		write = p.Vault.WriteDense
	}
	key := string(f.ID) + "." + strconv.FormatInt(p.now().UnixMicro(), 36)
	s, err := write(ctx, string(owner), key, rc)
	if err != nil {
		return f, err
	}
	out.Blob, out.SealedSize = string(owner)+"/"+key, s.SealedSize
	if sum := fmt.Sprintf("%x", s.SHA256); sum != f.SHA256 {
		p.dropBlobs(ctx, []string{out.Blob})
		return f, fmt.Errorf("its bytes have changed: SHA-256 %s, should be %s", sum, f.SHA256)
	}
	if dense && out.SealedSize >= f.SealedSize {
		p.dropBlobs(ctx, []string{out.Blob})
		return f, nil
	}
	return out, nil
}

// swap moves a file to new bytes and then removes the old ones; if it has been moved by another meanwhile, the new ones.
func (p *Path) swap(ctx context.Context, owner lukasa.ID, from, to lukasa.File, e FileEvent) error {
	moved, err := p.move(ctx, owner, from, to, e)
	gone := from.Blob
	switch {
	case err != nil:
		return err // nobody knows whether it is written: the sweep will
	case !moved:
		gone = to.Blob
	}
	if from.Blob != to.Blob && gone != "" {
		p.dropBlobs(ctx, []string{gone})
	}
	return nil
}

// move changes the row and writes the line of the log.
func (p *Path) move(ctx context.Context, owner lukasa.ID, from, to lukasa.File, e FileEvent) (bool, error) {
	e.File, e.From, e.Before, e.After, e.At = from.ID, from.State, from.SealedSize, to.SealedSize, p.now()
	to.State = e.To
	return p.Store.MoveFile(ctx, owner, to, e)
}

// detail is an error's text, clipped for a log.
func detail(err error) string {
	s := err.Error()
	return s[:min(len(s), 500)]
}

// Cool makes files dormant that have been idle for long enough, and those that were woken sooner. It returns how many, and
// stops early where there are many: the clock comes by again.
func (p *Path) Cool(ctx context.Context) (int, error) {
	const most = 200
	n, now := 0, p.now()
	if err := p.Flush(ctx); err != nil {
		return 0, err
	}
	if err := p.settleWakes(ctx); err != nil {
		return 0, err
	}
	if err := p.loadAwake(ctx); err != nil {
		return 0, err
	}
	p.mu.Lock()
	awake := maps.Clone(p.awake)
	p.mu.Unlock()
	for id, a := range awake {
		f, err := p.Store.File(ctx, a.Owner, id)
		switch {
		case lukasa.CodeOf(err) == lukasa.CodeNotFound, err == nil && f.State != FileActive:
			p.mu.Lock()
			delete(p.awake, id)
			p.mu.Unlock()
		case err != nil:
			return n, err
		case now.Sub(f.UsedAt) >= p.opt.Awake:
			n += p.cool(ctx, a.Owner, id, ByTTL)
		}
	}
	idle, err := p.Store.IdleFiles(ctx, FileActive, now.Add(-p.opt.Dormant), most)
	if err != nil {
		return n, err
	}
	for _, x := range idle {
		n += p.cool(ctx, x.Owner, x.File.ID, ByScheduler)
	}
	if n > 0 {
		return n, p.saveAwake(ctx)
	}
	return 0, nil
}

// cool puts one file to sleep. One that cannot be is left for an hour, so that it does not hold up the others.
func (p *Path) cool(ctx context.Context, owner, id lukasa.ID, trigger string) int {
	_, err := p.Sleep(ctx, owner, id, trigger)
	if err == nil {
		return 1
	}
	p.Log.WarnContext(ctx, "compress file", "file", id, "err", err)
	if err := p.Store.TouchFiles(ctx, owner, []lukasa.ID{id}, p.now().Add(time.Hour-p.opt.Dormant)); err != nil {
		p.Log.WarnContext(ctx, "put off file", "file", id, "err", err)
	}
	return 0
}

// settleWakes undoes wakings that a process which is gone has left.
func (p *Path) settleWakes(ctx context.Context) error {
	left, err := p.Store.IdleFiles(ctx, FileRehydrating, p.now(), 100)
	for _, x := range left {
		if err != nil {
			break
		}
		stop, cancel := context.WithTimeout(ctx, pollTime)
		if e := p.stand(stop, x.Owner, x.File); e != nil && stop.Err() == nil {
			err = e
		}
		cancel()
	}
	return err
}

// loadAwake reads, once, which files other runs have woken.
func (p *Path) loadAwake(ctx context.Context) error {
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	if known {
		return nil
	}
	s, err := p.Store.Setting(ctx, awakeSetting)
	if err != nil {
		return err
	}
	there := map[lukasa.ID]awakened{}
	if s != "" {
		if err := json.Unmarshal([]byte(s), &there); err != nil {
			p.Log.WarnContext(ctx, "read which files are awake", "err", err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, a := range there {
		if _, ok := p.awake[id]; !ok {
			p.awake[id] = a
		}
	}
	p.known = true
	return nil
}

// maxAwake bounds the note of woken files. One that is not on it sleeps after the longer time.
const maxAwake = 2000

// saveAwake notes which files are awake, for the next run.
func (p *Path) saveAwake(ctx context.Context) error {
	if err := p.loadAwake(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	list := make(map[lukasa.ID]awakened, len(p.awake))
	for id, a := range p.awake {
		if len(list) < maxAwake {
			list[id] = a
		}
	}
	p.mu.Unlock()
	if len(list) == 0 {
		return p.Store.SetSetting(ctx, awakeSetting, "")
	}
	b, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("note which files are awake: %w", err)
	}
	return p.Store.SetSetting(ctx, awakeSetting, string(b))
}
