package exports_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/exports"
)

// items reads an export whose kind is the function.
func items(t *testing.T, o exports.Options, read func(*exports.Reading)) (out []exports.Item, errs []error) {
	t.Helper()
	src, err := exports.FromFile("a", strings.NewReader(""), 0, exports.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	set := exports.Set{{Name: "k", Looks: func(*exports.Source) bool { return true }, Read: read}}
	for it, err := range set.Read(t.Context(), "k", src, o) {
		if err != nil {
			errs = append(errs, err)
		} else {
			out = append(out, it)
		}
	}
	return out, errs
}

func TestLongConversation(t *testing.T) {
	t.Parallel()
	got, errs := items(t, exports.Options{Container: "c"}, func(r *exports.Reading) {
		talk := r.Talk("f", r.ID("1"), "A  title")
		for i := range 1201 {
			talk.Add(exports.Line{ID: strconv.Itoa(i), Role: exports.RoleUser, Content: "m"})
		}
		talk.Add(exports.Line{Content: " \u200e "})
		talk.Flush()
		talk.Flush()
	})
	if len(got) != 3 || len(got[0].Append.Messages) != 500 || len(got[2].Append.Messages) != 201 {
		t.Fatalf("%d items", len(got))
	}
	for i, it := range got {
		a := it.Append
		if a.Conversation != "k:1" || it.Title != "A title" || !a.Replace || it.Key == "" || (a.Messages[0].Metadata["conversation_title"] == "A title") != (i == 0) {
			t.Errorf("item %d: %q %q %v", i, a.Conversation, it.Title, a.Messages[0].Metadata)
		}
	}
	if len(errs) != 1 || errs[0].Error() != "left out: empty messages: 1" {
		t.Errorf("errors %v", errs)
	}
}

func TestLongText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		body := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-zä€]{1,30}`), 1, 40).Draw(rt, "lines"), "\n")
		most := rapid.IntRange(1, 200).Draw(rt, "most")
		got, _ := items(t, exports.Options{MaxText: most}, func(r *exports.Reading) {
			talk := r.Talk("f", r.ID("1"), "")
			talk.Add(exports.Line{ID: "m", Role: exports.RoleUser, Content: body, Meta: exports.Meta{}.Str("k", "v")})
			talk.Flush()
			r.Note("f", exports.Note{ID: r.ID("n"), Body: body})
		})
		var whole strings.Builder
		ids := map[string]bool{}
		for _, m := range got[0].Append.Messages {
			whole.WriteString(m.Content)
			if utf8.RuneCountInString(m.Content) > most || ids[m.ExternalID] {
				rt.Fatalf("message %q of %d characters", m.ExternalID, utf8.RuneCountInString(m.Content))
			}
			ids[m.ExternalID] = true
		}
		if whole.String() != body {
			rt.Fatalf("%q became %q", body, whole.String())
		}
		d := got[1].Document
		if long := utf8.RuneCountInString(body) > most; long != (d.Content == "") || long && string(d.Data) != body {
			rt.Fatalf("document with %d characters: content %d, data %d", utf8.RuneCountInString(body), len(d.Content), len(d.Data))
		}
	})
}

// TestIDsAreStable: the ids of messages that have none do not change when a later export has more, before or behind them.
func TestIDsAreStable(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 5, 10, 0, 0, 0, time.UTC)
	rapid.Check(t, func(rt *rapid.T) {
		gen := rapid.SliceOf(rapid.SampledFrom([]string{"ok", "yes", "no"}))
		old, more := gen.Draw(rt, "old"), gen.Draw(rt, "more")
		read := func(lines []string) (ids []string) {
			got, _ := items(t, exports.Options{}, func(r *exports.Reading) {
				talk := r.Talk("f", r.ID("1"), "")
				for _, s := range lines {
					talk.Add(exports.Line{Role: exports.RoleUser, Speaker: "A", Content: s, At: at})
				}
				talk.Flush()
			})
			for _, it := range got {
				for _, m := range it.Append.Messages {
					ids = append(ids, m.ExternalID)
				}
			}
			return ids
		}
		a, b := read(old), read(append(slices.Clip(old), more...))
		seen := map[string]bool{}
		for i, id := range b {
			if i < len(a) && a[i] != id || seen[id] {
				rt.Fatalf("id %d: %s, before %v", i, id, a)
			}
			seen[id] = true
		}
	})
}

func TestSelf(t *testing.T) {
	t.Parallel()
	got, _ := items(t, exports.Options{Self: "kim owner", Zone: time.FixedZone("", 3600)}, func(r *exports.Reading) {
		talk := r.Talk("f", r.ID(strings.Repeat("long", 100)), "")
		talk.Add(exports.Line{Role: exports.RoleUser, Speaker: "Kim Owner", Content: "x", At: time.Date(2024, 1, 5, 23, 30, 0, 0, time.UTC)})
		talk.Add(exports.Line{Role: exports.RoleUser, Speaker: strings.Repeat("n", 300), Content: "y"})
		talk.Flush()
	})
	a := got[0].Append
	if a.Messages[0].Speaker != "" || a.Messages[0].Session != "2024-01-06" || len(a.Conversation) > 255 || len(a.Messages[1].Speaker) > 255 || a.Messages[1].Time != nil {
		t.Errorf("%+v", a)
	}
}

func TestNote(t *testing.T) {
	t.Parallel()
	tags := []string{"#a", "a", " ", strings.Repeat("x", 101)}
	for i := range 120 {
		tags = append(tags, strconv.Itoa(i))
	}
	got, errs := items(t, exports.Options{}, func(r *exports.Reading) {
		r.Note("f", exports.Note{ID: r.ID("1"), Title: strings.Repeat("t", 600), Body: "x", Tags: tags, Links: []string{"b", "", "b"}})
		r.Note("f", exports.Note{ID: r.ID("1"), Body: "- [ ] **milk**\nbread"})
		r.Note("f", exports.Note{ID: r.ID("2"), Body: " \n "})
		r.Memory("f", r.ID("3"), "x", nil, time.Time{}, nil)
	})
	if len(got) != 3 || len(errs) != 1 {
		t.Fatalf("%d items, %v", len(got), errs)
	}
	d := got[0].Document
	more, _ := d.Metadata["more_tags"].([]any)
	if len(d.Tags) != 100 || d.Tags[0] != "a" || len(more) != 22 || len([]rune(d.Title)) != 500 || d.Metadata["full_title"] == nil || len(got[0].Links) != 1 {
		t.Errorf("%d tags and %d more, %v", len(d.Tags), len(more), got[0].Links)
	}
	if e := got[1].Document; e.CustomID != "k:1#2" || e.Title != "milk" {
		t.Errorf("second: %q %q", e.CustomID, e.Title)
	}
	if m := got[2].Memory; m == nil || m.Metadata["export_id"] != "k:3" {
		t.Errorf("memory: %+v", m)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 7200)
	for in, want := range map[string]string{
		"1709290800.25": "2024-03-01T11:00:00.25Z", "1709290800250": "2024-03-01T11:00:00.25Z", "1709290800250000": "2024-03-01T11:00:00.25Z",
		"2024-03-01T11:00:00Z": "2024-03-01T11:00:00Z", "2024-03-01 11:00:00+01:00": "2024-03-01T11:00:00+01:00", "2024-03-01 11:00": "2024-03-01T11:00:00+02:00",
		"20240301T110000Z": "2024-03-01T11:00:00Z", "March 1, 2024 3:04 PM": "2024-03-01T15:04:00+02:00", "0": "", "": "", "soon": "", "2024": "", "1e300": "", "-5000000000": "", "NaN": "",
		"Infinity": "", "+Inf": "",
	} {
		got := ""
		if v := exports.ParseTime(in, zone); !v.IsZero() {
			got = v.Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("ParseTime(%q) = %q, want %q", in, got, want)
		}
	}
}
