package data

import (
	"slices"
	"strings"
)

// table is a table of a database, as its CREATE statement describes it.
type table struct {
	name    string
	root    uint32
	columns []column // in the order in which they are stored
	alias   int      // the column that stands for the row id, -1 if none does
	rowless bool     // WITHOUT ROWID: kept in an index
}

type column struct{ name, kind string }

// token is a word, a quoted name or a sign of SQL.
type token struct {
	text   string
	quoted bool
}

func (t token) is(words ...string) bool {
	return !t.quoted && slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, t.text) })
}

// maxSQL bounds a statement that is looked at.
const maxSQL = 256 << 10

// sqlTokens splits a statement; comments are left out.
func sqlTokens(s string) []token {
	s = s[:min(len(s), maxSQL)]
	var out []token
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c <= ' ':
			i++
		case strings.HasPrefix(s[i:], "--"):
			i += lineLength(s[i:])
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return out
			}
			i += end + 4
		case c == '"' || c == '`' || c == '\'' || c == '[':
			word, n := quotedName(s[i:])
			out = append(out, token{word, true})
			i += n
		case wordByte(c):
			start := i
			for i < len(s) && wordByte(s[i]) {
				i++
			}
			out = append(out, token{s[start:i], false})
		default:
			out = append(out, token{s[i : i+1], false})
			i++
		}
	}
	return out
}

func lineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quotedName reads "name", `name`, 'name' or [name], with doubled quotes inside.
func quotedName(s string) (string, int) {
	end := s[0]
	if end == '[' {
		end = ']'
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != end {
			b.WriteByte(s[i])
			continue
		}
		if end == ']' || i+1 >= len(s) || s[i+1] != end {
			return b.String(), i + 1
		}
		b.WriteByte(end)
		i++
	}
	return b.String(), len(s)
}

// readTable reads the columns of a CREATE TABLE statement. What it does not understand are columns without names.
func readTable(name, sql string, root uint32) table {
	t := table{name: name, root: root, alias: -1}
	tokens := sqlTokens(sql)
	open := slices.IndexFunc(tokens, func(t token) bool { return t.is("(") })
	if open < 0 {
		return t
	}
	definitions, rest := definitionsOf(tokens[open+1:])
	for i, r := range rest {
		if r.is("WITHOUT") && i+1 < len(rest) && rest[i+1].is("ROWID") {
			t.rowless = true
		}
	}
	var key []string
	for _, d := range definitions {
		if len(d) == 0 {
			continue
		}
		if d[0].is("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN") {
			if names := keyColumns(d); len(names) > 0 {
				key = names
			}
			continue
		}
		c, primary, virtual := readColumn(d)
		if virtual || len(t.columns) >= mostColumns {
			continue
		}
		if primary {
			key = []string{c.name}
		}
		t.columns = append(t.columns, c)
	}
	switch {
	case t.rowless:
		t.columns = keyFirst(t.columns, key)
	case len(key) == 1:
		i := slices.IndexFunc(t.columns, func(c column) bool { return strings.EqualFold(c.name, key[0]) })
		if i >= 0 && strings.EqualFold(t.columns[i].kind, "INTEGER") {
			t.alias = i
		}
	}
	return t
}

// definitionsOf splits what stands between the outer parentheses at its commas, and returns what follows.
func definitionsOf(tokens []token) (out [][]token, rest []token) {
	depth, start := 0, 0
	for i, t := range tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")") && depth == 0:
			return append(out, tokens[start:i]), tokens[i+1:]
		case t.is(")"):
			depth--
		case t.is(",") && depth == 0:
			out = append(out, tokens[start:i])
			start = i + 1
		}
	}
	return append(out, tokens[start:]), nil
}

// readColumn reads a column definition.
func readColumn(d []token) (c column, primary, virtual bool) {
	c.name = d[0].text
	var kind []string
	typed := true
	for i, t := range d[1:] {
		next := token{}
		if i+2 < len(d) {
			next = d[i+2]
		}
		switch {
		case t.is("PRIMARY") && next.is("KEY"):
			primary, typed = true, false
		case t.is("GENERATED") || t.is("AS") && next.is("("):
			virtual, typed = true, false
		case t.is("STORED") && virtual:
			virtual = false
		case t.is("CONSTRAINT", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES"):
			typed = false
		}
		if typed && len(kind) < 10 {
			kind = append(kind, t.text)
		}
	}
	c.kind = strings.NewReplacer(" ( ", "(", " )", ")", " , ", ",").Replace(strings.Join(kind, " "))
	return c, primary, virtual
}

// keyColumns are the columns of a PRIMARY KEY constraint.
func keyColumns(d []token) []string {
	i := slices.IndexFunc(d, func(t token) bool { return t.is("PRIMARY") })
	if i < 0 {
		return nil
	}
	open := slices.IndexFunc(d[i:], func(t token) bool { return t.is("(") })
	if open < 0 {
		return nil
	}
	parts, _ := definitionsOf(d[i+open+1:])
	var out []string
	for _, p := range parts {
		if len(p) > 0 {
			out = append(out, p[0].text)
		}
	}
	return out
}

// keyFirst orders columns as a table without row ids stores them: the key, then the rest.
func keyFirst(columns []column, key []string) []column {
	var out []column
	for _, k := range key {
		for _, c := range columns {
			if strings.EqualFold(c.name, k) && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	for _, c := range columns {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// words are the arguments of a CREATE VIRTUAL TABLE … USING fts5(a, b, option=c) that name columns.
func searchColumns(sql string) []string {
	tokens := sqlTokens(sql)
	open := slices.IndexFunc(tokens, func(t token) bool { return t.is("(") })
	if open < 0 {
		return nil
	}
	var out []string
	definitions, _ := definitionsOf(tokens[open+1:])
	for _, d := range definitions {
		if len(d) > 0 && !slices.ContainsFunc(d, func(t token) bool { return t.is("=") }) {
			out = append(out, d[0].text)
		}
	}
	return out
}
