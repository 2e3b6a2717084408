package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// Forgotten are the stretches of one document or message, as begin and end in bytes, whose memories were deleted by hand. Nothing
// is drawn from them again. They hold places, and nothing of what stood there; once their source is deleted for good, nobody needs
// them, and [Tombstones].DropForgotten takes them away; those of [OfMemory] once the owner is gone.
type Forgotten [][2]int

// OfMemory is what stands for a memory that was deleted by hand itself among what is [Forgotten], so that no import brings it back.
func OfMemory(owner, memory lukasa.ID) lukasa.Source {
	return lukasa.Source{Document: owner + "/" + memory, End: 1}
}

// Tombstones are all that is [Forgotten], of all owners.
type Tombstones interface {
	// DropForgotten removes those of sources that are there no more, and returns how many.
	DropForgotten(ctx context.Context) (int64, error)
}

const maxForgotten = 1000

func forgottenSetting(source lukasa.ID) string { return "forgotten." + string(source) }

// Covers reports whether a piece of evidence lies in a stretch, or meets one.
func (f Forgotten) Covers(s lukasa.Source) bool {
	return slices.ContainsFunc(f, func(x [2]int) bool { return x[0] < s.End && s.Start < x[1] })
}

// ForgottenOf reads the stretches of a document or message.
func ForgottenOf(ctx context.Context, st Settings, source lukasa.ID) (Forgotten, error) {
	s, err := st.Setting(ctx, forgottenSetting(source))
	if err != nil || s == "" {
		return nil, err
	}
	var f Forgotten
	if err := json.Unmarshal([]byte(s), &f); err != nil {
		return nil, fmt.Errorf("read what is forgotten of %s: %w", source, err)
	}
	return f, nil
}

// Forget notes the evidence of a memory that was deleted by hand. Two calls for one source at a time may lose one of both.
func Forget(ctx context.Context, st Settings, sources []lukasa.Source) error {
	for _, s := range sources {
		id := SourceOf(s)
		if id == "" || s.End <= s.Start {
			continue
		}
		f, err := ForgottenOf(ctx, st, id)
		if err != nil {
			return err
		}
		span := [2]int{s.Start, s.End}
		if slices.Contains(f, span) {
			continue
		}
		f = append(f, span)
		b, err := json.Marshal(f[max(0, len(f)-maxForgotten):])
		if err != nil {
			return fmt.Errorf("note what is forgotten of %s: %w", id, err)
		}
		if err := st.SetSetting(ctx, forgottenSetting(id), string(b)); err != nil {
			return err
		}
	}
	return nil
}

// DropForgotten implements [Tombstones].
func (l Ledger) DropForgotten(ctx context.Context) (n int64, err error) {
	err = l.write(ctx, "", func(s Statements) (err error) {
		n, err = s.Run(`DELETE FROM settings WHERE name > ?5 AND name < ?6
 AND NOT EXISTS (SELECT 1 FROM owners o CROSS JOIN documents d WHERE d.owner_id = o.owner_id AND d.id = substr(settings.name, ?7))
 AND NOT EXISTS (SELECT 1 FROM owners o WHERE substr(settings.name, ?7, length(o.owner_id) + 1) = o.owner_id || '/')
 AND NOT EXISTS (SELECT 1 FROM owners o CROSS JOIN messages m WHERE m.owner_id = o.owner_id AND m.id = substr(settings.name, ?7))`,
			forgottenSetting(""), forgottenSetting("~"), len(forgottenSetting(""))+1)
		return err
	})
	return n, err
}

// SourceOf is the message of a piece of evidence, else its document.
func SourceOf(s lukasa.Source) lukasa.ID { return cmp.Or(s.Message, s.Document) }
