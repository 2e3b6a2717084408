package engine_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// save keeps a text and returns its document.
func (h *house) save(sc lukasa.Scope, container, title, text string) lukasa.Document {
	h.Helper()
	r, err := h.e.Remember(h.Context(), sc, lukasa.NewDocument{Container: container, Title: title, Content: text})
	if err != nil {
		h.Fatalf("save %q: %v", title, err)
	}
	return r.Document
}

// bound is a scope that sees one subtree.
func (h *house) bound(root lukasa.Path) lukasa.Scope {
	sc := h.sc
	sc.Root, sc.Role = root, lukasa.RoleUser
	return sc
}

func (h *house) about(sc lukasa.Scope, name string) engine.About {
	h.Helper()
	a, err := h.e.Entity(h.Context(), sc, name, time.Time{})
	if err != nil {
		h.Fatalf("about %q: %v", name, err)
	}
	return a
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func code(t *testing.T, want lukasa.Code, err error) {
	t.Helper()
	if got := lukasa.CodeOf(err); got != want {
		t.Errorf("error %v (%s), want %s", err, got, want)
	}
}

var always = time.Time{}

// A file of base64, a key or a hash names nobody, says nothing about what a text is about, and is found all the same.
func TestNoiseNamesNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r, random := rand.New(rand.NewPCG(1, 1)), make([]byte, 24_000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	var lines []string
	for s := base64.StdEncoding.EncodeToString(random); len(s) > 0; s = s[min(76, len(s)):] {
		lines = append(lines, s[:min(76, len(s))])
	}
	d := h.save(h.sc, "work", "Signature", "Checked by Dave Miller in Lisbon.\n\n"+strings.Join(lines, "\n"))
	l := must[lukasa.Listing[engine.Match]](t)(h.e.Entities(t.Context(), h.sc, nil, "", "", lukasa.Page{Limit: 100}, always))
	var names []string
	for _, e := range l.Items {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"Dave Miller", "Lisbon"}, names); diff != "" {
		t.Error("entities:", diff)
	}
	if k := d.Keywords; len(k.Topics) != 1 || len(k.Entities) != 2 { // the title's word
		t.Errorf("keywords %+v", k)
	}
	piece := strings.FieldsFunc(lines[100], func(r rune) bool { return r == '+' || r == '/' })[0]
	if a := must[lukasa.Result](t)(h.e.Search(t.Context(), h.sc, lukasa.Query{Text: piece})); len(a.Hits) == 0 || !strings.Contains(a.Hits[0].Content, piece) {
		t.Errorf("%q is not found: %v", piece, a.Hits)
	}
}

// N-3, T-4: everything about Dave is found from every branch, under a name that is written a little differently.
func TestEverythingAboutDave(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.save(h.sc, "business.employees", "Staff", "Dave Miller joined the sales team. Dave Miller works with Sarah Chen.")
	h.save(h.sc, "family.siblings", "Wedding", "My sister married Dave Miller in Lisbon.")
	h.save(h.sc, "hobbies.fishing", "Trip", "Went fishing. Dave Miller caught a pike.")
	h.say("chat", march, "Ana: Dave Miller called me yesterday.", "Ana: I had lunch with Sarah Chen.")

	for _, name := range []string{"Dave Miller", "dave", "Dav", "Daev", "Dave Milller"} {
		l := must[lukasa.Listing[engine.Match]](t)(h.e.Entities(t.Context(), h.sc, nil, "", name, lukasa.Page{}, always))
		if len(l.Items) == 0 || l.Items[0].Name != "Dave Miller" || l.Items[0].Kind != "person" || (l.Items[0].Score == 1) != (strings.EqualFold(name, "dave miller") || name == "dave") {
			t.Errorf("%q finds %+v", name, l.Items)
		}
	}
	if l := must[lukasa.Listing[engine.Match]](t)(h.e.Entities(t.Context(), h.sc, nil, "person", "zzyzx", lukasa.Page{}, always)); len(l.Items) != 0 || l.Total != 0 {
		t.Errorf("nobody is called zzyzx, yet %v", l.Items)
	}
	bound := h.sc
	bound.Root = "business"
	for in, want := range map[string]string{
		"": "Dave Miller 7, Sarah Chen 3, Lisbon 2", "business": "Dave Miller 2, Sarah Chen 1", "business!": "", "family.*": "Dave Miller 2, Lisbon 2", "none": "",
		"life,hobbies": "Dave Miller 3, Sarah Chen 2", "bound hobbies": "", "bound business.*": "Dave Miller 2, Sarah Chen 1", "named business": "Dave Miller 2", "named none": "",
	} {
		sc, name := h.sc, ""
		if cut, ok := strings.CutPrefix(in, "bound "); ok {
			sc, in = bound, cut
		} else if cut, ok := strings.CutPrefix(in, "named "); ok {
			name, in = "Daev", cut
		}
		var pats []lukasa.Pattern
		for _, p := range strings.FieldsFunc(in, func(r rune) bool { return r == ',' }) {
			pats = append(pats, must[lukasa.Pattern](t)(lukasa.ParsePattern(p, false)))
		}
		l := must[lukasa.Listing[engine.Match]](t)(h.e.Entities(t.Context(), sc, pats, "", name, lukasa.Page{}, always))
		var got []string
		for _, e := range l.Items {
			got = append(got, fmt.Sprint(e.Name, " ", e.Mentions))
		}
		slices.SortStableFunc(got, func(a, b string) int { return strings.Compare(b[len(b)-1:]+a, a[len(a)-1:]+b) })
		if is := strings.Join(got, ", "); is != want || l.Total != len(got) {
			t.Errorf("in %q are %s of %d, want %s", in, is, l.Total, want)
		}
	}
	a := h.about(h.sc, "Daev")
	var where []string
	for _, w := range a.Where {
		where = append(where, string(w.Path))
	}
	slices.Sort(where)
	if diff := cmp.Diff([]string{"business.employees", "family.siblings", "hobbies.fishing", "life"}, where); diff != "" {
		t.Error("where:", diff)
	}
	if a.Counts.Documents != 3 || a.Counts.Messages != 1 || a.Counts.RecallFiles != 1 || len(a.Messages) != 1 || a.Messages[0].Speaker != "Ana" {
		t.Errorf("counts %+v, messages %+v", a.Counts, a.Messages)
	}
	if a.FirstSeen == nil || a.FirstSeen.After(march) || a.LastSeen == nil || a.LastSeen.Before(*a.FirstSeen) {
		t.Errorf("seen from %v to %v", a.FirstSeen, a.LastSeen)
	}
	if !slices.ContainsFunc(a.Related, func(x engine.Named) bool { return x.Name == "Sarah Chen" }) {
		t.Errorf("mentioned together with %+v", a.Related)
	}
	// what is written is there at the next call
	h.save(h.sc, "family.siblings", "Birthday", "Dave Miller turned forty.")
	if b := h.about(h.sc, "Dave Miller"); b.Counts.Documents != 4 {
		t.Errorf("after one more: %+v", b.Counts)
	}
	// T-4: discussed_in leads to the recall files
	edges := must[[]lukasa.Edge](t)(h.e.Edges(t.Context(), h.sc, []lukasa.ID{a.ID}, []lukasa.EdgeType{lukasa.EdgeDiscussedIn}, 0, always))
	if len(edges) != 1 || edges[0].To != string(a.RecallFiles[0].ID) {
		t.Errorf("discussed in %+v, recall files %+v", edges, a.RecallFiles)
	}
}

