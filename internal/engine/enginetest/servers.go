package enginetest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

func named(tb testing.TB, server string) string {
	tb.Helper()
	variable := "LUKASA_TEST_" + strings.ToUpper(server)
	address := os.Getenv(variable)
	if address == "" {
		tb.Skipf("needs %s: set %s or run make servers", server, variable)
	}
	return address
}

func fresh() string { return "t_" + strings.ToLower(rand.Text()[:12]) }

// Postgres has a configuration keep its rows in PostgreSQL, in a schema that is dropped when the test ends. Without a server the
// test is skipped.
func Postgres(tb testing.TB, c *config.Config) {
	tb.Helper()
	c.StoreProvider, c.StoreURL, c.StoreSchema, c.StoreConns = "postgres", named(tb, "postgres"), fresh(), 4
	c.MasterKey = strings.Repeat("0123456789abcdef", 4)
	mine := *c
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := engine.Discard(ctx, mine); err != nil {
			tb.Errorf("drop schema %s: %v", mine.StoreSchema, err)
		}
	})
}

// Redis has a configuration keep its cache in Redis, under a prefix of the test's own. Without a server the test is skipped.
func Redis(tb testing.TB, c *config.Config) {
	tb.Helper()
	c.CacheProvider, c.CacheURL, c.CachePrefix = "redis", named(tb, "redis"), fresh()+":"
}

// S3 has a configuration keep its files in S3, under a prefix of the test's own. Without a server the test is skipped.
func S3(tb testing.TB, c *config.Config) {
	tb.Helper()
	u, err := url.Parse(named(tb, "s3"))
	if err != nil {
		tb.Fatal(err)
	}
	c.BlobProvider, c.BlobURL, c.BlobBucket, c.BlobPrefix = "s3", u.Scheme+"://"+u.Host, strings.Trim(u.Path, "/"), fresh()
	c.BlobAccessKey = u.User.Username()
	c.BlobSecretKey, _ = u.User.Password()
}
