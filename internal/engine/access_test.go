package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// What waited for a listener is not handed over once the key has ended, or the grant that it was heard by.
func TestNewsWaitForNobodyWhoMayNotHearThem(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	must[engine.Provisioned](t)(e.Provision(ctx, sc, []engine.NewNode{{Path: "agent", Type: lukasa.NodePersona}, {Path: "vault"}}))
	listen := func(k lukasa.Key) (<-chan lukasa.Event, lukasa.ID) {
		k.Name = "k"
		k, secret, err := e.CreateKey(ctx, sc, k)
		if err != nil {
			t.Fatal(err)
		}
		return must[<-chan lukasa.Event](t)(e.Events(ctx, must[lukasa.Scope](t)(e.Scope(ctx, secret)))), k.ID
	}
	whole, key := listen(lukasa.Key{})
	bound, other := listen(lukasa.Key{Root: "vault"})
	persona, _ := listen(lukasa.Key{Persona: "agent"})
	g := must[engine.Grant](t)(e.Grant(ctx, sc, engine.NewGrant{Subject: "agent", Node: "vault"}))
	for i := range 20 {
		must[lukasa.Memory](t)(e.AddMemory(ctx, sc, lukasa.NewMemory{Container: "vault", Content: fmt.Sprintf("The vault has door number %d.", i)}))
	}
	must[engine.Grant](t)(e.RevokeGrant(ctx, sc, g.ID))
	for _, id := range []lukasa.ID{key, other} {
		must[lukasa.Key](t)(e.RevokeKey(ctx, sc, id))
	}
	<-time.After(time.Second) // which is how long it may take
	for name, news := range map[string]<-chan lukasa.Event{"whole": whole, "bound": bound} {
		select {
		case ev, open := <-news:
			if open {
				t.Errorf("%s: heard %s after its key was revoked", name, ev.Type)
			}
		default:
			t.Errorf("%s: the stream is open", name)
		}
	}
	must[lukasa.Memory](t)(e.AddMemory(ctx, sc, lukasa.NewMemory{Container: "agent", Content: "The agent has a desk."}))
	select {
	case ev := <-persona:
		if ev.Path != "agent" {
			t.Errorf("heard %s of %s, which is not granted any more", ev.Type, ev.Path)
		}
	case <-time.After(20 * time.Second):
		t.Error("a persona whose grant has ended hears nothing of its own")
	}
}

// What is done to an organisation is heard by keys to the whole of it, and by no others.
func TestNewsOfOrganisations(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	bob := must[lukasa.User](t)(e.CreateUser(ctx, sc, lukasa.User{Name: "Bob"}))
	org := must[engine.Organisation](t)(e.Organisations().Create(ctx, sc, "Acme", ""))
	listen := func(k lukasa.Key) (<-chan lukasa.Event, lukasa.Scope) {
		k.Name = "k"
		_, secret, err := e.CreateKey(ctx, sc, k)
		if err != nil {
			t.Fatal(err)
		}
		as := must[lukasa.Scope](t)(e.Scope(ctx, secret))
		return must[<-chan lukasa.Event](t)(e.Events(ctx, as)), as
	}
	news, as := listen(lukasa.Key{Org: org.ID})
	bound, _ := listen(lukasa.Key{Org: org.ID, Root: "plans"})
	own, _ := listen(lukasa.Key{})
	if as.Owner != org.ID || as.Principal != sc.Owner || as.Role != lukasa.RoleUser {
		t.Errorf("the scope of a key to an organisation: %+v", as)
	}
	if _, _, err := e.Organisations().SetMember(ctx, sc, org.ID, bob.ID, "viewer"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Organisations().SetMember(ctx, sc, org.ID, bob.ID, "member"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Organisations().RemoveMember(ctx, sc, org.ID, bob.ID); err != nil {
		t.Fatal(err)
	}
	must[engine.Organisation](t)(e.Organisations().Patch(ctx, sc, org.ID, engine.OrganisationPatch{Name: new("Acme Ltd")}))
	must[lukasa.Memory](t)(e.AddMemory(ctx, as, lukasa.NewMemory{Container: "plans", Content: "Acme has a plan."}))
	must[lukasa.Memory](t)(e.AddMemory(ctx, sc, lukasa.NewMemory{Container: "plans", Content: "So has its admin."}))
	for name, x := range map[string]struct {
		news <-chan lukasa.Event
		want string
	}{
		"whole": {news, "member.added member.changed member.removed organisation.updated"},
		"bound": {bound, ""},
		"own":   {own, ""},
	} {
		var heard []string
		for last := false; !last; {
			select {
			case ev := <-x.news:
				switch last = ev.Type == lukasa.EventMemoryCreated; {
				case strings.HasPrefix(string(ev.Type), "member."), strings.HasPrefix(string(ev.Type), "organisation."):
					heard = append(heard, string(ev.Type))
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s: heard %v", name, heard)
			}
		}
		if got := strings.Join(heard, " "); got != x.want {
			t.Errorf("%s: heard %q, want %q", name, got, x.want)
		}
	}
	// An export says whose it is.
	var b bytes.Buffer
	if _, err := e.Export(ctx, as, nil, &b, nil); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(b.String(), "\n")
	if !strings.Contains(head, "Acme Ltd") || !strings.Contains(b.String(), "Acme has a plan") || strings.Contains(b.String(), "So has its admin") {
		t.Errorf("export: %s", b.String())
	}
}
