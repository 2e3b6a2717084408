package exports

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Lines hands a text file to take, line by line, counted from 1. What goes wrong, or what take returns, ends it and is reported.
func (r *Reading) Lines(f File, take func(n int, s string) error) {
	if r.Over() {
		return
	}
	in, err := f.Open()
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	defer in.Close()
	for ls := newLines(in); !r.Over(); {
		s, err := ls.next()
		if err == nil {
			err = take(ls.N, s)
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			r.Fail(f.Name+":"+strconv.Itoa(ls.N+1), err)
			return
		}
	}
}

// Rows reads a CSV with a header; names of columns are in lower case. A row that cannot be read is reported.
func (r *Reading) Rows(f File, each func(where string, row map[string]string)) {
	in, err := f.Open()
	if err != nil {
		r.Fail(f.Name, err)
		return
	}
	defer in.Close()
	m := NewMeter(UTF8Reader(in), r.Source.Limits.File)
	c := csv.NewReader(m)
	c.FieldsPerRecord, c.LazyQuotes, c.ReuseRecord = -1, true, true
	head, err := c.Read()
	if err != nil {
		r.Fail(f.Name, fmt.Errorf("read the names of the columns: %w", err))
		return
	}
	names := make([]string, len(head))
	for i, h := range head {
		names[i] = strings.ToLower(strings.TrimSpace(h))
	}
	for !r.Over() {
		m.Reset()
		rec, err := c.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		line, _ := c.FieldPos(0)
		where := f.Name + ":" + strconv.Itoa(line)
		if _, ok := errors.AsType[*csv.ParseError](err); ok {
			r.Fail(where, err)
			continue
		} else if err != nil {
			r.Fail(f.Name, err)
			return
		}
		row := make(map[string]string, len(names))
		for i, v := range rec {
			if i < len(names) {
				row[names[i]] = strings.TrimSpace(v)
			}
		}
		each(where, row)
	}
}

// JSONText reads a JSON value that should be a text; what is none comes as JSON.
func JSONText(raw json.RawMessage) string {
	var s Scalar
	if json.Unmarshal(raw, &s) == nil && s != "" {
		return string(s)
	}
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return ""
	}
	return string(raw)
}

// TextsLike returns the text files whose beginning passes a test.
func (s *Source) TextsLike(test func(head string) bool) []File {
	files := s.Has(".txt")
	if s.Single && len(files) == 0 {
		files = s.Files
	}
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool { return !test(s.Head(f, 16<<10)) })
}
