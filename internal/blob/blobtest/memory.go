package blobtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa/internal/blob"
)

// Memory is a [blob.Driver] in memory, for tests of what lies above a driver. It
// passes [Run], and it lets a test damage what it holds.
type Memory struct {
	mu    sync.Mutex
	blobs map[string]entry
}

type entry struct {
	data []byte
	at   time.Time
}

var _ blob.Driver = (*Memory)(nil)

// NewMemory returns an empty driver.
func NewMemory() *Memory { return &Memory{blobs: map[string]entry{}} }

// Bytes returns a copy of what is stored under key, nil when nothing is.
func (m *Memory) Bytes(key string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.blobs[key].data)
}

// Replace stores data under key, whatever was there: the damage that a driver never
// does itself.
func (m *Memory) Replace(key string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blobs[key] = entry{data: bytes.Clone(data), at: time.Unix(1, 0)}
}

// Put implements [blob.Driver].
func (m *Memory) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := m.check(ctx, key); err != nil {
		return fmt.Errorf("put blob: %w", err)
	}
	if m.has(key) {
		return fmt.Errorf("put blob %s: %w", key, blob.ErrExists)
	}
	var data bytes.Buffer
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		data.Write(buf[:n])
		if err == io.EOF { //nolint:errorlint // the end is io.EOF itself
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("put blob %s: %w", key, err)
		}
	}
	if size >= 0 && int64(data.Len()) != size {
		return fmt.Errorf("put blob %s: %d bytes, %d announced: %w", key, data.Len(), size, blob.ErrSize)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.blobs[key]; ok {
		return fmt.Errorf("put blob %s: %w", key, blob.ErrExists)
	}
	m.blobs[key] = entry{data: data.Bytes(), at: time.Unix(1, 0)}
	return nil
}

// Get implements [blob.Driver].
func (m *Memory) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	e, err := m.find(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("get blob: %w", err)
	}
	return io.NopCloser(bytes.NewReader(e.data)), nil
}

// Stat implements [blob.Driver].
func (m *Memory) Stat(ctx context.Context, key string) (blob.Info, error) {
	e, err := m.find(ctx, key)
	if err != nil {
		return blob.Info{}, fmt.Errorf("stat blob: %w", err)
	}
	return blob.Info{Key: key, Size: int64(len(e.data)), ModTime: e.at}, nil
}

// Delete implements [blob.Driver].
func (m *Memory) Delete(ctx context.Context, key string) error {
	if err := m.check(ctx, key); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blobs, key)
	return nil
}

// List implements [blob.Driver].
func (m *Memory) List(ctx context.Context, prefix string, yield func(blob.Info) bool) error {
	if err := blob.ValidatePrefix(prefix); err != nil {
		return fmt.Errorf("list blobs: %w", err)
	}
	m.mu.Lock()
	blobs := maps.Clone(m.blobs)
	m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(blobs)) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if e := blobs[key]; !yield(blob.Info{Key: key, Size: int64(len(e.data)), ModTime: e.at}) {
			return nil
		}
	}
	return ctx.Err()
}

func (m *Memory) find(ctx context.Context, key string) (entry, error) {
	if err := m.check(ctx, key); err != nil {
		return entry{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.blobs[key]
	if !ok {
		return entry{}, fmt.Errorf("%s: %w", key, blob.ErrNotFound)
	}
	return e, nil
}

func (m *Memory) has(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.blobs[key]
	return ok
}

func (m *Memory) check(ctx context.Context, key string) error {
	if err := blob.ValidateKey(key); err != nil {
		return err
	}
	return ctx.Err()
}
