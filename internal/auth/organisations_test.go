package auth_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/auth"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// leaving is an organisation of one owner: whoever is added is out again before anybody looks.
type leaving struct {
	members
	put []store.Member
}

type members = store.Members

func (l *leaving) PutMember(_ context.Context, m store.Member) error {
	l.put = append(l.put, m)
	return nil
}

func (l *leaving) Member(_ context.Context, org, user lukasa.ID) (store.Member, error) {
	if user == "usr_ada" {
		return store.Member{Org: org, User: user, Role: store.MemberOwner}, nil
	}
	return store.Member{}, lukasa.NotFound("member", user)
}

// anyone has an account under each id.
type anyone struct{ store.Accounts }

func (anyone) User(_ context.Context, id lukasa.ID) (lukasa.User, error) {
	return lukasa.User{ID: id}, nil
}

// TestAddedAndOutAgain: who was added was added, whatever somebody else has done since. It was told, and so it is no error.
func TestAddedAndOutAgain(t *testing.T) {
	t.Parallel()
	l, noted, told := &leaving{}, 0, 0
	a := auth.New(auth.Deps{Members: l, Accounts: anyone{}, Mint: lukasa.Minter{Now: time.Now, Rand: rand.Reader}}, auth.Options{})
	sc := lukasa.Scope{Owner: "usr_ada", Principal: "usr_ada", Key: "key_1"}
	now, added, err := a.Organisations(auth.Acts{
		Note: func(context.Context, lukasa.Scope, string, string, map[string]any) { noted++ }, Notify: func(lukasa.Event) { told++ },
	}).SetMember(t.Context(), sc, "org_1", "usr_bob", "")
	if err != nil || !added || now.User != "usr_bob" || now.Role != store.MemberPlain || len(l.put) != 1 || noted != 1 || told != 1 {
		t.Errorf("%+v, added: %v, %v; %d were put, %d noted, %d told", now, added, err, len(l.put), noted, told)
	}
}