// N-3: a key that is bound to a subtree sees no entity, name, edge, count, label or suggestion of elsewhere.
func TestBoundKeySeesNothingElsewhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.save(h.sc, "private.diary", "Diary", "Dave Miller, whom they call Maximilian Kestrel, owes me money. Dave Miller met Priya Sharma in Reykjavik.")
	h.save(h.sc, "work.notes", "Meeting", "I spoke with Dave about the plan. Dave likes the plan.")
	dave := h.about(h.sc, "Dave Miller")
	if _, err := h.e.PatchEntity(t.Context(), h.sc, dave.ID, engine.EntityPatch{Aliases: &[]string{"Dave", "Maximilian Kestrel"}}); err != nil {
		t.Fatal(err)
	}
	private := must[engine.Shell](t)(h.e.Shell(t.Context(), h.sc, "private.diary", always))
	secret := must[lukasa.Memory](t)(h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: "Secret: the vault code", Container: "private.diary"}))
	mine := must[lukasa.Memory](t)(h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: "The plan costs ten euros", Container: "work.notes"}))
	for _, e := range []lukasa.Edge{
		{From: string(mine.ID), To: string(secret.ID), Type: lukasa.EdgeRelatesTo},
		{From: string(secret.ID), To: string(mine.ID), Type: lukasa.EdgeReferences},
		{From: string(mine.ID), To: string(private.ID), Type: lukasa.EdgeReferences},
		{From: string(secret.ID), To: string(mine.ID), Type: lukasa.EdgeUpdates},
	} {
		if _, err := h.e.Link(t.Context(), h.sc, e); err != nil {
			t.Fatal(err)
		}
	}
	sc := h.bound("work")
	ctx := t.Context()
	var all strings.Builder
	show := func(v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
		all.WriteByte('\n')
	}
	show(h.e.Entities(ctx, sc, nil, "", "", lukasa.Page{Limit: 100}, always))
	show(h.e.Entities(ctx, sc, nil, "", "Dave", lukasa.Page{}, always))
	show(h.e.Entity(ctx, sc, "Dave", always))
	show(h.e.Entity(ctx, sc, string(dave.ID), always))
	show(h.e.Shell(ctx, sc, "work", always))
	show(h.e.Shell(ctx, sc, "work.notes", always))
	show(h.e.Tree(ctx, sc, nil, always))
	show(h.e.Graph(ctx, sc, nil, 0, true))
	show(h.e.Around(ctx, sc, []string{"work.notes", "Dave", string(mine.ID)}, 4, 500, nil, always))
	show(h.e.Edges(ctx, sc, []lukasa.ID{dave.ID, mine.ID, secret.ID, private.ID}, nil, 1000, always))
	show(h.e.RelatedMemories(ctx, sc, mine.ID, 6, nil, always, nil))
	show(h.e.Concepts(ctx, sc, engine.ConceptQuery{Limit: 100}))
	show(h.e.Concepts(ctx, sc, engine.ConceptQuery{RelatedTo: "Dave", Depth: 3, Limit: 100}))
	show(h.e.Suggest(ctx, sc, "", "Priya Sharma and Dave Miller went to Reykjavik with the diary of Maximilian Kestrel."))
	for _, ranker := range []string{lukasa.RankerCascade, lukasa.RankerLukasa} {
		for _, q := range []string{"what about Dave", "what about Maximilian Kestrel", "Dave Miller"} {
			r, err := h.e.Search(ctx, sc, lukasa.Query{Text: q, Ranker: ranker, Related: true})
			r.Query, r.Stats = "", lukasa.SearchStats{}
			show(r, err)
		}
	}
	for _, word := range []string{"Miller", "Maximilian", "Kestrel", "Priya", "Reykjavik", "diary", "Secret", string(secret.ID), string(private.ID)} {
		if strings.Contains(all.String(), word) {
			t.Errorf("%q shows:\n%s", word, all.String())
		}
	}
	if !strings.Contains(all.String(), `"name":"Dave"`) {
		t.Error("Dave himself does not show")
	}
	for _, name := range []string{"Dave Miller", "Maximilian Kestrel", "Priya Sharma", "Kestrel"} {
		l, err := h.e.Entities(ctx, sc, nil, "", name, lukasa.Page{}, always)
		if err != nil || slices.ContainsFunc(l.Items, func(m engine.Match) bool { return m.Score == 1 || m.Name != "Dave" }) {
			t.Errorf("%q: %+v, %v", name, l.Items, err)
		}
	}
	l := must[lukasa.Listing[engine.Match]](t)(h.e.Entities(ctx, sc, nil, "", "Maximilian Kestrel", lukasa.Page{}, always))
	if l.Total != 0 {
		t.Errorf("an alias from elsewhere finds %+v", l.Items)
	}
	if a := h.about(sc, "Dave"); a.Mentions == 0 || len(a.Where) != 1 || a.Counts.Documents != 1 {
		t.Errorf("counts of elsewhere: %d mentions, %+v", a.Mentions, a.Where)
	}
	for _, err := range []error{
		second(h.e.Entity(ctx, sc, "Priya Sharma", always)), second(h.e.Shell(ctx, sc, "private.diary", always)), second(h.e.Shell(ctx, sc, string(private.ID), always)),
		second(h.e.Around(ctx, sc, []string{string(secret.ID)}, 1, 0, nil, always)), second(h.e.RelatedMemories(ctx, sc, secret.ID, 1, nil, always, nil)),
		second(h.e.MoveNode(ctx, sc, "private.diary", "work.diary")), second(h.e.ArchiveNode(ctx, sc, "work.notes", "private")), second(h.e.PatchNode(ctx, sc, "private", engine.NodePatch{Name: new("x")})),
		second(h.e.Provision(ctx, sc, []engine.NewNode{{Path: "private.x"}})), second(h.e.Link(ctx, sc, lukasa.Edge{From: string(mine.ID), To: string(secret.ID), Type: lukasa.EdgeUpdates})),
		h.e.Unlink(ctx, sc, lukasa.Edge{From: string(mine.ID), To: string(secret.ID), Type: lukasa.EdgeRelatesTo}),
	} {
		code(t, lukasa.CodeNotFound, err)
	}
	// it may not change what belongs to all branches either, nor its own root
	code(t, lukasa.CodeForbidden, second(h.e.PatchEntity(ctx, sc, dave.ID, engine.EntityPatch{Name: new("Davy")})))
	code(t, lukasa.CodeForbidden, second(h.e.MoveNode(ctx, sc, "work", "work.x")))
	code(t, lukasa.CodeForbidden, second(h.e.ArchiveNode(ctx, sc, "work", "")))
	read := sc
	read.ReadOnly = true
	code(t, lukasa.CodeForbidden, second(h.e.Provision(ctx, read, []engine.NewNode{{Path: "work.y"}})))
	code(t, lukasa.CodeForbidden, second(h.e.Link(ctx, read, lukasa.Edge{From: string(mine.ID), To: string(dave.ID), Type: lukasa.EdgeMentions})))
}

