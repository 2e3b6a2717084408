package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// Used yields the keys, as drivers know them, of the files that rows refer to, until yield returns false.
type Used func(ctx context.Context, yield func(key string) bool) error

// Faults says what is wrong with the files that are used, one line each. Those without a master key that opens them are left out.
func (v *Vault) Faults(ctx context.Context, used Used) (faults []string, err error) {
	var keys []string
	if err = used(ctx, func(k string) bool { keys = append(keys, k); return true }); err != nil {
		return nil, err
	}
	for _, k := range keys {
		how, err := v.Lost(ctx, k)
		if err != nil && !errors.Is(err, crypt.ErrMasterKey) {
			return faults, err
		}
		if how != "" {
			faults = append(faults, fmt.Sprintf("blob %s is %s: the bytes in it are lost; what searches find of them stands in rows, and is not", k, how))
		}
	}
	return faults, nil
}

// Orphans are the files that no row refers to.
type Orphans struct {
	Keys      []string       // as drivers know them, of owners that the store has or had: they can go
	Strangers map[string]int // how many there are of each owner whom the store never had, in Keys not: its rows may be lost, or elsewhere
}

// Fault says in a line what is wrong where there are files of strangers, and nothing where there are none.
func (o Orphans) Fault() string {
	files, one := 0, ""
	for owner, n := range o.Strangers {
		if files += n; one == "" || owner < one {
			one = owner
		}
	}
	if files == 0 {
		return ""
	}
	return fmt.Sprintf("%d files belong to owners who are not known here (%d, one is %s): the database was lost or replaced by another one, "+
		"or another store keeps its files in the same place; they are left alone", files, len(o.Strangers), one)
}

// Orphans looks for files that were last written before a time and that are not used. gone returns the owners whom the store had once; it is asked
// once at most.
func (v *Vault) Orphans(ctx context.Context, before time.Time, used Used, gone func(context.Context) (map[string]bool, error)) (o Orphans, err error) {
	var found []string
	err = v.driver.List(ctx, "", func(i Info) bool {
		if i.ModTime.Before(before) {
			found = append(found, i.Key)
		}
		return true
	})
	if err != nil || len(found) == 0 {
		return o, err
	}
	use := map[string]bool{}
	if err := used(ctx, func(k string) bool { use[k] = true; return true }); err != nil {
		return o, err
	}
	known := map[string]bool{}
	var were map[string]bool
	o.Strangers = map[string]int{}
	for _, k := range found {
		if use[k] {
			continue
		}
		owner, _, _ := strings.Cut(k, "/")
		is, asked := known[owner]
		if !asked {
			switch err := v.Check(ctx, owner); {
			case err == nil, errors.Is(err, crypt.ErrMasterKey):
				is = true
			case !errors.Is(err, ErrKeyDestroyed):
				return Orphans{}, err
			case were == nil:
				if were, err = gone(ctx); err != nil {
					return Orphans{}, err
				}
				fallthrough
			default:
				is = were[owner]
			}
			known[owner] = is
		}
		if is {
			o.Keys = append(o.Keys, k)
		} else {
			o.Strangers[owner]++
		}
	}
	return o, nil
}
