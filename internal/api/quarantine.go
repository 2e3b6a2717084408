package api

import (
	"context"

	"github.com/lukasa-memory/lukasa"
)

func (d *door) release(ctx context.Context, in *struct{ ByID }) (*answer[lukasa.Memory], error) {
	id, err := lukasa.ParseID(lukasa.PrefixMemory, in.ID)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	m, err := d.e.Release(ctx, scope(ctx), id)
	return reply(ctx, d, m, err)
}