func second[T any](_ T, err error) error { return err }

// A name that is known elsewhere does not keep a bound key from saving it, does not show, and is linked by the owner's eyes.
func TestNameKnownElsewhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.save(h.sc, "private", "Dinner", "Sarah Miller came to dinner. Sarah Miller lives in Berlin.")
	must[engine.Provisioned](t)(h.e.Provision(t.Context(), h.sc, []engine.NewNode{{Path: "work"}}))
	sc := h.bound("work")
	h.save(sc, "work", "Contract", "Yesterday Sarah Miller signed the contract with us.")
	if err := h.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := h.about(h.sc, "Sarah Miller"); a.Counts.Documents != 2 || len(a.Where) != 2 {
		t.Errorf("the owner sees %+v in %+v", a.Counts, a.Where)
	}
	a := h.about(sc, "Sarah Miller")
	if a.Counts.Documents != 1 || len(a.Where) != 1 || strings.Contains(fmt.Sprint(a), "Berlin") {
		t.Errorf("the bound key sees %+v", a)
	}
	// and the same by hand, whether it is there or not
	for _, name := range []string{"Sarah Miller", "Tom Okafor"} {
		c, fresh, err := h.e.PutConcept(t.Context(), sc, engine.NewConcept{Name: name, Type: "person"})
		if err != nil || c.Name != name || fresh != (name == "Tom Okafor") {
			t.Errorf("put %s: %+v, fresh %v, %v", name, c, fresh, err)
		}
	}
	h.save(h.sc, "private", "Boat", "Karl Weber sold the boat. Karl Weber is old.")
	c, fresh, err := h.e.PutConcept(t.Context(), sc, engine.NewConcept{Name: "Karl Weber", Type: "person"})
	if err != nil || !fresh || c.Mentions > 1 {
		t.Errorf("put one who is known elsewhere: %+v, fresh %v, %v", c, fresh, err)
	}
}

