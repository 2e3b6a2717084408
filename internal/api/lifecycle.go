package api

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Removing are the parameters of every deletion of a record. It is exported because huma reads exported embedded structs only.
type Removing struct {
	Soft bool   `query:"soft" doc:"put it into the trash, from where it can be restored, instead of removing it for good"`
	Wait string `query:"wait" enum:"scrubbed," doc:"scrubbed: answer once the store's own files are cleaned and searched for what was removed"`
}

// Resolve refuses a soft that says nothing: as it stands it would not be read, and the record would be gone for good.
func (Removing) Resolve(ctx huma.Context) []error {
	Patience{}.Resolve(ctx)
	u := ctx.URL()
	if v, there := u.Query()["soft"]; there && slices.Contains(v, "") {
		return []error{&huma.ErrorDetail{Location: "query.soft", Message: "is neither true nor false"}}
	}
	return nil
}

// deleted answers a deletion: what went, with the receipt, or what lies in the trash.
type deleted struct {
	lukasa.Removal
	ReceiptID lukasa.ID      `json:"receipt_id,omitempty" doc:"read it again at /v1/receipts/{id}"`
	Scrub     *engine.Scrub  `json:"scrub,omitempty"`
	Trash     *engine.Buried `json:"trash,omitempty" doc:"of a soft deletion: where it lies, and until when"`
}

func deletionOf(r engine.DeletionReceipt) deleted {
	if r.Removed.IDs == nil {
		r.Removed.IDs = []lukasa.ID{}
	}
	return deleted{Removal: r.Removed, ReceiptID: r.ID, Scrub: &r.Scrub}
}

// erase deletes a record, softly or for good.
func (d *door) erase(ctx context.Context, id lukasa.ID, in Removing) (*answer[deleted], error) {
	if in.Soft {
		if in.Wait != "" {
			return nil, d.fail(ctx, lukasa.Invalid("wait", "what is put into the trash is not scrubbed: leave out soft, or wait"))
		}
		b, err := d.e.Bury(ctx, scope(ctx), id)
		return reply(ctx, d, deleted{Removal: lukasa.Removal{IDs: []lukasa.ID{}}, Trash: &b}, err)
	}
	r, err := d.e.Delete(ctx, scope(ctx), id)
	if err == nil && in.Wait != "" {
		r, err = d.scrubbed(ctx, r)
	}
	return reply(ctx, d, deletionOf(r), err)
}

// eraseUser deletes a user, softly or for good.
func (d *door) eraseUser(ctx context.Context, id lukasa.ID, in Removing) (*answer[deleted], error) {
	if !in.Soft {
		return d.erase(ctx, id, in)
	}
	u, err := d.e.BuryUser(ctx, scope(ctx), id)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	return ok(deleted{Removal: lukasa.Removal{IDs: []lukasa.ID{}}, Trash: new(engine.BuriedUser(u))}), nil
}

// scrubbed waits for the scrub of a deletion, for as long as the request may take: the deletion itself is done.
func (d *door) scrubbed(ctx context.Context, r engine.DeletionReceipt) (engine.DeletionReceipt, error) {
	wait, cancel := context.WithTimeout(ctx, d.opt.Timeout*4/5)
	defer cancel()
	done, err := d.e.Scrubbed(wait, scope(ctx), r.ID)
	switch {
	case err == nil:
		return done, nil
	case errors.Is(err, context.DeadlineExceeded), lukasa.CodeOf(err) == lukasa.CodeUnavailable, // it is done in the background
		lukasa.CodeOf(err) == lukasa.CodeNotFound: // the key deleted all that it sees
		return r, nil
	}
	return r, err
}

