package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
)

// A write whose time ran out while it was being committed is uncertain, and not one that did not happen.
func TestUncertainIsNoTimeout(t *testing.T) {
	t.Parallel()
	if err := fault(fmt.Errorf("%w: %w", pg.ErrUnknown, context.DeadlineExceeded)); lukasa.CodeOf(err) != lukasa.CodeUnavailable {
		t.Error(err)
	}
	if err := fault(context.DeadlineExceeded); lukasa.CodeOf(err) != lukasa.CodeTimeout {
		t.Error(err)
	}
}