// N-1, N-2: provisioning is all or nothing, to a depth of five.
func TestProvision(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	made, err := h.e.Provision(ctx, h.sc, []engine.NewNode{
		{Path: "work.acme.billing.q1.invoices", Type: lukasa.NodeConcept, Description: "Invoices of the first quarter"},
		{Path: "ada", Type: lukasa.NodePersona, Name: "Ada", Keywords: lukasa.Keywords{Topics: []string{"maths"}}},
	})
	if err != nil || len(made) != 2 || made[0].Depth != 5 || made[1].Type != lukasa.NodePersona {
		t.Fatalf("made %+v, %v", made, err)
	}
	before := must[engine.Forest](t)(h.e.Tree(ctx, h.sc, nil, always))
	for name, list := range map[string][]engine.NewNode{
		"a sixth level":  {{Path: "new1"}, {Path: "a.b.c.d.e.f"}},
		"one there":      {{Path: "new2"}, {Path: "ada"}},
		"twice the same": {{Path: "new3"}, {Path: "new3"}},
		"a wrong type":   {{Path: "new4"}, {Path: "new5", Type: "entity"}},
		"a wrong path":   {{Path: "new6"}, {Path: "new 7"}},
		"none":           {},
	} {
		_, err := h.e.Provision(ctx, h.sc, list)
		if c := lukasa.CodeOf(err); c != lukasa.CodeInvalid && c != lukasa.CodeConflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(before, must[engine.Forest](t)(h.e.Tree(ctx, h.sc, nil, always))); diff != "" {
		t.Error("something was made:", diff)
	}
	s := must[engine.Shell](t)(h.e.PatchNode(ctx, h.sc, "ada", engine.NodePatch{Description: new("The first programmer."), Type: new(lukasa.NodeConcept)}))
	if s.Type != lukasa.NodeConcept || !strings.Contains(s.Summary, "first programmer") || s.Keywords.Topics[0] != "maths" || s.Name != "Ada" {
		t.Errorf("patched: %+v", s)
	}
	code(t, lukasa.CodeInvalid, second(h.e.PatchNode(ctx, h.sc, "ada", engine.NodePatch{})))
	code(t, lukasa.CodeInvalid, second(h.e.PatchNode(ctx, h.sc, "ada", engine.NodePatch{Summary: new(strings.Repeat("word ", 201))})))
}

// N-1: the shell is there without a file, and its manifest, summary and keywords follow the node's content.
func TestShellFollowsContent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	must[engine.Provisioned](t)(h.e.Provision(t.Context(), h.sc, []engine.NewNode{{Path: "work.acme", Description: "The Acme account"}, {Path: "work.acme.billing"}}))
	s := must[engine.Shell](t)(h.e.Shell(t.Context(), h.sc, "work.acme", always))
	if s.Summary != "The Acme account." || s.Manifest.Documents != 0 || len(s.Children) != 1 || s.Children[0].Path != "work.acme.billing" || s.Dormant {
		t.Errorf("an empty node: %+v", s)
	}
	h.save(h.sc, "work.acme", "Kick-off", "Maria Lopez opened the meeting. The budget of the glacier project is fixed. Maria Lopez will lead it.")
	for i := range 3 {
		h.save(h.sc, "work.acme", fmt.Sprint("Glacier budget ", i), fmt.Sprintf("Glacier budget report number %d. Maria Lopez approved the glacier budget.", i))
	}
	h.save(h.sc, "work.acme.billing", "Elsewhere", "Tom Okafor pays the invoices.")
	s = must[engine.Shell](t)(h.e.Shell(t.Context(), h.sc, "work.acme", always))
	if s.Manifest.Documents != 4 || len(s.Manifest.Newest) == 0 || s.Manifest.Newest[0].Label == "" || len(s.Manifest.Entities) == 0 || s.Manifest.Entities[0].Name != "Maria Lopez" {
		t.Errorf("manifest: %+v", s.Manifest)
	}
	if !strings.Contains(s.Summary, "Maria Lopez") || !strings.Contains(s.Summary, "4 documents") || strings.Contains(s.Summary, "Okafor") || len(strings.Fields(s.Summary)) > 200 {
		t.Errorf("summary (%d words): %s", len(strings.Fields(s.Summary)), s.Summary)
	}
	if !slices.Contains(s.Keywords.Entities, "Maria Lopez") {
		t.Errorf("keywords: %+v", s.Keywords)
	}
	// as it was: the summary of an empty node
	d := h.save(h.sc, "work.acme", "Later", "Later words about the weather.")
	then := must[engine.Shell](t)(h.e.Shell(t.Context(), h.sc, "work.acme", d.CreatedAt.Add(-time.Microsecond)))
	if then.Manifest.Documents != 4 {
		t.Errorf("as it was: %+v", then.Manifest)
	}
	// a renamed entity shows under its new name at once
	maria := h.about(h.sc, "Maria Lopez")
	must[lukasa.Entity](t)(h.e.PatchEntity(t.Context(), h.sc, maria.ID, engine.EntityPatch{Name: new("Maria Lopez-Garcia")}))
	s = must[engine.Shell](t)(h.e.Shell(t.Context(), h.sc, "work.acme", always))
	if s.Manifest.Entities[0].Name != "Maria Lopez-Garcia" {
		t.Errorf("after renaming: %+v", s.Manifest.Entities)
	}
}

// N-17: a dormant node that an edge leads to is named as dormant and not woken.
func TestDormant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	h.save(h.sc, "family.siblings", "Wedding", "My sister married Dave Miller in Lisbon.")
	old := must[engine.Shell](t)(h.e.Shell(ctx, h.sc, "family.siblings", always))
	h.clock.Advance(8 * 24 * time.Hour)
	h.save(h.sc, "work", "Call", "Dave Miller called about the contract.")
	hood := must[engine.Hood](t)(h.e.Around(ctx, h.sc, []string{"work"}, 5, 200, nil, always))
	asleep := map[string]bool{}
	for _, r := range hood.Records {
		if r.Type == "container" {
			asleep[string(r.Path)] = r.Dormant
		}
	}
	if want := map[string]bool{"work": false, "family": true, "family.siblings": true}; !cmp.Equal(asleep, want) {
		t.Errorf("dormant: %v", asleep)
	}
	a := h.about(h.sc, "Dave Miller")
	for _, w := range a.Where {
		if w.Dormant != (w.Path == "family.siblings") {
			t.Errorf("%s dormant: %v", w.Path, w.Dormant)
		}
	}
	g := must[engine.Picture](t)(h.e.Graph(ctx, h.sc, nil, 0, false))
	for _, v := range g.Vertices {
		if v.Type == "container" && v.Dormant == (v.Path == "work") {
			t.Errorf("in the picture %s is dormant: %v", v.Path, v.Dormant)
		}
	}
	after := must[engine.Shell](t)(h.e.Shell(ctx, h.sc, "family.siblings", always))
	if !after.Dormant || !after.UpdatedAt.Equal(old.UpdatedAt) {
		t.Errorf("looking at it woke it: %v, touched %v", after.Dormant, after.UpdatedAt)
	}
}

