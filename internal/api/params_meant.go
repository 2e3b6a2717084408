package api

import (
	"slices"
	"strings"
)

// others holds what other memory systems, and people, call a field that has another name here.
var others = map[string][]string{
	"timestamp": {"time", "occurred_at"}, "created_at": {"time", "occurred_at"}, "date": {"time", "occurred_at"}, "name": {"speaker", "title"},
	"author": {"speaker"}, "sender": {"speaker"}, "text": {"content", "query"}, "message": {"content"}, "memory": {"content"}, "body": {"content"},
	"q": {"query"}, "question": {"query"}, "top_k": {"limit"}, "k": {"limit"}, "n": {"limit"}, "size": {"limit"}, "page_size": {"limit"}, "count": {"limit"},
	"user_id": {"container"}, "agent_id": {"container"}, "app_id": {"container"}, "namespace": {"container"}, "project": {"container"}, "space": {"container"},
	"containerTag": {"container"}, "containerTags": {"containers", "container"}, "collection": {"container"}, "folder": {"container"}, "session_id": {"session", "conversation"},
	"run_id": {"conversation", "session"}, "thread_id": {"conversation"}, "conversation_id": {"conversation"}, "external_id": {"id", "custom_id"}, "url": {"source_url"},
	"expiration_date": {"forget_after"}, "expires_at": {"forget_after"}, "ttl": {"forget_after"}, "min_score": {"threshold"}, "score_threshold": {"threshold"}, "labels": {"tags"},
	"categories": {"tags"}, "meta": {"metadata"}, "filter": {"filters"}, "where": {"filters"}, "types": {"type", "kind"}, "category": {"kind"},
}

// Meant is the hint for a field that a request does not have: the one that was meant, or those that there are.
func Meant(field string, takes []string) string {
	for _, name := range takes {
		if bare(name) == bare(field) || bare(name) == bare(field)+"s" || bare(name)+"s" == bare(field) {
			return "did you mean " + name + "?"
		}
	}
	for _, name := range others[field] {
		if slices.Contains(takes, name) {
			return "did you mean " + name + "?"
		}
	}
	best, far := "", 2 // edits at the most; of short names one
	if len(field) < 5 {
		far = 1
	}
	for _, name := range takes {
		if d := edits(field, name); d <= far && len(name) > 2 {
			best, far = name, d-1
		}
	}
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case len(takes) == 0:
		return "leave it out"
	}
	return "there are " + strings.Join(takes, ", ")
}

// bare is a name without what spellings differ in: occurredAt and occurred_at.
func bare(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// edits counts the letters to add, take away or change that make one name of the other.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
