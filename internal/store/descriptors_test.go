package store_test

import (
	"errors"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// D-2: a tag that not every database can keep is refused on all of them, by its name.
func TestTagsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"a\x00b", "\xff"} {
		err := store.CheckTags([]string{"fine", tag})
		if e, ok := errors.AsType[*lukasa.Error](err); !ok || e.Code != lukasa.CodeInvalid || e.Field != "tags" {
			t.Errorf("%q: %v", tag, err)
		}
	}
	if err := store.CheckTags([]string{"fine", "größer"}); err != nil {
		t.Error(err)
	}
}
