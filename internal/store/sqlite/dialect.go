package sqlite

import (
	"strconv"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

// dialect is what SQLite says in its own way.
var dialect = &sqlstore.Dialect{
	Moment: "(SELECT at FROM temp.moment)",
	SourcesThen: `SELECT s.memory_id, s.document_id, s.message_id, s.start_at, s.end_at, s.quote, s.n FROM json_each(?5) q
 CROSS JOIN memories_then y ON y.owner_id = ?1 AND y.id = q.value CROSS JOIN main.memory_sources s ON s.owner_id = ?1 AND s.memory_id = q.value WHERE y.was IS NULL
UNION ALL SELECT y.id, j.value ->> '$.document_id', j.value ->> '$.message_id', j.value ->> '$.start', j.value ->> '$.end', j.value ->> '$.quote', j.key
FROM json_each(?5) q CROSS JOIN memories_then y ON y.owner_id = ?1 AND y.id = q.value CROSS JOIN json_each(y.was, '$.sources') j ORDER BY 1, 7`,
	RowsOf:    rowsOf,
	MakeSpace: makeSpace,
	Fault:     driverFault,
	Vector:    sqlrows.Vector,
}

// rowsOf looks each id up; a plain IN would let the planner read the whole table.
func rowsOf(table, column string) string {
	sql := table + ".rowid IN (SELECT x.rowid FROM json_each(?5) j CROSS JOIN " + table + " x ON x.owner_id = ?1 AND x." + column + " = j.value"
	if table == "conversations" && column == "document_id" {
		sql += " AND x.document_id <> ''" // the index holds no others
	}
	return sql + ")"
}

func makeSpace(s store.Statements, n int) error {
	_, err := s.Run("CREATE TABLE IF NOT EXISTS embeddings_" + strconv.Itoa(n) + ` (
 owner_id TEXT NOT NULL, entry_id TEXT NOT NULL, node_id TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (owner_id, entry_id))`)
	return err
}

func columns(s store.Statements, table string) (names []string, err error) {
	err = s.Query(func(r store.Row) { names = append(names, r.Text(0)) }, "SELECT name FROM pragma_table_info(?5) ORDER BY cid", table)
	return names, err
}