// recount lists all ids of records in a subtree by kind.
func (h *house) recount(in lukasa.Path) map[string]int {
	h.Helper()
	pats := []lukasa.Pattern{{Path: in}}
	docs := must[lukasa.Listing[lukasa.Document]](h.T)(h.e.Documents(h.Context(), h.sc, lukasa.DocumentFilter{Containers: pats, AllVersions: true, Conversation: true}, lukasa.Page{Limit: 100}))
	mems := must[lukasa.Listing[lukasa.Memory]](h.T)(h.e.Memories(h.Context(), h.sc, lukasa.MemoryFilter{Containers: pats}, lukasa.Page{Limit: 100}))
	talks := must[lukasa.Listing[lukasa.Conversation]](h.T)(h.e.Conversations(h.Context(), h.sc, pats, lukasa.Page{Limit: 100}, time.Time{}))
	n := 0
	for _, c := range talks.Items {
		n += c.Messages
	}
	return map[string]int{"documents": docs.Total, "memories": mems.Total, "conversations": talks.Total, "messages": n}
}

// D-8: archiving moves everything into the parent and loses nothing; containers below move along.
func TestArchive(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	h.save(h.sc, "work", "Own", "The office has a red door.")
	first := h.save(h.sc, "work.acme", "Plan", "We decided to use PostgreSQL for the ledger.")
	if _, err := h.e.Remember(ctx, h.sc, lukasa.NewDocument{Container: "work.acme", Title: "Plan", Content: "We decided to use SQLite for the ledger.", Updates: first.ID}); err != nil {
		t.Fatal(err)
	}
	h.save(h.sc, "work.acme.billing", "Bills", "Invoices are sent by Karl Weber on Mondays.")
	h.save(h.sc, "work.billing", "Old bills", "Paper invoices lie in the cellar.")
	h.save(h.sc, "work.acme.people", "People", "Maria Lopez leads the team.")
	for _, c := range []string{"work", "work.acme"} {
		if _, _, err := h.e.Append(ctx, h.sc, lukasa.Append{Container: c, Conversation: "standup", Messages: []lukasa.NewMessage{{ExternalID: "1", Speaker: "Ana", Content: "I live in Paris, says " + c}}}); err != nil {
			t.Fatal(err)
		}
	}
	keep := must[lukasa.Memory](t)(h.e.AddMemory(ctx, h.sc, lukasa.NewMemory{Content: "The ledger is append-only", Container: "work.acme"}))
	acme := must[engine.Shell](t)(h.e.Shell(ctx, h.sc, "work.acme", always))
	if _, err := h.e.Link(ctx, h.sc, lukasa.Edge{From: string(acme.ID), To: string(keep.ID), Type: lukasa.EdgeReferences}); err != nil {
		t.Fatal(err)
	}
	before := h.recount("work")
	r := must[engine.Archived](t)(h.e.ArchiveNode(ctx, h.sc, "work.acme", ""))
	if diff := cmp.Diff(before, h.recount("work")); diff != "" {
		t.Error("records:", diff)
	}
	if r.Into != "work" || len(r.Renamed) != 1 || r.Renamed[0].To != "standup (work.acme)" || len(r.Moved) != 1 || r.Moved[0].To != "work.people" || len(r.Nodes) != 2 || r.Edges != 1 {
		t.Errorf("receipt: %+v", r)
	}
	var paths []string
	for _, n := range must[[]lukasa.Node](t)(h.e.Nodes(ctx, h.sc, nil)) {
		paths = append(paths, string(n.Path))
	}
	if diff := cmp.Diff([]string{"work", "work.billing", "work.people"}, paths); diff != "" {
		t.Error("containers:", diff)
	}
	for q, want := range map[string]string{"PostgreSQL or SQLite ledger": "work", "who sends invoices on Mondays": "work.billing", "who leads the team": "work.people", "says work.acme": "work"} {
		res := must[lukasa.Result](t)(h.e.Search(ctx, h.sc, lukasa.Query{Text: q, Limit: 3}))
		if len(res.Hits) == 0 || string(res.Hits[0].Path) != want {
			t.Errorf("%q finds %+v", q, res.Hits)
		}
	}
	if v := must[[]lukasa.Document](t)(h.e.Versions(ctx, h.sc, first.ID, time.Time{})); len(v) != 2 || v[1].Path != "work" {
		t.Errorf("versions: %+v", v)
	}
	d := must[lukasa.Document](t)(h.e.Document(ctx, h.sc, first.ID))
	if !strings.Contains(d.Content, "PostgreSQL") {
		t.Errorf("the content is %q", d.Content)
	}
	edges := must[[]lukasa.Edge](t)(h.e.Edges(ctx, h.sc, []lukasa.ID{keep.ID}, []lukasa.EdgeType{lukasa.EdgeReferences}, 0, always))
	if len(edges) != 1 || edges[0].From != string(r.Node) {
		t.Errorf("references: %+v", edges)
	}
	code(t, lukasa.CodeNotFound, second(h.e.Shell(ctx, h.sc, "work.acme", always)))
	// what stands on the first level goes to the default container
	r = must[engine.Archived](t)(h.e.ArchiveNode(ctx, h.sc, "work", ""))
	if r.Into != lukasa.DefaultPath || h.recount("default")["documents"] != before["documents"] {
		t.Errorf("receipt: %+v, %v", r, h.recount("default"))
	}
	code(t, lukasa.CodeConflict, second(h.e.ArchiveNode(ctx, h.sc, "default", "")))
	code(t, lukasa.CodeNotFound, second(h.e.ArchiveNode(ctx, h.sc, "nothing", "")))
}

