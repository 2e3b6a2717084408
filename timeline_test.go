package lukasa_test

import (
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa"
)

func TestTimelineNarrow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words []string
		types []lukasa.EntryType
		kinds int
	}{
		{nil, nil, 0},
		{[]string{"message", "document"}, []lukasa.EntryType{lukasa.EntryDocument, lukasa.EntryMessage}, 0},
		{[]string{"event"}, []lukasa.EntryType{lukasa.EntryMemory}, 1},
		{[]string{"message", "defining"}, []lukasa.EntryType{lukasa.EntryMemory, lukasa.EntryMessage}, 4},
		{[]string{"event", "memory"}, []lukasa.EntryType{lukasa.EntryMemory}, 0},
	} {
		var f lukasa.TimelineFilter
		if err := f.Narrow(c.words); err != nil || !slices.Equal(f.Types, c.types) || len(f.Kinds) != c.kinds {
			t.Errorf("%v: %+v, %v", c.words, f, err)
		}
	}
	if err := new(lukasa.TimelineFilter).Narrow([]string{"chunk"}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Error(err)
	}
}
