package store

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// due lists owners and records from the rows of all owners.
func (l Ledger) due(ctx context.Context, query string, args ...any) ([]Expired, error) {
	return collect(ctx, l, "", func(r Row) Expired { return Expired{Owner: lukasa.ID(r.Text(0)), Record: lukasa.ID(r.Text(1))} }, query, args...)
}

// Expired implements [Upkeep]. Those whose time was up first come first.
func (l Ledger) Expired(ctx context.Context, now time.Time, limit int) ([]Expired, error) {
	return l.due(ctx, `SELECT owner_id, id, forget_after FROM documents WHERE forget_after IS NOT NULL AND forget_after <= ?5
UNION ALL SELECT owner_id, id, forget_after FROM memories WHERE forget_after IS NOT NULL AND forget_after <= ?5
UNION ALL SELECT owner_id, id, forget_after FROM conversations WHERE forget_after IS NOT NULL AND forget_after <= ?5
UNION ALL SELECT m.owner_id, m.id, m.forget_after FROM messages m JOIN documents d ON d.owner_id = m.owner_id AND d.id = m.document_id AND d.buried_at = 0
WHERE m.forget_after IS NOT NULL AND m.forget_after <= ?5 ORDER BY 3, 2 LIMIT ?6`, now, limit)
}

// Quiet implements [Upkeep]. Those that have been quiet for longest come first.
func (l Ledger) Quiet(ctx context.Context, since time.Time, tokens, limit int) ([]Expired, error) {
	return l.due(ctx, `SELECT owner_id, id, updated_at FROM conversations
WHERE document_id <> '' AND buried_at = 0 AND updated_at <= ?5 AND tokens >= ?6 ORDER BY 3, 2 LIMIT ?7`, since, tokens, limit)
}

// BuriedBefore implements [Upkeep]. Those that have lain there longest come first.
func (l Ledger) BuriedBefore(ctx context.Context, at time.Time, limit int) ([]Expired, error) {
	return l.due(ctx, `SELECT owner_id, id, buried_at FROM documents WHERE buried_at > 0 AND buried_at < ?5 AND buried_with = ''
UNION ALL SELECT owner_id, id, buried_at FROM memories WHERE buried_at > 0 AND buried_at < ?5 AND buried_with = ''
UNION ALL SELECT owner_id, id, buried_at FROM conversations WHERE buried_at > 0 AND buried_at < ?5 AND buried_with = '' ORDER BY 3, 2 LIMIT ?6`, at, max(limit, 0))
}
