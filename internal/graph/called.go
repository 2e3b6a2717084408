package graph

import (
	"context"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Called returns whom a filter asks for, at a moment: in the place of a name or an alias the ids of the entities that have it, as the
// scope may know them. A name that no entity has stays as it is: memories may hold it all the same. Errors name the field.
func (p *Path) Called(ctx context.Context, sc lukasa.Scope, field string, names []string, at time.Time) (out []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		out = nil
		for _, name := range names {
			ids, err := called(r, sc, field, name)
			if err != nil {
				return err
			}
			out = append(out, ids...)
		}
		return nil
	})
	return out, err
}

func called(r store.Reader, sc lukasa.Scope, field, name string) ([]string, error) {
	var list []lukasa.Entity
	var err error
	switch {
	case len(name) > maxNodeName:
		return nil, lukasa.Invalid(field, "is over %d bytes", maxNodeName)
	case Fold(name) == "":
		return nil, lukasa.Invalid(field, "is empty")
	case lukasa.ID(name).Prefix() == lukasa.PrefixEntity:
		if _, err := lukasa.ParseID(lukasa.PrefixEntity, name); err != nil {
			return nil, lukasa.Invalid(field, "%.80q is not a well-formed id", name)
		}
		if list, err = entities(r, sc, []lukasa.ID{lukasa.ID(name)}); err == nil && len(list) == 0 {
			return []string{""}, nil // nobody, and no name
		}
	default:
		if list, err = exactly(r, sc, name); err == nil && len(list) == 0 {
			return []string{name}, nil
		}
	}
	var ids []string
	for _, e := range list {
		ids = append(ids, string(e.ID))
	}
	return ids, err
}

// exactly returns the entities that the scope knows under a name.
func exactly(r store.Reader, sc lukasa.Scope, name string) ([]lukasa.Entity, error) {
	list, err := r.EntitiesNamed([]string{name})
	if err == nil {
		list, err = Seen(r, sc, list)
	}
	return slices.DeleteFunc(list, func(e lukasa.Entity) bool {
		return !slices.ContainsFunc(append([]string{e.Name}, e.Aliases...), func(n string) bool { return Fold(n) == Fold(name) })
	}), err
}

// Resolve puts the ids of entities in the place of the names that a filter asks for; see [Path.Called].
func (p *Path) Resolve(ctx context.Context, sc lukasa.Scope, f *lukasa.Filter, at *time.Time) (*lukasa.Filter, error) {
	if f == nil {
		return nil, nil
	}
	out := *f
	var err error
	if f.Field == "entity" {
		var then time.Time
		if at != nil {
			then = *at
		}
		if out.Text, err = p.Called(ctx, sc, "filters.entity", f.Text, then); err != nil {
			return nil, err
		}
	}
	for _, list := range []*[]lukasa.Filter{&out.And, &out.Or} {
		*list = slices.Clone(*list)
		for i := range *list {
			sub, err := p.Resolve(ctx, sc, &(*list)[i], at)
			if err != nil {
				return nil, err
			}
			(*list)[i] = *sub
		}
	}
	out.Not, err = p.Resolve(ctx, sc, f.Not, at)
	return &out, err
}
