package pg

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const each = "LATERAL (SELECT e.n - 1 AS key, e.value FROM jsonb_array_elements_text"

func TestTranslate(t *testing.T) {
	t.Parallel()
	schemas := map[string]string{"main": "lukasa", "temp": "lukasa_past"}
	for _, c := range []struct {
		name, from, to string
		params         []int
	}{
		{"parameters are numbered anew", "SELECT ?5, ?1, ?5 WHERE a = ?12", "SELECT $1, $2, $1 WHERE a = $3", []int{4, 0, 11}},
		{"nothing in literals and names", `SELECT '?1 it''s CROSS JOIN', "?2 INDEXED BY" -- ?3` + "\n/* ?4 */, ?9", `SELECT '?1 it''s CROSS JOIN', "?2 INDEXED BY" -- ?3` + "\n/* ?4 */, $1", []int{8}},
		{
			"json_each with an alias", "SELECT j.key FROM json_each(?5) j CROSS JOIN t a ON a.id = j.value",
			"SELECT j.key FROM " + each + "(($1)::text::jsonb) WITH ORDINALITY AS e(value, n)) j JOIN t a ON a.id = j.value",
			[]int{4},
		},
		{
			"json_each without one", "x IN (SELECT value FROM json_each(?2)) AND y",
			"x IN (SELECT value FROM " + each + "(($1)::text::jsonb) WITH ORDINALITY AS e(value, n)) AS json_each) AND y",
			[]int{1},
		},
		{
			"json_each with AS, of an expression", "FROM json_each(coalesce(a.tags, '[(]')) AS j WHERE TRUE",
			"FROM " + each + "((coalesce(a.tags, '[(]'))::text::jsonb) WITH ORDINALITY AS e(value, n)) AS j WHERE TRUE", nil,
		},
		{
			"json_each with a path", "FROM y, json_each(y.was, '$.a.b') j",
			"FROM y, " + each + "(nullif(((y.was)::text::json #> '{a,b}')::text, 'null')::jsonb) WITH ORDINALITY AS e(value, n)) j", nil,
		},
		{"cross join without a condition", "FROM a CROSS JOIN b x, c ON", "FROM a CROSS JOIN b x, c ON", nil},
		{"cross join with a later condition", "FROM a CROSS JOIN b JOIN c ON c.x = a.x", "FROM a CROSS JOIN b JOIN c ON c.x = a.x", nil},
		{"cross join of a query", "FROM a cross  join (SELECT 1 FROM x JOIN y ON 1) z ON z.a = a.a", "FROM a join (SELECT 1 FROM x JOIN y ON 1) z ON z.a = a.a", nil},
		{"cross join at the end", "(SELECT 1 FROM a CROSS JOIN b) ON", "(SELECT 1 FROM a CROSS JOIN b) ON", nil},
		{"indexed by", "FROM documents INDEXED BY documents_x WHERE a", "FROM documents WHERE a", nil},
		{"collate binary", "WHERE lower(d.tags COLLATE BINARY) = ?1", `WHERE lower(d.tags COLLATE "C") = $1`, []int{0}},
		{"not indexed", "FROM documents d NOT INDEXED WHERE NOT a", "FROM documents d WHERE NOT a", nil},
		{"json paths", "a ->> '$.x.y', t.a -> '$.x', a ->> 'x', f(a) ->> 'x'", "((a)::jsonb #>> '{x,y}'), ((t.a)::jsonb #> '{x}'), a ->> 'x', f(a) ->> 'x'", nil},
		{"casts", "CAST(a + (?3) AS INTEGER), cast(b AS REAL ), CAST(x AS TEXT)", "CAST(a + ($1) AS BIGINT), cast(b AS DOUBLE PRECISION), CAST(x AS TEXT)", []int{2}},
		{"blobs", "SELECT x'0aFF', X''", `SELECT '\x0aFF'::bytea, '\x'::bytea`, nil},
		{"schemas", "SELECT at FROM temp.moment, main.t, x.main.t, maintenance.t", "SELECT at FROM lukasa_past.moment, lukasa.t, x.main.t, maintenance.t", nil},
		{"numbers", "1.5e-3+2e+5-0x1F", "1.5e-3+2e+5-0x1F", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := Translator{Schemas: schemas}
			for range 2 { // and from memory
				got, err := tr.Translate(c.from)
				if err != nil {
					t.Fatal(err)
				}
				if got.SQL != c.to {
					t.Errorf("%s\nbecame    %s\nshould be %s", c.from, got.SQL, c.to)
				}
				if !slices.Equal(got.Params, c.params) {
					t.Errorf("parameters %v, want %v", got.Params, c.params)
				}
			}
		})
	}
}

func TestTranslateRefuses(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"SELECT 'a", `SELECT "a`, "SELECT ?", "SELECT ?0", "SELECT ?99999999", "/* x", "FROM json_each(?1", "FROM json_each(a, b) j", "CAST(a AS INTEGER", "x'00"} {
		if got, err := new(Translator).Translate(sql); !errors.Is(err, ErrStatement) {
			t.Errorf("%s became %q, %v", sql, got.SQL, err)
		}
	}
}

func FuzzTranslate(f *testing.F) {
	for _, s := range []string{"SELECT ?5 FROM json_each(?1) j CROSS JOIN t ON 1", "CAST(json_each(a,'$.b') AS INT)", "a.b ->> '$.c'", "main.", "cast()", "x''", "CROSS JOIN (", "1e-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		got, err := (&Translator{Schemas: map[string]string{"main": "m"}}).Translate(sql)
		if err != nil {
			return
		}
		if n := strings.Count(got.SQL, "$"+"1"); len(got.Params) > 0 && n == 0 {
			t.Errorf("%q lost its parameter: %q", sql, got.SQL)
		}
		tokens, err := tokenise(sql)
		if err != nil {
			t.Fatalf("%q was translated and cannot be read: %v", sql, err)
		}
		var again strings.Builder
		for _, k := range tokens {
			if k.text == "" {
				t.Fatalf("%q has an empty token", sql)
			}
			again.WriteString(k.text)
		}
		if again.String() != sql {
			t.Errorf("%q came back as %q", sql, again.String())
		}
	})
}