// D-8: a container takes what is below it along when it moves, and results say so at once.
func TestMove(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	h.save(h.sc, "work.acme.billing", "Bills", "Invoices are sent by Karl Weber on Mondays.")
	q := lukasa.Query{Text: "who sends invoices"}
	must[lukasa.Result](t)(h.e.Search(ctx, h.sc, q)) // now it is in the cache
	n := must[lukasa.Node](t)(h.e.MoveNode(ctx, h.sc, "work.acme", "clients.acme"))
	if n.Path != "clients.acme" || n.Name != "acme" {
		t.Errorf("moved: %+v", n)
	}
	if r := must[lukasa.Result](t)(h.e.Search(ctx, h.sc, q)); len(r.Hits) == 0 || r.Hits[0].Path != "clients.acme.billing" {
		t.Errorf("found %+v", r.Hits)
	}
	must[lukasa.Node](t)(h.e.MoveNode(ctx, h.sc, "clients.acme", "clients.globex"))
	if r := must[lukasa.Result](t)(h.e.Search(ctx, h.sc, q)); len(r.Hits) == 0 || r.Hits[0].Path != "clients.globex.billing" {
		t.Errorf("found %+v", r.Hits)
	}
	must[engine.Provisioned](t)(h.e.Provision(ctx, h.sc, []engine.NewNode{{Path: "a.b.c.d"}}))
	code(t, lukasa.CodeConflict, second(h.e.MoveNode(ctx, h.sc, "clients", "a.b.c.d"))) // taken
	code(t, lukasa.CodeConflict, second(h.e.MoveNode(ctx, h.sc, "clients", "a.b.c.d.e")))
	code(t, lukasa.CodeConflict, second(h.e.MoveNode(ctx, h.sc, "clients", "clients.globex.x")))
	if _, err := h.e.Shell(ctx, h.sc, "clients.globex.billing", always); err != nil {
		t.Error(err)
	}
	code(t, lukasa.CodeNotFound, second(h.e.Shell(ctx, h.sc, "a.b.c.d.e", always)))
}

// D-4: related memories are found by following edges; an edge that says that one updates another takes that out of force.
func TestRelatedMemories(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	add := func(text string) lukasa.Memory {
		return must[lukasa.Memory](t)(h.e.AddMemory(ctx, h.sc, lukasa.NewMemory{Content: text, Container: "work"}))
	}
	a, b, c, d := add("The team uses PostgreSQL"), add("The team uses SQLite"), add("It runs on one machine"), add("Backups are nightly")
	link := func(from, to lukasa.Memory, typ lukasa.EdgeType) lukasa.Edge {
		return must[lukasa.Edge](t)(h.e.Link(ctx, h.sc, lukasa.Edge{From: string(from.ID), To: string(to.ID), Type: typ, Confidence: 0.8, Metadata: map[string]any{"why": "said so"}}))
	}
	link(b, a, lukasa.EdgeUpdates)
	link(c, b, lukasa.EdgeExtends)
	link(d, c, lukasa.EdgeDerives)
	got := func(depth int) string {
		var out []string
		for _, m := range must[[]engine.RelatedMemory](t)(h.e.RelatedMemories(ctx, h.sc, a.ID, depth, nil, always, nil)) {
			out = append(out, fmt.Sprintf("%d %s %s", m.Distance, m.Relationship, m.Content))
		}
		return strings.Join(out, "; ")
	}
	if g := got(1); g != "1 updates The team uses SQLite" {
		t.Errorf("depth 1: %s", g)
	}
	if g := got(3); g != "1 updates The team uses SQLite; 2 extends It runs on one machine; 3 derives Backups are nightly" {
		t.Errorf("depth 3: %s", g)
	}
	old := must[lukasa.Memory](t)(h.e.Memory(ctx, h.sc, a.ID))
	if old.IsLatest || old.RetiredBy != b.ID || old.RetiredAt == nil {
		t.Errorf("the old one: %+v", old)
	}
	// unique by source, target and type: the second replaces the first
	e := must[lukasa.Edge](t)(h.e.Link(ctx, h.sc, lukasa.Edge{From: string(c.ID), To: string(b.ID), Type: lukasa.EdgeExtends, Confidence: 0.3}))
	edges := must[[]lukasa.Edge](t)(h.e.Edges(ctx, h.sc, []lukasa.ID{c.ID}, []lukasa.EdgeType{lukasa.EdgeExtends}, 0, always))
	if len(edges) != 1 || edges[0].Confidence != 0.3 || e.Confidence != 0.3 {
		t.Errorf("edges: %+v", edges)
	}
	if err := h.e.Unlink(ctx, h.sc, lukasa.Edge{From: string(b.ID), To: string(a.ID), Type: lukasa.EdgeUpdates}); err != nil {
		t.Fatal(err)
	}
	if old = must[lukasa.Memory](t)(h.e.Memory(ctx, h.sc, a.ID)); !old.IsLatest || old.RetiredBy != "" {
		t.Errorf("put back: %+v", old)
	}
	if g := got(3); g != "" {
		t.Errorf("after unlinking: %s", g)
	}
	code(t, lukasa.CodeNotFound, h.e.Unlink(ctx, h.sc, lukasa.Edge{From: string(b.ID), To: string(a.ID), Type: lukasa.EdgeUpdates}))
	for _, bad := range []lukasa.Edge{
		{From: string(a.ID), To: string(a.ID), Type: lukasa.EdgeExtends},
		{From: string(a.ID), To: string(b.ID), Type: "likes"},
		{From: string(a.ID), To: "nonsense", Type: lukasa.EdgeExtends},
		{From: string(a.ID), To: string(b.ID), Type: lukasa.EdgeMentions},
		{From: string(a.ID), To: string(b.ID), Type: lukasa.EdgeExtends, Confidence: 2},
		{From: string(a.ID), To: string(b.ID), Type: lukasa.EdgeExtends, Weight: -1},
	} {
		code(t, lukasa.CodeInvalid, second(h.e.Link(ctx, h.sc, bad)))
	}
}

