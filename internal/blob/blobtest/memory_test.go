package blobtest_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(*testing.T) blob.Driver { return blobtest.NewMemory() })
}
