package graph

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Suggestion says where content belongs that names no container.
type Suggestion struct {
	Path       lukasa.Path `json:"container"`
	Confidence float64     `json:"confidence"`
	New        bool        `json:"new"`              // the container is not there yet
	Why        string      `json:"why"`              // in words
	Wanted     lukasa.Path `json:"wanted,omitempty"` // it would be deeper than the tree may be; Path is the deepest that fits
}

// Sure reports whether the suggestion is to be followed without asking.
func (p *Path) Sure(s Suggestion) bool { return s.Path != "" && s.Confidence >= p.opt.Threshold }

// SuggestText is how many bytes of the content a suggestion reads.
const SuggestText = 20_000

// What a suggestion weighs.
const (
	suggestNodes  = 50   // nodes whose keywords are looked at
	suggestNamed  = 3    // records that have to name something before it gets a node of its own
	nameWeight    = 0.75 // that the content says a node's name
	keywordWeight = 0.9  // at most, for keywords that are shared
)

// Suggest says in which node content belongs: the one whose name and keywords it shares, or a new one for what it is about, if
// enough was said of that before. An empty path means that nothing fits.
func (p *Path) Suggest(ctx context.Context, sc lukasa.Scope, title, content string) (best Suggestion, err error) {
	content = title + "\n" + content
	if len(content) > SuggestText {
		content = strings.ToValidUTF8(content[:SuggestText], "")
	}
	terms := termsOf(content, p)
	if len(terms.weight) == 0 {
		return best, nil
	}
	err = p.view(ctx, sc, time.Time{}, func(r store.Reader) error {
		nodes, err := r.Nodes(nil, false)
		if err != nil {
			return err
		}
		if best, err = p.fitting(ctx, r, sc, nodes, terms, content); err != nil || p.Sure(best) {
			return err
		}
		fresh, err := p.emerging(r, sc, nodes, terms)
		if err == nil && fresh.Confidence > best.Confidence {
			best = fresh
		}
		return err
	})
	best.Confidence = math.Round(best.Confidence*1000) / 1000
	return best, err
}

// terms are what a text is about: entities and topics with their share of it.
type terms struct {
	weight map[string]float64 // by folded term; they add up to 1
	named  []lexis.Entity     // most often named first
	total  int                // mentions of entities
}

func termsOf(content string, p *Path) terms {
	t := terms{weight: map[string]float64{}}
	for _, e := range lexis.Entities(content) {
		t.named = append(t.named, e)
		t.total += max(1, e.Count)
		t.weight[Fold(e.Name)] += 2 * float64(max(1, e.Count))
	}
	d := distil.Describe(content, "", "text", p.now())
	for _, k := range slices.Concat(d.Keywords.Topics, d.Tags) {
		t.weight[Fold(strings.ReplaceAll(k, "-", " "))]++
	}
	sum := 0.0
	for _, w := range t.weight {
		sum += w
	}
	for k := range t.weight {
		t.weight[k] /= sum
	}
	return t
}

// fitting finds the node that content fits best: it says the node's name, or shares its keywords.
func (p *Path) fitting(ctx context.Context, r store.Reader, sc lukasa.Scope, nodes []lukasa.Node, t terms, content string) (Suggestion, error) {
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b lukasa.Node) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	var best Suggestion
	for i, n := range nodes {
		if n.Path == lukasa.DefaultPath {
			continue
		}
		said := Says(content, nameOf(n)) && len(nameOf(n)) > 2
		if i >= suggestNodes && !said {
			continue
		}
		in, err := p.inside(ctx, r, sc, n, time.Time{})
		if err != nil {
			return best, err
		}
		shared := 0.0
		var which []string
		for _, k := range slices.Concat(in.Keywords.Entities, in.Keywords.Topics, n.Keywords.Entities, n.Keywords.Topics) {
			if w := t.weight[Fold(k)]; w > 0 && !slices.Contains(which, k) {
				shared += w
				which = append(which, k)
			}
		}
		s := Suggestion{Path: n.Path, Confidence: keywordWeight * min(1, 1.5*shared), Why: "it shares " + list(which)}
		if said {
			s.Confidence = 1 - (1-s.Confidence)*(1-nameWeight)
			s.Why = "it names " + nameOf(n)
			if len(which) > 0 {
				s.Why += " and shares " + list(which)
			}
		}
		if s.Confidence > best.Confidence || s.Confidence > 0 && s.Confidence == best.Confidence && n.Depth > best.Path.Depth() {
			best = s
		}
	}
	return best, nil
}

