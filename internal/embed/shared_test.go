package embed_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
)

// shelf is a memory that two embedders share.
type shelf struct {
	mu   sync.Mutex
	data map[string][]byte
	ttl  time.Duration
	gets int
}

func (s *shelf) Get(_ context.Context, key string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gets++
	v, ok := s.data[key]
	return v, ok
}

func (s *shelf) Set(_ context.Context, key string, value []byte, ttl time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[key], s.ttl = value, ttl
}

// counted counts the texts that reach the model.
type counted struct {
	*fake
	texts int
}

func (c *counted) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.texts += len(texts)
	return c.fake.Embed(ctx, texts)
}

// TestShared: what one node has bought another need not buy, documents and queries apart. M-7.
func TestShared(t *testing.T) {
	t.Parallel()
	common := &shelf{data: map[string][]byte{}}
	a, b := &counted{fake: &fake{}}, &counted{fake: &fake{}}
	first, second := embed.Cached(a, 10), embed.Cached(b, 10)
	first.Share(common, time.Hour)
	second.Share(common, time.Hour)
	texts := []string{"a", "b", "a", "c"}
	for _, e := range []*embed.CachingEmbedder{first, second, second} {
		out, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(embedtest.Vectors(texts, 4), out); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		out[0][0] = 99 // callers own what they get
	}
	if a.texts != 3 || b.texts != 0 {
		t.Errorf("the first model saw %d texts and the second %d, want 3 and 0", a.texts, b.texts)
	}
	if len(common.data) != 3 || common.ttl != time.Hour {
		t.Errorf("%d vectors are shared for %v", len(common.data), common.ttl)
	}
	asked := common.gets
	if _, err := second.Embed(t.Context(), texts); err != nil || common.gets != asked {
		t.Errorf("what is remembered here is asked for there (%v)", err)
	}
	if _, err := first.EmbedQuery(t.Context(), "a"); err != nil || len(common.data) != 4 {
		t.Errorf("%d vectors after a query (%v), want 4: a query is no document", len(common.data), err)
	}
	asked = common.gets
	if v, err := second.EmbedQuery(t.Context(), "a"); err != nil || len(v) != 4 || common.gets != asked+1 {
		t.Errorf("the query's vector is %v, %v", v, err)
	}
	if _, err := second.Embed(t.Context(), []string{"d", "a"}); err != nil || b.texts != 1 {
		t.Errorf("the second model saw %d texts, want the new one only (%v)", b.texts, err)
	}
}

// TestSharedRubbish: what is no vector of the space is not taken for one.
func TestSharedRubbish(t *testing.T) {
	t.Parallel()
	for _, rubbish := range [][]byte{{}, {1, 2, 3}, make([]byte, 12), make([]byte, 20), append(make([]byte, 12), 0, 0, 0xc0, 0x7f), append(make([]byte, 12), 0, 0, 0x80, 0xff)} {
		common := &shelf{data: map[string][]byte{}}
		e := embed.Cached(&fake{}, 10)
		e.Share(common, time.Hour)
		if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
		for key := range common.data {
			common.data[key] = rubbish
		}
		other := embed.Cached(&fake{}, 10)
		other.Share(common, time.Hour)
		out, err := other.Embed(t.Context(), []string{"a"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(embedtest.Vectors([]string{"a"}, 4), out); diff != "" {
			t.Errorf("% x is taken for a vector:\n%s", rubbish, diff)
		}
	}
}
