package lukasa_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
)

func TestScopeRights(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scope        lukasa.Scope
		write, admin lukasa.Code
	}{
		"nobody":                   {lukasa.Scope{}, lukasa.CodeUnauthenticated, lukasa.CodeUnauthenticated},
		"a role without an owner":  {lukasa.Scope{Role: lukasa.RoleAdmin}, lukasa.CodeUnauthenticated, lukasa.CodeUnauthenticated},
		"a user":                   {lukasa.Scope{Owner: "usr_1", Role: lukasa.RoleUser}, "", lukasa.CodeForbidden},
		"no role":                  {lukasa.Scope{Owner: "usr_1"}, "", lukasa.CodeForbidden},
		"a reader":                 {lukasa.Scope{Owner: "usr_1", Role: lukasa.RoleUser, ReadOnly: true}, lukasa.CodeForbidden, lukasa.CodeForbidden},
		"an admin":                 {lukasa.Scope{Owner: "usr_1", Role: lukasa.RoleAdmin}, "", ""},
		"an admin bound to a node": {lukasa.Scope{Owner: "usr_1", Role: lukasa.RoleAdmin, Root: "work"}, "", lukasa.CodeForbidden},
	} {
		if got := lukasa.CodeOf(c.scope.CanWrite()); got != c.write {
			t.Errorf("%s may write: %q, want %q", name, got, c.write)
		}
		if got := lukasa.CodeOf(c.scope.CanAdmin()); got != c.admin {
			t.Errorf("%s may administer: %q, want %q", name, got, c.admin)
		}
	}
}

func TestScopeSeesItsSubtreeAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := lukasa.Scope{Owner: "usr_1", Root: aPath.Draw(t, "root")}
		p := aPath.Draw(t, "path")
		if got := s.Sees(p); got != s.Root.Covers(p) {
			t.Fatalf("bound to %s, sees %s: %v", s.Root, p, got)
		}
		if s.Sees("") {
			t.Fatalf("bound to %s, sees the root", s.Root)
		}
		if (lukasa.Scope{Root: s.Root}).Sees(p) || (lukasa.Scope{}).Sees(p) {
			t.Fatalf("without an owner, sees %s", p)
		}
		if !(lukasa.Scope{Owner: "usr_1"}).Sees(p) {
			t.Fatalf("bound to nothing, does not see %s", p)
		}
	})
}
