package main

import (
	"context"
	"encoding/binary"
	"runtime"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
	"github.com/lukasa-memory/lukasa/internal/rank"
)

// own is lukasa's index, each owner of the corpus a node. Its rows are in memory; the vectors of the last comparison come from there.
type own struct {
	x     *local.Index
	nodes []lukasa.ID
	feed  *indextest.MemFeed
	opt   local.Options
	took  time.Duration
}

const owner = lukasa.ID("usr_00000000000000000000000001")

func mint(p lukasa.Prefix, n int) lukasa.ID {
	var b [10]byte
	binary.BigEndian.PutUint32(b[6:], uint32(n))
	return lukasa.MakeID(p, time.UnixMilli(1_700_000_000_000), b)
}

func (o *own) name() string { return "lukasa" }

func (o *own) build(c *corpus, dir string) error {
	for i := range c.owners {
		o.nodes = append(o.nodes, mint(lukasa.PrefixNode, i))
	}
	o.feed = indextest.NewMemFeed()
	for i, it := range c.items {
		o.feed.Put(lukasa.Entry{
			ID: mint(lukasa.PrefixChunk, i), Type: lukasa.EntryChunk, Owner: owner, Node: o.nodes[it.owner], Document: mint(lukasa.PrefixDocument, i),
			Seq: int64(i), Text: it.text, Latest: true, Confidence: 1, ContentType: "note", Vector: it.vector, CreatedAt: time.Unix(1_700_000_000, 0).UTC(),
		})
	}
	o.opt = local.Options{Space: "bench", Dim: c.dim, Dir: dir}
	before := processTime()
	err := o.open(&c.queries[0])
	o.took = processTime() - before
	settle()
	return err
}

// settle waits until the process does nothing, as what is large gets cells in the background once it is searched.
func settle() {
	const look = 200 * time.Millisecond
	for before := processTime(); ; before = processTime() {
		if time.Sleep(look); processTime()-before < look/20 {
			return
		}
	}
}

// built is the CPU time from the rows to the first answer.
func (o *own) built() time.Duration { return o.took }

// open makes an index that follows the feed, from a file where there is one, and asks it something of all nodes.
func (o *own) open(q *query) error {
	o.x = local.New(o.feed, o.opt)
	if _, err := o.x.Sync(context.Background()); err != nil {
		return err
	}
	_, err := o.hybrid(q, true)
	return err
}

// reopen closes the index, which writes its file, and returns the CPU time from there to the first answer.
func (o *own) reopen(c *corpus) (time.Duration, error) {
	if err := o.x.Close(); err != nil {
		return 0, err
	}
	runtime.GC()
	before := processTime()
	err := o.open(&c.queries[0])
	took := processTime() - before
	settle()
	return took, err
}

func (o *own) search(r index.Request) ([]lukasa.Candidate, error) {
	r.Owner = owner
	a, err := o.x.Search(context.Background(), r)
	return a.Candidates, err
}

func (o *own) request(q *query, all bool, k int) index.Request {
	r := index.Request{Nodes: o.nodes, K: k}
	if !all {
		r.Nodes = []lukasa.ID{o.nodes[q.owner]}
	}
	return r
}

func (o *own) vector(q *query, all bool, k int) ([]int, error) {
	r := o.request(q, all, k)
	r.Vector = q.vector
	found, err := o.search(r)
	return numbers(rank.ByVector(found), k), err
}

func (o *own) text(q *query, all bool, k int) ([]int, error) {
	r := o.request(q, all, k)
	r.Text = strings.Join(q.words, " ")
	found, err := o.search(r)
	return numbers(rank.ByText(found), k), err
}

func (o *own) hybrid(q *query, all bool) ([]int, error) {
	r := o.request(q, all, side)
	r.Text, r.Vector = strings.Join(q.words, " "), q.vector
	found, err := o.search(r)
	return numbers(rank.ByReciprocalRank(found, side), 10), err
}

// numbers are the items behind the best k; the corpus makes them, by their order, the sequence numbers of the entries.
func numbers(list []rank.Scored, k int) []int {
	out := make([]int, 0, k)
	for _, s := range list[:min(k, len(list))] {
		out = append(out, int(s.Seq))
	}
	return out
}

func (o *own) cpu() (time.Duration, bool) { return processTime(), true }
func (o *own) bytes() int64               { return o.x.Stats().Bytes }
func (o *own) close() error               { return o.x.Close() }