// N-3: two entities become one: all mentions, all names, counted once.
func TestMergeEntities(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	h.save(h.sc, "work", "One", "Robert Miller wrote the report. Ann Lee read it.")
	h.save(h.sc, "work", "Two", "Dave Miller and Robert Miller, the same man, met Ann Lee.")
	h.save(h.sc, "home", "Three", "The menu of Dave Miller, Priya Sharma.")
	keep, gone, ann := h.about(h.sc, "Robert Miller"), h.about(h.sc, "Dave Miller"), h.about(h.sc, "Ann Lee")
	moment := h.clock.Now()
	if _, err := h.e.Link(ctx, h.sc, lukasa.Edge{From: string(gone.ID), To: string(ann.ID), Type: lukasa.EdgeRelatesTo}); err != nil {
		t.Fatal(err)
	}
	h.clock.Advance(time.Minute)
	e := must[lukasa.Entity](t)(h.e.MergeEntities(ctx, h.sc, keep.ID, gone.ID))
	if e.ID != keep.ID || !slices.Contains(e.Aliases, "Dave Miller") {
		t.Errorf("merged: %+v", e)
	}
	a := h.about(h.sc, "Dave Miller")
	if a.ID != keep.ID || a.Counts.Documents != 3 || len(a.Where) != 2 {
		t.Errorf("about: %+v", a)
	}
	code(t, lukasa.CodeNotFound, second(h.e.Entity(ctx, h.sc, string(gone.ID), always)))
	edges := must[[]lukasa.Edge](t)(h.e.Edges(ctx, h.sc, []lukasa.ID{ann.ID}, []lukasa.EdgeType{lukasa.EdgeRelatesTo}, 0, always))
	if len(edges) != 1 || edges[0].From != string(keep.ID) {
		t.Errorf("relations: %+v", edges)
	}
	if b := h.about(h.sc, "Ann Lee"); b.Counts != ann.Counts {
		t.Errorf("a bystander: %+v, was %+v", b.Counts, ann.Counts)
	}
	if b := h.about(h.sc, "Priya Sharma"); b.Name != "Priya Sharma" || b.Counts.Documents != 1 {
		t.Errorf("one who was mentioned beside the other alone: %+v", b.Counts)
	}
	then := must[engine.About](t)(h.e.Entity(ctx, h.sc, string(gone.ID), moment))
	if then.Counts.Documents != 2 {
		t.Errorf("as it was: %+v", then.Counts)
	}
	code(t, lukasa.CodeInvalid, second(h.e.MergeEntities(ctx, h.sc, keep.ID, keep.ID)))
}

// T-4, T-9: the knowledge graph shows containers and entities as one.
func TestConcepts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	c, fresh, err := h.e.PutConcept(ctx, h.sc, engine.NewConcept{Name: "Payments", Type: "topic", Description: "Payment processing", Parent: ""})
	if err != nil || !fresh || c.Type != "topic" {
		t.Fatalf("put: %+v, %v, %v", c, fresh, err)
	}
	again, fresh, err := h.e.PutConcept(ctx, h.sc, engine.NewConcept{Name: "Payments", Type: "project"})
	if err != nil || fresh || again.ID != c.ID || again.Type != "project" || again.Description != "Payment processing" {
		t.Errorf("again: %+v, %v, %v", again, fresh, err)
	}
	stripe, fresh, err := h.e.PutConcept(ctx, h.sc, engine.NewConcept{Name: "Stripe", Type: "entity", Kind: "organisation", Parent: string(c.ID), Aliases: []string{"Stripe Inc"}})
	if err != nil || !fresh || stripe.Kind != "organisation" {
		t.Fatalf("entity: %+v, %v, %v", stripe, fresh, err)
	}
	if _, _, err := h.e.Append(ctx, h.sc, lukasa.Append{Container: "Payments", Conversation: "c", Messages: []lukasa.NewMessage{{Speaker: "Ann", Content: "Stripe sends a webhook to Stripe Inc."}}}); err != nil {
		t.Fatal(err)
	}
	l := must[lukasa.Listing[engine.Concept]](t)(h.e.Concepts(ctx, h.sc, engine.ConceptQuery{Name: "paymnets"}))
	if len(l.Items) != 1 || l.Items[0].ID != c.ID || l.Items[0].RecallFiles != 1 || !slices.ContainsFunc(l.Items[0].Related, func(x engine.RelatedNode) bool { return x.Name == "Stripe" }) {
		t.Errorf("by name: %+v", l.Items)
	}
	l = must[lukasa.Listing[engine.Concept]](t)(h.e.Concepts(ctx, h.sc, engine.ConceptQuery{Type: "organisation"}))
	if len(l.Items) != 1 || l.Items[0].Name != "Stripe" || l.Items[0].RecallFiles != 1 || l.Items[0].Related[0].Relationship != "mentioned_in" {
		t.Errorf("by kind: %+v", l.Items)
	}
	l = must[lukasa.Listing[engine.Concept]](t)(h.e.Concepts(ctx, h.sc, engine.ConceptQuery{RelatedTo: string(c.ID)}))
	if len(l.Items) != 1 || l.Items[0].Name != "Stripe" || l.Items[0].Distance != 1 {
		t.Errorf("related: %+v", l.Items)
	}
	code(t, lukasa.CodeInvalid, third(h.e.PutConcept(ctx, h.sc, engine.NewConcept{Name: "x"})))
	code(t, lukasa.CodeInvalid, third(h.e.PutConcept(ctx, h.sc, engine.NewConcept{Type: "topic"})))
}

func third[A, B any](_ A, _ B, err error) error { return err }

