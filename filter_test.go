package lukasa_test

import (
	"math"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// sample is an entry of which every field has a value.
func sample() *lukasa.Entry {
	return &lukasa.Entry{
		ID: "mem_1", Type: lukasa.EntryMemory, Kind: lukasa.KindFact, Subject: "Ann", Slot: "lives_in", Document: "doc_1", Conversation: "conv_1", Session: "s1",
		Speaker: "Ann", Role: "user", ContentType: "text/plain", Status: lukasa.StatusDone, Origin: lukasa.OriginUser, Confidence: 0.5, Latest: true,
		Tags: []string{"red", "blue"}, Metadata: map[string]any{"lang": "go", "stars": 3.0, "ok": true, "list": []any{"x", 2.0}, "nil": nil},
		OccurredAt: time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC), CreatedAt: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC),
	}
}

func TestEntryValuesOfNoField(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"", "confidence", "metadata", "metadata.", "metadata.gone", "Kind"} {
		if v := lukasa.EntryValues(sample(), field); v != nil {
			t.Errorf("%q: %v", field, v)
		}
	}
	if v := lukasa.EntryValues(&lukasa.Entry{}, "kind"); v != nil {
		t.Errorf("an entry without a kind has %v", v)
	}
}

func TestFilterByRecord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ids  []string
		want bool
	}{
		{[]string{"mem_1"}, true}, {[]string{"doc_1"}, true}, {[]string{"doc_0", "doc_1", "doc_2"}, true}, {[]string{"doc_0", "mem_2"}, false}, {[]string{""}, false}, {nil, false},
	} {
		f := &lukasa.Filter{Field: "record", Text: c.ids}
		if got := f.Match(sample()); got != c.want {
			t.Errorf("%v: %v", c.ids, got)
		}
		if e := (&lukasa.Entry{ID: "chk_1"}); f.Match(e) {
			t.Errorf("%v matches an entry without a document", c.ids)
		}
	}
}

func TestScalarString(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   any
		want string
	}{
		{"3", "3"}, {3.0, "3"}, {3, "3"}, {0.1, "0.1"}, {true, "true"}, {nil, "null"}, {"", ""}, {math.NaN(), ""}, {"a\"b", "a\"b"},
	} {
		if got := lukasa.ScalarString(c.in); got != c.want {
			t.Errorf("%v: got %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-05-01", "2026-05-01T10:00:00Z", "2026-05-01T10:00:00.123456789+02:00", "2026-05-01T10:00", "2026-05-01 10:00:00", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := lukasa.ParseTime(s)
		if err != nil {
			if lukasa.CodeOf(err) != lukasa.CodeInvalid || !at.IsZero() {
				t.Fatalf("%q: %v, %v", s, at, err)
			}
			return
		}
		if at.Location() != time.UTC {
			t.Fatalf("%q is in %s", s, at.Location())
		}
		if y := at.Year(); y >= 0 && y <= 9999 {
			if again, err := lukasa.ParseTime(at.Format(time.RFC3339Nano)); err != nil || !again.Equal(at) {
				t.Fatalf("%q became %v, then %v, %v", s, at, again, err)
			}
		}
	})
}

func TestParseTimeIsUTCUnlessItSaysOtherwise(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for _, s := range []string{
		"2026-05-01T10:00:00Z", "2026-05-01T10:00:00", "2026-05-01T10:00", "2026-05-01 10:00:00", "2026-05-01T12:00:00+02:00",
		"2026-05-01T12:00:00+0200", "2026-05-01T12:00:00+02", "2026-05-01T10:00Z", "2026-05-01T15:45+05:45", "2026-05-01 12:00:00+02:00",
	} {
		if got, err := lukasa.ParseTime(s); err != nil || !got.Equal(want) {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
	if got, err := lukasa.ParseTime("2026-05-01"); err != nil || !got.Equal(want.Add(-10*time.Hour)) {
		t.Errorf("a date alone: got %v, %v", got, err)
	}
	for _, s := range []string{"", "2026-13-01", "2026-02-30", "01.05.2026", "2026-05-01T25:00:00Z", "now", "0000-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"} {
		if got, err := lukasa.ParseTime(s); lukasa.CodeOf(err) != lukasa.CodeInvalid || !got.IsZero() {
			t.Errorf("%q: got %v, %v", s, got, err)
		}
	}
}
