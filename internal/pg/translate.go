package pg

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Statement is a statement in PostgreSQL's words.
type Statement struct {
	SQL string
	// Params has for each parameter $1, $2 … the place of its argument in the caller's list, counted from 0. The server is
	// sent no others: it could not tell the type of a parameter that does not occur.
	Params []int
}

// ErrStatement says that a statement's text cannot be read.
var ErrStatement = errors.New("not a statement that can be translated")

// Translator turns statements that are written for SQLite into PostgreSQL's words. It does not know SQL: it goes through the
// tokens of a text and replaces a few forms, and leaves all else, literals and quoted names above all, as it is:
//
//	?5                            $k: parameters are numbered anew, in the order in which they first occur
//	json_each(X) j                a lateral query with j.key, a number from 0, and j.value, a text; X may be NULL, or JSON null
//	json_each(X, '$.a.b') j       the same for what stands there in X
//	x.y ->> '$.a.b'               (x.y)::jsonb #>> '{a,b}', and #> for ->
//	CROSS JOIN t a ON …           JOIN t a ON …; without ON it stays
//	INDEXED BY name, NOT INDEXED  nothing
//	COLLATE BINARY                COLLATE "C"
//	CAST(x AS INTEGER)            CAST(x AS BIGINT); REAL, TEXT and BLOB likewise
//	x'0a'                         '\x0a'::bytea
//	main.t, temp.t                the schemas that Schemas names
//
// It is safe for concurrent use.
type Translator struct {
	Schemas map[string]string // from schema names of SQLite to PostgreSQL's

	mu    sync.RWMutex
	known map[string]Statement
}

// maxTranslations bounds what a translator remembers. Texts are made of few parts; a program that makes them without end
// pays for each.
const maxTranslations = 4096

// Translate returns the translation of a text. A text that has no end to a literal, or a parameter without a number, is
// [ErrStatement].
func (t *Translator) Translate(sql string) (Statement, error) {
	t.mu.RLock()
	st, ok := t.known[sql]
	t.mu.RUnlock()
	if ok {
		return st, nil
	}
	tokens, err := tokenise(sql)
	if err != nil {
		return Statement{}, fmt.Errorf("%w: %w", ErrStatement, err)
	}
	r := rewriter{tokens: tokens, schemas: t.Schemas, numbers: make(map[int]int)}
	if err := r.run(0, len(tokens)); err != nil {
		return Statement{}, fmt.Errorf("%w: %w", ErrStatement, err)
	}
	st = Statement{SQL: r.out.String(), Params: r.params}
	t.mu.Lock()
	if t.known == nil || len(t.known) >= maxTranslations {
		t.known = make(map[string]Statement)
	}
	t.known[sql] = st
	t.mu.Unlock()
	return st, nil
}

// rewriter writes tokens out, with the forms replaced.
type rewriter struct {
	tokens  []token
	schemas map[string]string
	out     strings.Builder
	numbers map[int]int // from ?N to $k
	params  []int
}

// run writes the tokens from i up to end.
func (r *rewriter) run(i, end int) error {
	for i < end {
		next, err := r.step(i, end)
		if err != nil {
			return err
		}
		i = next
	}
	return nil
}

// step writes the token at i, or the form that begins there, and returns where it goes on.
func (r *rewriter) step(i, end int) (int, error) {
	switch k := r.tokens[i]; k.kind {
	case tokenParam:
		return i + 1, r.param(k.text)
	case tokenBlob:
		r.out.WriteString(`'\x` + k.text[2:len(k.text)-1] + `'::bytea`)
		return i + 1, nil
	case tokenWord:
		return r.word(i, end)
	}
	r.out.WriteString(r.tokens[i].text)
	return i + 1, nil
}

func (r *rewriter) param(text string) error {
	n, err := strconv.Atoi(text[1:])
	if err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("the parameter %q has no number from 1 to 65535", text)
	}
	k, ok := r.numbers[n]
	if !ok {
		r.params = append(r.params, n-1)
		k = len(r.params)
		r.numbers[n] = k
	}
	r.out.WriteString("$" + strconv.Itoa(k))
	return nil
}