// N-2: with nodes.auto, content without a container goes where it belongs, or makes a place for what was often named; a sixth level
// becomes the deepest that fits, with an event.
func TestAutomaticNodes(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.NodesAuto = true
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	h := &house{t, e, clock, sc}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	news := must[<-chan lukasa.Event](t)(e.Events(ctx, sc))
	if d := h.save(sc, "", "Weather", "It rained all day."); d.Path != lukasa.DefaultPath {
		t.Errorf("what fits nowhere went to %s", d.Path)
	}
	h.save(sc, "garden", "Tomatoes", "The tomatoes need water. The greenhouse is warm. Compost helps the tomatoes.")
	if d := h.save(sc, "", "Jobs", "In the garden the tomatoes in the greenhouse need compost."); d.Path != "garden" {
		t.Errorf("what fits the garden went to %s", d.Path)
	}
	for i := range 4 {
		h.save(sc, "work", fmt.Sprint("Note ", i), fmt.Sprintf("Initech Corp sent offer number %d. Initech Corp wants an answer.", i))
	}
	if d := h.save(sc, "", "Deal", "Initech Corp signed. Initech Corp will pay on time."); d.Path != "work.initech-corp" && d.Path != "work" {
		t.Errorf("what was often named went to %s", d.Path)
	}
	s := must[engine.Suggestion](t)(e.Suggest(ctx, sc, "", "Initech Corp signed. Initech Corp will pay on time."))
	if s.Confidence < 0.7 {
		t.Errorf("suggestion: %+v", s)
	}
	for i := range 4 {
		h.save(sc, "a.b.c.d.e", fmt.Sprint("Deep ", i), fmt.Sprintf("Globex Ltd delivered part %d. Globex Ltd is far away.", i))
	}
	d := h.save(sc, "", "Parts", "Globex Ltd delivered.")
	if d.Path != "a.b.c.d.e" {
		t.Errorf("what would be a sixth level went to %s", d.Path)
	}
	types := map[lukasa.EventType]int{}
	for range len(news) {
		ev := <-news
		types[ev.Type]++
	}
	if types["node.suggested"] < 3 {
		t.Errorf("events: %v", types)
	}
	off, _, offScope := enginetest.New(t)
	if _, err := off.Remember(ctx, offScope, lukasa.NewDocument{Container: "garden", Content: "The tomatoes need water in the garden."}); err != nil {
		t.Fatal(err)
	}
	r := must[lukasa.Receipt](t)(off.Remember(ctx, offScope, lukasa.NewDocument{Content: "In the garden the tomatoes need compost."}))
	if r.Document.Path != lukasa.DefaultPath {
		t.Errorf("without the setting it went to %s", r.Document.Path)
	}
}

// N-13: after a search, what lies around the hits is worked out ahead, and is right after the next write.
func TestWarm(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	for i := range 30 {
		h.save(h.sc, fmt.Sprintf("work.team%d", i%5), fmt.Sprint("Note ", i), fmt.Sprintf("Dave Miller wrote report %d about the glacier. Sarah Chen read report %d.", i, i))
	}
	if n := must[int](t)(h.e.WarmOnce(ctx)); n != 0 {
		t.Errorf("warmed %d without a search", n)
	}
	must[lukasa.Result](t)(h.e.Search(ctx, h.sc, lukasa.Query{Text: "who wrote about the glacier"}))
	n := must[int](t)(h.e.WarmOnce(ctx))
	if n < 4 {
		t.Errorf("warmed %d", n)
	}
	timed := func(fn func()) time.Duration {
		best := time.Hour
		for range 5 {
			at := time.Now()
			fn()
			best = min(best, time.Since(at))
		}
		return best
	}
	warm := timed(func() { h.about(h.sc, "Dave Miller") })
	then := h.clock.Now()
	cold := timed(func() { must[engine.About](t)(h.e.Entity(ctx, h.sc, "Dave Miller", then)) })
	t.Logf("about Dave: %v from the cache, %v worked out", warm, cold)
	h.save(h.sc, "work.team0", "One more", "Dave Miller is back.")
	if a := h.about(h.sc, "Dave Miller"); a.Counts.Documents != 31 {
		t.Errorf("after a write: %+v", a.Counts)
	}
}

// D-8: a large container is archived in steps. Stopped after any of them and begun again, it loses nothing.
func TestArchiveInSteps(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	var in []lukasa.NewDocument
	for i := range 1100 {
		in = append(in, lukasa.NewDocument{Container: "big", Title: fmt.Sprint("n ", i), Content: fmt.Sprintf("entry %d of the ledger", i)})
	}
	if _, errs := h.e.RememberAll(ctx, h.sc, in); errs[0] != nil {
		t.Fatal(errs[0])
	}
	h.save(h.sc, "big.part", "Part", "A part of it.")
	r := must[engine.Archived](t)(h.e.ArchiveNode(ctx, h.sc, "big", "old"))
	if r.State != "archiving" {
		t.Fatalf("receipt: %+v", r)
	}
	total := func() (in, out int) {
		return h.recount("big")["documents"], h.recount("old")["documents"]
	}
	stopped := 0
	for range 40 {
		short, cancel := context.WithTimeout(ctx, 60*time.Millisecond)
		err := h.e.Drain(short)
		cancel()
		a, b := total()
		if a+b != 1101 {
			t.Fatalf("%d in the one and %d in the other", a, b)
		}
		if err == nil {
			break
		}
		stopped++
		h.clock.Advance(time.Minute) // the lease runs out
	}
	if err := h.e.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	if a, b := total(); a != 0 || b != 1101 {
		t.Errorf("%d in the one and %d in the other", a, b)
	}
	t.Logf("stopped %d times", stopped)
	if _, err := h.e.Shell(ctx, h.sc, "old.part", always); err != nil {
		t.Error(err)
	}
	code(t, lukasa.CodeNotFound, second(h.e.Shell(ctx, h.sc, "big", always)))
	edges := must[[]lukasa.Edge](t)(h.e.Edges(ctx, h.sc, []lukasa.ID{r.Node}, []lukasa.EdgeType{lukasa.EdgeReferences}, 0, always))
	if len(edges) != 0 {
		t.Errorf("the mark stays: %+v", edges)
	}
}

// What stands in a container is around it, all of it as far as the limit goes, and what was left out is told.
func TestAroundAContainer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i, part := range []string{
		"the engine burns coal", "the whistle is made of brass", "the driver is called Ada", "the line ends in Bergen", "the tender holds water",
		"tickets cost nine kroner", "the depot has two doors",
	} {
		if _, err := h.e.Remember(t.Context(), h.sc, lukasa.NewDocument{Content: fmt.Sprintf("note %d on the engine", i), Container: "box"}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: part, Container: "box"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		limit, want int
		more        bool
	}{{100, 14, false}, {15, 14, false}, {14, 13, true}, {5, 4, true}} {
		hood := must[engine.Hood](t)(h.e.Around(t.Context(), h.sc, []string{"box"}, 1, c.limit, []lukasa.EdgeType{lukasa.EdgeContains}, time.Time{}))
		if len(hood.Edges) != c.want || hood.Truncated != c.more {
			t.Errorf("of %d: %d edges, truncated %v; want %d, %v", c.limit, len(hood.Edges), hood.Truncated, c.want, c.more)
		}
	}
}