// nameOf is a node's name as a person would say it.
func nameOf(n lukasa.Node) string {
	return strings.NewReplacer("_", " ", "-", " ", "+", " ").Replace(n.Name)
}

// emerging suggests a node for what the content is mainly about, if it was named often enough before: 1 - 2^-n for n records,
// times how much of the content is about it. It stands below the container in which most of those records are.
func (p *Path) emerging(r store.Reader, sc lukasa.Scope, nodes []lukasa.Node, t terms) (Suggestion, error) {
	for _, e := range t.named[:min(len(t.named), 3)] {
		if e.Type == lexis.EntityOther || e.Type == lexis.EntityPlace {
			continue
		}
		known, err := r.EntitiesNamed([]string{e.Name})
		if err == nil {
			known, err = Seen(r, sc, known)
		}
		if err != nil || len(known) == 0 {
			return Suggestion{}, err
		}
		about, _, err := p.gatherAbout(r, sc, known[0])
		if err != nil {
			return Suggestion{}, err
		}
		n := about.Counts.Documents + about.Counts.RecallFiles
		if n < suggestNamed {
			continue
		}
		share := min(1, 0.5+float64(max(1, e.Count))/float64(max(1, t.total)))
		s := Suggestion{Confidence: share * (1 - math.Pow(2, -float64(n))), New: true, Why: e.Name + " was named in " + Count(n, "record") + " before"}
		s.place(sc, about, nodes, known[0].Name)
		return s, nil
	}
	return Suggestion{}, nil
}

// place finds the path of a new node: below the container that most mentions stand in, at the top where that is the one for content
// that names none. A sixth level becomes the container itself.
func (s *Suggestion) place(sc lukasa.Scope, about About, nodes []lukasa.Node, name string) {
	segment := lukasa.Path(lukasa.EscapeSegment(strings.ToLower(strings.ReplaceAll(name, " ", "-"))))
	if _, err := lukasa.ParsePath(string(segment)); err != nil {
		*s = Suggestion{}
		return
	}
	parent := sc.Root
	if len(about.Where) > 0 && about.Where[0].Path != lukasa.DefaultPath {
		parent = about.Where[0].Path
	}
	switch {
	case parent == "":
		s.Path = segment
	case parent.Depth() >= lukasa.MaxDepth:
		s.Wanted, s.Path, s.New = parent+"."+segment, parent, false
	default:
		s.Path = parent + "." + segment
	}
	if slices.ContainsFunc(nodes, func(n lukasa.Node) bool { return n.Path == s.Path }) {
		s.New = false
	}
}

// Choose returns the container for content that names none: the suggestion, if it is sure, else "". It makes no node; saving does.
func (p *Path) Choose(ctx context.Context, sc lukasa.Scope, title, content string) (lukasa.Path, Suggestion, error) {
	s, err := p.Suggest(ctx, sc, title, content)
	if err != nil || !p.Sure(s) || store.MayWrite(sc, s.Path) != nil {
		return "", s, err
	}
	return s.Path, s, nil
}

// Chosen tells the news of a choice that was followed.
func (p *Path) Chosen(sc lukasa.Scope, s Suggestion, node, record lukasa.ID) {
	n := lukasa.Node{ID: node, Path: s.Path}
	p.tell(sc, EventNodeChosen, n, record, map[string]any{"confidence": s.Confidence, "new": s.New})
	if s.Wanted != "" {
		p.tell(sc, EventNodeDepth, n, record, map[string]any{"wanted": s.Wanted, "depth": s.Wanted.Depth()})
	}
}