// eraser registers the deletion of one kind of record.
func (d *door) eraser(kind lukasa.Prefix, path, op, summary, tag string) {
	add(d, "DELETE", path, op, summary, tag, func(ctx context.Context, in *struct {
		ByID
		Removing
	},
	) (*answer[deleted], error) {
		id, err := lukasa.ParseID(kind, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return d.erase(ctx, id, in.Removing)
	})
}

func (d *door) lifecycle() {
	const tag = "deletion"
	d.eraser(lukasa.PrefixConversation, "/v1/conversations/{id}", "delete-conversation", "Remove a conversation with all its messages and recall files", tag)
	d.eraser(lukasa.PrefixMessage, "/v1/messages/{id}", "delete-message", "Remove a message for good; its recall file is made anew without it", tag)
	add(d, "GET", "/v1/trash", "list-trash", "What lies in the trash, newest first", tag, func(ctx context.Context, in *struct{ Paging }) (*answer[lukasa.Listing[engine.Buried]], error) {
		l, err := d.e.Trash(ctx, scope(ctx), in.page())
		return reply(ctx, d, l, err)
	})
	add(d, "POST", "/v1/trash/{id}/restore", "restore-from-trash", "Take a record out of the trash, with what went along", tag, func(ctx context.Context, in *ByID) (*answer[restored], error) {
		err := AnyID("id", in.ID)
		if err == nil {
			err = d.e.Unbury(ctx, scope(ctx), lukasa.ID(in.ID))
		}
		return reply(ctx, d, restored{ID: lukasa.ID(in.ID), Restored: true}, err)
	})
	add(d, "DELETE", "/v1/trash/{id}", "purge-from-trash", "Remove a record in the trash for good", tag, func(ctx context.Context, in *ByID) (*answer[deleted], error) {
		if err := AnyID("id", in.ID); err != nil {
			return nil, d.fail(ctx, err)
		}
		rs, err := d.e.EmptyTrash(ctx, scope(ctx), lukasa.ID(in.ID))
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return ok(deletionOf(rs[0])), nil
	})
	add(d, "DELETE", "/v1/trash", "empty-trash", "Remove everything in the trash for good", tag, func(ctx context.Context, _ *struct{ Patience }) (*answer[lukasa.Listing[engine.DeletionReceipt]], error) {
		rs, err := d.e.EmptyTrash(ctx, scope(ctx), "")
		return reply(ctx, d, whole(rs), err)
	})
	add(d, "GET", "/v1/receipts", "list-receipts", "What was removed for good, newest first", tag, func(ctx context.Context, in *struct{ Paging }) (*answer[lukasa.Listing[engine.DeletionReceipt]], error) {
		l, err := d.e.DeletionReceipts(ctx, scope(ctx), in.page())
		return reply(ctx, d, l, err)
	})
	add(d, "GET", "/v1/receipts/{id}", "get-receipt", "What a deletion took away, and whether the store's own files still hold any of it", tag, func(ctx context.Context, in *struct {
		ByID
		Wait string `query:"wait" enum:"scrubbed,"`
	},
	) (*answer[engine.DeletionReceipt], error) {
		id, err := lukasa.ParseID(engine.PrefixReceipt, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		r, err := d.e.DeletionReceipt(ctx, scope(ctx), id)
		if err == nil && in.Wait != "" {
			r, err = d.scrubbed(ctx, r)
		}
		return reply(ctx, d, r, err)
	})
	add(d, "GET", "/v1/audit", "audit", "Security-relevant acts, newest first: your own, or for admins anyone's", "accounts", func(ctx context.Context, in *struct {
		Paging
		Action string `query:"action" doc:"key.create, key.revoke, user.delete, document.delete, auth.failed, …"`
		User   string `query:"user_id" doc:"admins only: of this user"`
		All    bool   `query:"all" doc:"admins only: of everyone"`
	},
	) (*answer[lukasa.Listing[engine.Act]], error) {
		if err := MaybeID("user_id", in.User); err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.AuditLog(ctx, scope(ctx), lukasa.ID(in.User), in.All, in.Action, in.page())
		return reply(ctx, d, l, err)
	})
	d.upkeep()
	d.files()
}

type restored struct {
	ID       lukasa.ID `json:"id"`
	Restored bool      `json:"restored"`
}

type userPatch struct {
	Settings map[string]any `json:"settings" doc:"merged; null removes a name. limits {files, storage, sessions, requests} and retention_days mean something here"`
}

// WorkBody says what a rebuild or rederivation is about. It is exported because huma reads exported embedded structs only.
type WorkBody struct {
	Containers texts  `json:"containers,omitempty"`
	Document   string `json:"document_id,omitempty" doc:"only this one"`
	Cursor     string `json:"cursor,omitempty" doc:"next_cursor of the answer before: a long work is done in stretches of about ten seconds"`
}

func (b WorkBody) work() (engine.Work, error) {
	in, err := Places(b.Containers, false)
	w := engine.Work{Containers: in, Document: lukasa.ID(b.Document), Cursor: b.Cursor}
	if err == nil && b.Document != "" {
		_, err = ID("document_id", lukasa.PrefixDocument, b.Document)
	}
	return w, err
}

// upkeep registers what admins and owners do from time to time.
func (d *door) upkeep() {
	user := func(ctx context.Context, id string, fn func(lukasa.ID) (lukasa.User, error)) (*answer[lukasa.User], error) {
		uid, err := lukasa.ParseID(lukasa.PrefixUser, id)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		u, err := fn(uid)
		return reply(ctx, d, u, err)
	}
	add(d, "PATCH", "/v1/users/{id}", "patch-user", "Change a user's settings, limits and retention among them", "accounts", func(ctx context.Context, in *struct {
		ByID
		Body userPatch
	},
	) (*answer[lukasa.User], error) {
		return user(ctx, in.ID, func(id lukasa.ID) (lukasa.User, error) {
			return d.e.ChangeUser(ctx, scope(ctx), id, in.Body.Settings)
		})
	})
	add(d, "POST", "/v1/users/{id}/restore", "restore-user", "Take a user out of the trash", "accounts", func(ctx context.Context, in *ByID) (*answer[lukasa.User], error) {
		return user(ctx, in.ID, func(id lukasa.ID) (lukasa.User, error) { return d.e.UnburyUser(ctx, scope(ctx), id) })
	})
	add(d, "GET", "/v1/usage", "usage", "What you have, and may have", "accounts", func(ctx context.Context, in *struct {
		User string `query:"user_id" doc:"admins only: of this user"`
	},
	) (*answer[engine.Usage], error) {
		if err := MaybeID("user_id", in.User); err != nil {
			return nil, d.fail(ctx, err)
		}
		u, err := d.e.Usage(ctx, scope(ctx), lukasa.ID(in.User))
		return reply(ctx, d, u, err)
	})
	add(d, "POST", "/v1/rebuild", "rebuild", "Make again what is derived: summaries, embeddings, graph or index", "system", func(ctx context.Context, in *struct {
		Body struct {
			What string `json:"what" enum:"summaries,embeddings,graph,index"`
			WorkBody
		}
	},
	) (*answer[engine.Rebuilt], error) {
		w, err := in.Body.work()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		out, err := d.e.Rebuild(ctx, scope(ctx), in.Body.What, w)
		return reply(ctx, d, out, err)
	})
	add(d, "POST", "/v1/rederive", "rederive", "Read what is kept again by today's rules or model, and show or apply what that changes in memories", "system", func(ctx context.Context, in *struct {
		Patience

		Body struct {
			Apply bool `json:"apply,omitempty" doc:"false: only say what would change"`
			Model bool `json:"model,omitempty" doc:"read by the configured model, and compare with what models drew, instead of the rules"`
			WorkBody
		}
	},
	) (*answer[engine.Rederived], error) {
		w, err := in.Body.work()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		w.Model = in.Body.Model
		out, err := d.e.Rederive(ctx, scope(ctx), in.Body.Apply, w)
		return reply(ctx, d, out, err)
	})
}

// holdTime is how long a reader of a sleeping file is held before it is told to come back.
const holdTime = 2 * time.Second
