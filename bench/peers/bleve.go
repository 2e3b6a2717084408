package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/simple"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve_index_api"
)

// bleveText is bleve's index on disk with its BM25 model, without stored fields. Its English analyzer leaves out stop words and stems.
type bleveText struct {
	x   bleve.Index
	dir string
}

func (b *bleveText) name() string { return "bleve" }

func (b *bleveText) build(c *corpus, dir string) (err error) {
	m := bleve.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	body := bleve.NewTextFieldMapping()
	body.Analyzer = simple.Name
	if c.english {
		body.Analyzer = en.AnalyzerName
	}
	body.Store, body.IncludeInAll, body.DocValues, body.IncludeTermVectors = false, false, false, false
	who := bleve.NewTextFieldMapping()
	who.Analyzer, who.Store, who.IncludeInAll, who.DocValues, who.IncludeTermVectors = keyword.Name, false, false, false, false
	m.DefaultMapping.AddFieldMappingsAt("body", body)
	m.DefaultMapping.AddFieldMappingsAt("owner", who)
	b.dir = filepath.Join(dir, "bleve")
	if b.x, err = bleve.New(b.dir, m); err != nil {
		return err
	}
	batch := b.x.NewBatch()
	for i, it := range c.items {
		if err := batch.Index(strconv.Itoa(i), map[string]string{"body": it.text, "owner": fmt.Sprintf("o%d", it.owner)}); err != nil {
			return err
		}
		if batch.Size() == 5000 || i == len(c.items)-1 {
			if err := b.x.Batch(batch); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	return nil
}

func (b *bleveText) text(q *query, all bool, k int) ([]int, error) {
	words := bleve.NewMatchQuery(strings.Join(q.words, " "))
	words.SetField("body")
	r := bleve.NewSearchRequestOptions(words, k, 0, false)
	if !all {
		who := bleve.NewTermQuery(fmt.Sprintf("o%d", q.owner))
		who.SetField("owner")
		who.SetBoost(0)
		r = bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(who, words), k, 0, false)
	}
	res, err := b.x.Search(r)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(res.Hits))
	for i, h := range res.Hits {
		if out[i], err = strconv.Atoi(h.ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (b *bleveText) cpu() (time.Duration, bool) { return processTime(), true }

func (b *bleveText) bytes() (n int64) {
	_ = filepath.WalkDir(b.dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if i, err := d.Info(); err == nil {
				n += i.Size()
			}
		}
		return nil
	})
	return n
}

func (b *bleveText) close() error { return b.x.Close() }
