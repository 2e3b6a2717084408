package api_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/api"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	message := []string{"content", "forget_after", "id", "metadata", "role", "session", "speaker", "time"}
	search := []string{"container", "containers", "filters", "limit", "query", "ranker", "threshold", "valid_at"}
	for _, c := range []struct {
		field string
		takes []string
		want  string
	}{
		{"timestamp", message, "did you mean time?"},
		{"created_at", message, "did you mean time?"},
		{"created_at", []string{"content", "occurred_at"}, "did you mean occurred_at?"},
		{"name", message, "did you mean speaker?"},
		{"forgetAfter", message, "did you mean forget_after?"},
		{"Session", message, "did you mean session?"},
		{"rôle", message, "did you mean role?"},
		{"contnet", message, "did you mean content?"},
		{"top_k", search, "did you mean limit?"},
		{"user_id", search, "did you mean container?"},
		{"filter", search, "did you mean filters?"},
		{"querry", search, "did you mean query?"},
		{"limits", search, "did you mean limit?"},
		{"valid_to", search, "did you mean valid_at?"},
		{"foo", []string{"query", "limit"}, "there are query, limit"},
		{"it", message, "there are content, forget_after, id, metadata, role, session, speaker, time"},
		{"foo", nil, "leave it out"},
	} {
		if got := api.Meant(c.field, c.takes); got != c.want {
			t.Errorf("%s among %v: %q, want %q", c.field, c.takes, got, c.want)
		}
	}
}