func (r *rewriter) word(i, end int) (int, error) {
	switch {
	case r.words(i, end, "indexed", "by"):
		return r.after(r.after(r.after(i))), nil
	case r.words(i, end, "not", "indexed"):
		return r.after(r.after(i)), nil
	case r.words(i, end, "collate", "binary"):
		r.out.WriteString(`COLLATE "C"`)
		return r.after(i) + 1, nil
	case r.words(i, end, "cross", "join") && r.hasOn(r.after(r.after(i)), end):
		r.out.WriteString(r.tokens[r.after(i)].text)
		return r.after(i) + 1, nil
	case r.is(i, "cast") && r.is(r.after(i), "("):
		return r.cast(i, end)
	case r.is(i, "json_each") && r.is(r.after(i), "("):
		return r.each(i)
	}
	if r.before(i) != "." && r.is(i+1, ".") {
		if schema, ok := r.schemas[strings.ToLower(r.tokens[i].text)]; ok {
			r.out.WriteString(schema)
			return i + 1, nil
		}
	}
	if r.before(i) == "." {
		r.out.WriteString(r.tokens[i].text)
		return i + 1, nil
	}
	return r.name(i, end)
}

// name writes a dotted name, and what is read from it if it is JSON.
func (r *rewriter) name(i, end int) (int, error) {
	last := i
	for last+2 < end && r.is(last+1, ".") && r.tokens[last+2].kind == tokenWord {
		last += 2
	}
	var name strings.Builder
	for _, k := range r.tokens[i : last+1] {
		name.WriteString(k.text)
	}
	op := r.after(last)
	if op >= end || (r.tokens[op].text != "->>" && r.tokens[op].text != "->") {
		r.out.WriteString(name.String())
		return last + 1, nil
	}
	path := r.after(op)
	list, ok := "", false
	if path < end && r.tokens[path].kind == tokenText {
		list, ok = jsonPath(r.tokens[path].text)
	}
	if !ok {
		r.out.WriteString(name.String())
		return last + 1, nil
	}
	r.out.WriteString("((" + name.String() + ")::jsonb " + strings.Replace(r.tokens[op].text, "-", "#", 1) + " " + list + ")")
	return path + 1, nil
}

// jsonPath turns '$.a.b' into '{a,b}'.
func jsonPath(literal string) (string, bool) {
	path, ok := strings.CutPrefix(literal, "'$.")
	if !ok {
		return "", false
	}
	for _, c := range path[:len(path)-1] {
		if c != '.' && !wordRune(c) {
			return "", false
		}
	}
	return "'{" + strings.ReplaceAll(path[:len(path)-1], ".", ",") + "}'", true
}

// typeNames are those whose names mean something else in PostgreSQL, or nothing.
var typeNames = map[string]string{"integer": "BIGINT", "int": "BIGINT", "real": "DOUBLE PRECISION", "blob": "BYTEA"}

func (r *rewriter) cast(i, end int) (int, error) {
	open := r.after(i)
	last := r.closing(open)
	if last < 0 || last >= end {
		return 0, errors.New("a parenthesis is not closed")
	}
	kind := last - 1
	for r.tokens[kind].kind == tokenSpace {
		kind--
	}
	name, ok := typeNames[strings.ToLower(r.tokens[kind].text)]
	if !ok || r.beforeWord(kind) != "as" {
		kind = last
		name = ""
	}
	r.out.WriteString(r.tokens[i].text + "(")
	if err := r.run(open+1, kind); err != nil {
		return 0, err
	}
	r.out.WriteString(name + ")")
	return last + 1, nil
}

// each writes a json_each with its alias.
func (r *rewriter) each(i int) (int, error) {
	open := r.after(i)
	last := r.closing(open)
	if last < 0 {
		return 0, errors.New("a parenthesis is not closed")
	}
	comma := r.comma(open, last)
	left, right := "((", ")::text::jsonb)"
	if comma < last {
		at := r.after(comma)
		path, ok := "", false
		if r.tokens[at].kind == tokenText && r.after(at) == last {
			path, ok = jsonPath(r.tokens[at].text)
		}
		if !ok {
			return 0, errors.New("json_each takes a path such as '$.a.b'")
		}
		left, right = "(nullif(((", ")::text::json #> "+path+")::text, 'null')::jsonb)" // json: beside the list may stand what jsonb does not take
	}
	r.out.WriteString("LATERAL (SELECT e.n - 1 AS key, e.value FROM jsonb_array_elements_text" + left)
	if err := r.run(open+1, comma); err != nil {
		return 0, err
	}
	r.out.WriteString(right + " WITH ORDINALITY AS e(value, n))")
	if !r.alias(r.after(last)) {
		r.out.WriteString(" AS json_each")
	}
	return last + 1, nil
}
