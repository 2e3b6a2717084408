package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// maxWords is the length of a node's summary.
const maxWords = 200

// keywords are the terms that lead to a node: who is named there, and what its documents and memories are about. The more
// records share one, the further to the front it stands.
func (s *sample) keywords() lukasa.Keywords {
	var k lukasa.Keywords
	for _, e := range s.entities[:min(len(s.entities), 12)] {
		k.Entities = append(k.Entities, e.Name)
	}
	counts := map[string]int{}
	spelled := map[string]string{}
	add := func(list []string) {
		for _, t := range list {
			f := strings.ToLower(t)
			if counts[f]++; spelled[f] == "" {
				spelled[f] = t
			}
		}
	}
	for _, d := range s.documents {
		add(slices.Concat(d.Keywords.Topics, d.Tags))
		if len(s.entities) == 0 {
			k.Entities = append(k.Entities, d.Keywords.Entities...)
		}
	}
	for _, m := range s.memories {
		add(m.Tags)
	}
	for _, e := range s.entities {
		delete(counts, strings.ToLower(e.Name))
	}
	topics := make([]string, 0, len(counts))
	for t := range counts {
		topics = append(topics, t)
	}
	slices.SortFunc(topics, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for _, t := range topics[:min(len(topics), 12)] {
		k.Topics = append(k.Topics, spelled[t])
	}
	k.Entities = unique(k.Entities, 12)
	return k
}

func unique(list []string, n int) []string {
	var out []string
	for _, s := range list {
		if len(out) < n && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// summary says in at most 200 words what a node is about: what it was made for, what it holds, who is named, what was decided,
// and what its newest documents say. Without anything in it, it is the description alone.
func (s *sample) summary(m Manifest, k lukasa.Keywords) string {
	var parts []string
	if d := strings.TrimSpace(s.node.Description); d != "" {
		parts = append(parts, sentence(d))
	}
	if held := held(m); held != "" {
		parts = append(parts, held)
	}
	if len(k.Topics) > 0 {
		parts = append(parts, "It is about "+list(k.Topics[:min(6, len(k.Topics))])+".")
	}
	if who := s.people(); who != "" {
		parts = append(parts, who)
	}
	for _, mem := range s.best(8) {
		parts = append(parts, sentence(mem.Content))
	}
	for _, d := range s.documents[:min(len(s.documents), 6)] {
		text := d.Summary
		if text == "" {
			text = d.Title
		}
		parts = append(parts, sentence(text))
	}
	return fit(parts)
}

func held(m Manifest) string {
	var has []string
	for _, c := range []struct {
		n    int
		noun string
	}{{m.Documents, "document"}, {m.Memories, "memory"}, {m.Conversations, "conversation"}, {m.Messages, "message"}} {
		switch {
		case c.n == 1:
			has = append(has, "1 "+c.noun)
		case c.n > 1:
			has = append(has, fmt.Sprintf("%d %s", c.n, strings.TrimSuffix(c.noun, "y")+map[bool]string{true: "ies", false: "s"}[strings.HasSuffix(c.noun, "y")]))
		}
	}
	if len(has) == 0 {
		return ""
	}
	return "It holds " + list(has) + "."
}

// people names who and what is mentioned, by kind.
func (s *sample) people() string {
	kinds := map[string][]string{}
	for _, e := range s.entities[:min(len(s.entities), 12)] {
		kinds[e.Kind] = append(kinds[e.Kind], e.Name)
	}
	var out []string
	for _, k := range []struct{ kind, label string }{{"person", "People"}, {"organisation", "Organisations"}, {"place", "Places"}, {"product", "Products"}} {
		if names := kinds[k.kind]; len(names) > 0 {
			out = append(out, k.label+": "+list(names)+".")
		}
	}
	return strings.Join(out, " ")
}

// best are the memories that tell the most: defining ones first, then the surest.
func (s *sample) best(n int) []lukasa.Memory {
	mems := slices.Clone(s.memories)
	slices.SortStableFunc(mems, func(a, b lukasa.Memory) int {
		if a.Kind.Defining() != b.Kind.Defining() {
			return map[bool]int{true: -1, false: 1}[a.Kind.Defining()]
		}
		return cmp.Compare(b.Confidence, a.Confidence)
	})
	return mems[:min(n, len(mems))]
}

func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func sentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?:;\"”…") {
		s += "."
	}
	return s
}

// fit joins as many parts as the words allow, each once; what is too long is cut at a word.
func fit(parts []string) string {
	var out []string
	left := maxWords
	for _, part := range parts {
		words := strings.Fields(part)
		if len(words) == 0 || slices.Contains(out, part) {
			continue
		}
		if len(words) > left {
			if left >= 12 {
				out = append(out, strings.Join(words[:left-1], " ")+" …")
			}
			break
		}
		out = append(out, part)
		left -= len(words)
	}
	return strings.Join(out, " ")
}
