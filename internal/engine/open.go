package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/disk"
	"github.com/lukasa-memory/lukasa/internal/blob/s3"
	"github.com/lukasa-memory/lukasa/internal/cache"
	cachememory "github.com/lukasa-memory/lukasa/internal/cache/memory"
	cacheredis "github.com/lukasa-memory/lukasa/internal/cache/redis"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/pubsub"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The files of a data directory.
const (
	rowsFile   = "lukasa.db"
	masterFile = "master.key"
	blobDir    = "blobs"
	indexDir   = "index"
)

// openOptions are what a configuration cannot hold.
type openOptions struct {
	Now   func() time.Time
	Log   *slog.Logger
	Embed func(embed.Embedder) embed.Embedder // decorates the configured embedder; nil: nothing does
}

// drivers are open. What could not be opened is nil.
type drivers struct {
	Store  store.Store
	Blobs  blob.Driver
	Cache  cache.Cache
	Relay  pubsub.Relay // nil: there are no other nodes, or they find out by looking
	Embed  embed.Embedder
	Index  index.Index
	Master crypt.Key
}

// openDrivers opens what the configuration names. After an error, what is open has to be closed.
func openDrivers(ctx context.Context, c config.Config, o openOptions) (s drivers, err error) {
	if s.Master, err = loadMaster(c); err != nil {
		return s, err
	}
	if s.Store, err = OpenStore(ctx, c, s.Master, o.Now); err != nil {
		return s, err
	}
	if err = ended(ctx, s.Store); err != nil {
		return s, err
	}
	if s.Blobs, err = openBlobs(ctx, c, o); err != nil {
		return s, err
	}
	if s.Cache, err = openCache(ctx, c, o); err != nil {
		return s, err
	}
	s.Relay = relayOf(s.Cache, s.Store)
	if s.Embed, err = openEmbedder(c); err != nil {
		return s, err
	}
	if e, ok := s.Embed.(*embed.CachingEmbedder); ok && c.CacheProvider == "redis" {
		e.Share(s.Cache, keepVectors)
	}
	if o.Embed != nil {
		s.Embed = o.Embed(s.Embed)
	}
	space, err := embed.Probe(ctx, s.Embed)
	if err != nil {
		o.Log.Warn("the embedder does not answer; search goes by keyword until it does", "provider", c.EmbedProvider, "err", err)
		space = s.Embed.Space()
	}
	if s.Index, err = openIndex(ctx, c, s, space, o.Log); err != nil {
		return s, err
	}
	return s, nil
}

// loadMaster reads the master key, and makes one for a data directory that is new. One that has rows had a key: another would open nothing
// that is sealed there, and what is sealed under it meanwhile would be lost when the first one is put back.
func loadMaster(c config.Config) (crypt.Key, error) {
	path := filepath.Join(c.Data, masterFile)
	if rows := there(filepath.Join(c.Data, rowsFile)); rows && c.MasterKey == "" && !there(path) { // in this order: a first start makes the key first
		return crypt.Key{}, &lukasa.Error{
			Code: lukasa.CodeStorage, Msg: path + " is missing: the files in this data directory are sealed with it",
			Hint: "put it back from where you keep a copy of it, or set LUKASA_MASTER_KEY. Where it is lost for good, `openssl rand -hex 32 >" + path + " && chmod 600 " + path +
				"` makes another one: what stands in rows is found and read again, what is sealed stays closed",
		}
	}
	key, _, err := crypt.LoadMaster(c.MasterKey, path, rand.Reader)
	if errors.Is(err, fs.ErrPermission) {
		err = &lukasa.Error{
			Code: lukasa.CodeStorage, Msg: "the master key cannot be used", Err: err,
			Hint: "run as the user whom the data directory belongs to, whose key has mode 0600, or set LUKASA_MASTER_KEY",
		}
	}
	return key, err
}

// relayOf chooses what carries messages between nodes: Redis where the cache is there, else PostgreSQL.
func relayOf(c cache.Cache, s store.Store) pubsub.Relay {
	if r, ok := c.(pubsub.Relay); ok {
		return r
	}
	if r, ok := s.(pubsub.Relay); ok {
		return r
	}
	return nil
}

// openBlobs opens the medium of large files. One that is away does not keep the house from opening.
func openBlobs(ctx context.Context, c config.Config, o openOptions) (blob.Driver, error) {
	switch c.BlobProvider {
	case "", "disk":
		return disk.Open(filepath.Join(c.Data, blobDir), o.Now())
	case "s3":
		return s3.Open(ctx, s3.Options{
			URL: c.BlobURL, Bucket: c.BlobBucket, Prefix: c.BlobPrefix, Region: c.BlobRegion,
			AccessKey: c.BlobAccessKey, SecretKey: c.BlobSecretKey, Now: o.Now, Log: o.Log,
		})
	}
	return nil, lukasa.Invalid("blob.provider", "%q is not one of disk, s3", c.BlobProvider)
}

// openMedium opens the medium that [migrating.medium] has named.
func (g *migrating) openMedium(ctx context.Context, name string) (blob.Driver, error) {
	if dir, ok := strings.CutPrefix(name, "disk:"); ok {
		return disk.Open(dir, g.o.Now())
	}
	return openBlobs(ctx, g.c, g.o)
}

// keepVectors is how long a shared cache keeps a vector that was bought.
const keepVectors = 24 * time.Hour

// openCache opens the cache. A server that is away does not keep the house from opening.
func openCache(ctx context.Context, c config.Config, o openOptions) (cache.Cache, error) {
	switch c.CacheProvider {
	case "", "memory":
		answers, err := cachememory.New(cachememory.Options{MaxBytes: uint64(c.CacheBytes), Now: o.Now})
		return answers, err
	case "redis":
		r, err := cacheredis.New(ctx, cacheredis.Options{URL: c.CacheURL, Prefix: c.CachePrefix, Log: o.Log})
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	return nil, lukasa.Invalid("cache.provider", "%q is not one of memory, redis", c.CacheProvider)
}
