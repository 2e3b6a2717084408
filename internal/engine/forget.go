package engine

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
)

// DeletionReceipt says what a deletion took away.
type DeletionReceipt = lifecycle.Deletion

// Scrub is the second half of a receipt.
type Scrub = lifecycle.Scrub

// Buried is a record in the trash.
type Buried = lifecycle.Buried

// Act is a line of the audit log.
type Act = lifecycle.Act

// PrefixReceipt leads the ids of receipts.
const PrefixReceipt = lifecycle.PrefixReceipt

// WithAddress notes where a request came from, for the audit log.
func WithAddress(ctx context.Context, address string) context.Context {
	return lifecycle.WithAddress(ctx, address)
}

// Delete removes a document, memory, message, conversation or node for good, or a user for an admin, and returns the receipt.
func (e *Engine) Delete(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (DeletionReceipt, error) {
	if sc.Owner == "" {
		return DeletionReceipt{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	defer e.nudge()
	if id.Prefix() != lukasa.PrefixUser {
		return e.life.Delete(ctx, sc, id)
	}
	if err := e.mayManage(ctx, sc, id); err != nil {
		return DeletionReceipt{}, err
	}
	return e.life.DeleteUser(ctx, sc, id, lifecycle.ByRequest)
}

// mayChange returns an error unless the scope is an admin's of the server who may write.
func (*Engine) mayChange(sc lukasa.Scope) error {
	if err := sc.CanAdmin(); err != nil {
		return err
	}
	return sc.CanWrite()
}

// mayManage returns an error unless the scope may delete, hide or change a user.
func (e *Engine) mayManage(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	if err := e.mayChange(sc); err != nil {
		return err
	}
	if id == sc.Principal {
		return &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "you cannot delete the user you are", Hint: "use another admin's key"}
	}
	if id.Prefix() == PrefixOrganisation {
		return lukasa.NotFound("user", id)
	}
	return e.auth.MayLeave(ctx, id)
}

// Scrubbed waits until the traces of a deletion are cleaned out of the store's own files, and these have been searched.
func (e *Engine) Scrubbed(ctx context.Context, sc lukasa.Scope, receipt lukasa.ID) (DeletionReceipt, error) {
	return e.life.Scrub(ctx, sc, receipt)
}

// DeletionReceipt returns one receipt.
func (e *Engine) DeletionReceipt(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (DeletionReceipt, error) {
	return e.life.Receipt(ctx, sc, id)
}

// DeletionReceipts lists the receipts of the caller's deletions, newest first.
func (e *Engine) DeletionReceipts(ctx context.Context, sc lukasa.Scope, p lukasa.Page) (lukasa.Listing[DeletionReceipt], error) {
	return e.life.Receipts(ctx, sc, p)
}

// Bury puts a document, memory or conversation into the trash.
func (e *Engine) Bury(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Buried, error) {
	return e.life.Bury(ctx, sc, id)
}

// Unbury takes a record out of the trash.
func (e *Engine) Unbury(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	defer e.nudge()
	return e.life.Unbury(ctx, sc, id)
}

// Trash lists what lies in the trash, newest first.
func (e *Engine) Trash(ctx context.Context, sc lukasa.Scope, p lukasa.Page) (lukasa.Listing[Buried], error) {
	return e.life.Trash(ctx, sc, p)
}

// EmptyTrash removes everything in the trash for good, or one record of it.
func (e *Engine) EmptyTrash(ctx context.Context, sc lukasa.Scope, id lukasa.ID) ([]DeletionReceipt, error) {
	defer e.nudge()
	if id == "" {
		return e.life.EmptyTrash(ctx, sc)
	}
	r, err := e.life.PurgeTrash(ctx, sc, id)
	return []DeletionReceipt{r}, err
}

// BuryUser refuses a user's keys and hides everything of theirs for as long as the trash is kept.
func (e *Engine) BuryUser(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.User, error) {
	if err := e.mayManage(ctx, sc, id); err != nil {
		return lukasa.User{}, err
	}
	return e.life.BuryUser(ctx, sc, id)
}

// BuriedUser says where a user in the trash is.
func BuriedUser(u lukasa.User) Buried { return lifecycle.BuriedUser(u) }

// UnburyUser takes a user out of the trash.
func (e *Engine) UnburyUser(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.User, error) {
	if err := e.mayManage(ctx, sc, id); err != nil {
		return lukasa.User{}, err
	}
	return e.life.UnburyUser(ctx, sc, id)
}

// ChangeUser merges settings into a user's: limits and retention_days mean something here, others are kept for the caller.
func (e *Engine) ChangeUser(ctx context.Context, sc lukasa.Scope, id lukasa.ID, settings map[string]any) (lukasa.User, error) {
	if err := e.mayChange(sc); err != nil {
		return lukasa.User{}, err
	}
	return e.life.ChangeUser(ctx, sc, id, settings)
}

// Usage is what a user has, and may have.
type Usage = lifecycle.UserUsage

// Usage returns what the caller has and may have, or any user for an admin.
func (e *Engine) Usage(ctx context.Context, sc lukasa.Scope, user lukasa.ID) (Usage, error) {
	if sc.Owner == "" {
		return Usage{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	if sc.Root != "" {
		return Usage{}, lukasa.Errorf(lukasa.CodeForbidden, "a key that is bound to a container cannot see what its owner has in all")
	}
	if user == "" || user == sc.Owner {
		return e.life.UsageOf(ctx, sc.Owner)
	}
	if err := sc.CanAdmin(); err != nil {
		return Usage{}, err
	}
	return e.life.UsageOf(ctx, user)
}

// AuditLog lists security-relevant acts, newest first: the caller's own, or for an admin those of a user or of all.
func (e *Engine) AuditLog(ctx context.Context, sc lukasa.Scope, user lukasa.ID, all bool, action string, p lukasa.Page) (lukasa.Listing[Act], error) {
	if err := e.auth.Oversees(ctx, sc); err != nil {
		return lukasa.Listing[Act]{Items: []Act{}}, err
	}
	return e.life.Acts(ctx, sc, user, all, action, p)
}

// chore is something that is done from time to time. It returns how much there was to do.
type chore struct {
	what string
	do   func(context.Context) (int, error)
}

// tend does what time asks for.
func (e *Engine) tend(ctx context.Context, chores ...chore) {
	for _, c := range chores {
		if n, err := c.do(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn(c.what, "err", err)
		} else if n > 0 {
			e.log.Info(c.what, "number", n)
		}
	}
}

// Tend does now what the background does from time to time: the trash, the files, what deletions left.
func (e *Engine) Tend(ctx context.Context) error {
	for _, do := range []func(context.Context) (int, error){e.rest, e.life.AgeTrash, e.life.Cool, e.life.Retain} {
		if _, err := do(ctx); err != nil {
			return err
		}
	}
	return e.life.Listen(ctx)
}

// evict forgets every cached answer and says how many there were. What the write path has heard goes too.
func (e *Engine) evict(ctx context.Context) int {
	e.ingest.Unhear()
	if all, ok := e.cache.(cache.Emptier); ok {
		n, err := all.Empty(ctx)
		if err != nil {
			e.log.Warn("empty the cache; what it holds ends with its time", "err", err)
		}
		return n
	}
	return 0
}
