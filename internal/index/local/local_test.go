package local_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(_ testing.TB, feed index.Feed, dir string) index.Index {
		return local.New(feed, local.Options{Space: "test", Dim: indextest.Dim, Dir: dir, Save: 1})
	})
}

// The same with shards that seal and leave the pool after a few entries, so that short histories meet every layout.
func TestSuiteTinyShards(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(_ testing.TB, feed index.Feed, dir string) index.Index {
		return local.New(feed, local.Options{Space: "test", Dir: dir, Tiny: 8, Seal: 4, Save: 1})
	})
}
