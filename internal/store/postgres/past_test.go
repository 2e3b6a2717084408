package postgres

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

//go:generate go test -run ^TestPastIsSQLites$ -update-past .

var updatePast = flag.Bool("update-past", false, "write schema/past.sql")

const pastHead = `-- Code generated from SQLite's past.sql by go generate; DO NOT EDIT.
--
-- What a transaction for a view of a moment has before the tables on its search path: views that have their names, so that all statements
-- are the same. The moment is the setting lukasa.moment, in microseconds. Each view shows today's row where that has not changed since,
-- else what the first delta after the moment says it was. They are views of whoever asks (security_invoker), so the policies of the
-- tables hold. Deltas are read as json, not jsonb: that takes U+0000 in metadata.

DROP SCHEMA IF EXISTS {past} CASCADE;
CREATE SCHEMA {past};
REVOKE ALL ON SCHEMA {past} FROM PUBLIC;
GRANT USAGE ON SCHEMA {past} TO {app};

-- whole reads a number or a truth value, number a number, and micros a time.
CREATE FUNCTION {past}.whole(j json) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE json_typeof(j) WHEN 'number' THEN trunc((j #>> '{}')::numeric)::bigint WHEN 'boolean' THEN (j #>> '{}')::boolean::int::bigint END;

CREATE FUNCTION {past}.number(j json) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE json_typeof(j) WHEN 'number' THEN (j #>> '{}')::double precision END;

CREATE FUNCTION {past}.micros(t text) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (extract(epoch FROM (left(rtrim(t, 'Z'), 26) || 'Z')::timestamptz) * 1000000)::bigint;

CREATE FUNCTION {past}.list(j json) RETURNS TABLE (value json, key bigint) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT e.value, e.n - 1 FROM json_array_elements(CASE json_typeof(j) WHEN 'array' THEN j END) WITH ORDINALITY AS e(value, n);
END;

SET LOCAL search_path = {past}, {schema}, pg_temp;

`

const pastTail = `
SET LOCAL search_path = {schema}, pg_temp;
GRANT SELECT ON ALL TABLES IN SCHEMA {past} TO {app};
`

// pastRules turn SQLite's views into PostgreSQL's, one after the other. What a delta says of a record is JSON; columns differ by
// what is read from it: texts (with ” for none), numbers and truth values (with 0), times, and lists and objects, which stay JSON.
var pastRules = []struct{ from, to string }{
	{`(?s)^.*INSERT INTO moment VALUES \(0\);\n+`, ""}, // the head and the moment are other ones
	{`\(SELECT at FROM temp\.moment\)`, "current_setting('lukasa.moment')::bigint"},
	{`CREATE TEMP VIEW (\w+) AS`, "CREATE VIEW {past}.$1 WITH (security_invoker = true) AS"},
	{`main\.`, "{schema}."},
	{`unixepoch\(substr\((\w+) ->> '\$\.(\w+)', 1, 19\)\) \* 1000000\s+\+ CAST\(substr\(substr\(rtrim\(\w+ ->> '\$\.\w+', 'Z'\), 21\) \|\| '000000', 1, 6\) AS INTEGER\)`, "micros($1 #>> '{$2}')"},
	{`coalesce\(was ->> '\$\.confidence', 0\)`, "coalesce(number(was #> '{confidence}'), 0)"},
	{`coalesce\(was ->> '\$\.(\w+)', 0\)`, "coalesce(whole(was #> '{$1}'), 0)"},
	{`json_each\(y\.was, '\$\.sources'\) j`, "list(y.was #> '{sources}') j"},
	{`j\.value ->> '\$\.(start|end)'`, "whole(j.value #> '{$1}')"},
	{`lower\(was ->> '\$\.(\w+)'\)`, `lower((was #>> '{$1}') COLLATE "C")`},
	{`h\.(before|after) (->>?) '`, "h.$1::json $2 '"},
	{`SELECT h\.before FROM`, "SELECT h.before::json FROM"},
	{`f\.before AS was`, "f.before::json AS was"},
	{`->> '\$\.(\w+)\.(\w+)'`, "#>> '{$1,$2}'"},
	{`->> '\$\.(\w+)'`, "#>> '{$1}'"},
	{`-> '\$\.(\w+)'`, "#> '{$1}'"},
	{`NOT coalesce\(\(SELECT h\.op = 'create'`, "0 = coalesce((SELECT h.op = 'create'"}, // truth values are numbers in SQLite
	{`SELECT h\.op = 'create' FROM`, "SELECT (h.op = 'create')::int FROM"},
	{`CROSS JOIN (\S+ \w ON)`, "JOIN $1"}, // it names an order of looking things up
	{`NULL AS gone_at`, "NULL::bigint AS gone_at"},
}

func pastOf(sqlite string) string {
	for _, r := range pastRules {
		sqlite = regexp.MustCompile(r.from).ReplaceAllString(sqlite, r.to)
	}
	return pastHead + sqlite + pastTail
}

// The views of a moment are written once, for SQLite.
func TestPastIsSQLites(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../sqlite/past.sql")
	if err != nil {
		t.Fatal(err)
	}
	want := pastOf(string(b))
	if *updatePast {
		if err := os.WriteFile("schema/past.sql", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if pastSQL != want {
		t.Error("schema/past.sql is not what SQLite's past.sql makes: run go generate ./internal/store/postgres")
	}
	for _, left := range []string{"temp.", "main.", "$.", "unixepoch", "json_each", "TEMP VIEW"} {
		if _, rest, _ := strings.Cut(pastSQL, "CREATE VIEW"); strings.Contains(rest, left) {
			t.Errorf("schema/past.sql still says %s", left)
		}
	}
}
