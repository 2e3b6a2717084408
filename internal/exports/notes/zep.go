package notes

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Zep documents no export of its own. What its lists answer is read, and what Graphiti keeps, whose fields are the same: edges with
// their facts, nodes with their summaries, episodes (https://help.getzep.com/reading-data-from-the-graph), and the messages of a
// thread or session, each list in a file of its own or under its name. A fact that has expired had been replaced there: it is counted.

func zepFiles(s *exports.Source) []exports.File {
	return jsonFiles(s, func(head string) bool {
		has := func(key string) bool { return strings.Contains(head, `"`+key+`"`) }
		return has("fact") && has("source_node_uuid") || has("uuid") && (has("content") && (has("role_type") || has("row_count") || has("source_description")) ||
			has("name") && has("summary") && has("labels"))
	})
}

type zepItem struct {
	UUID        exports.Scalar   `json:"uuid"`
	Name        exports.Scalar   `json:"name"`
	Fact        exports.Words    `json:"fact"`
	Summary     exports.Words    `json:"summary"`
	Content     exports.Words    `json:"content"`
	Role        exports.Scalar   `json:"role"`
	RoleType    exports.Scalar   `json:"role_type"`
	Thread      exports.Scalar   `json:"thread_id"`
	Session     exports.Scalar   `json:"session_id"`
	Source      exports.Scalar   `json:"source"`
	Described   exports.Scalar   `json:"source_description"`
	SourceNode  exports.Scalar   `json:"source_node_uuid"`
	TargetNode  exports.Scalar   `json:"target_node_uuid"`
	SourceName  exports.Scalar   `json:"source_node_name"`
	TargetName  exports.Scalar   `json:"target_node_name"`
	Labels      []exports.Scalar `json:"labels"`
	Attributes  map[string]any   `json:"attributes"`
	Metadata    map[string]any   `json:"metadata"`
	Created     exports.Moment   `json:"created_at"`
	Valid       exports.Moment   `json:"valid_at"`
	Invalid     exports.Moment   `json:"invalid_at"`
	Expired     exports.Moment   `json:"expired_at"`
	ReferenceAt exports.Moment   `json:"reference_time"`
}

func readZep(r *reading) {
	for _, f := range zepFiles(r.Source) {
		talks := map[string]*exports.Talk{}
		var order []string
		r.records(f, []string{"edges", "facts", "nodes", "episodes", "messages", "results", "data", "items"}, func(where, key string, raw json.RawMessage) {
			var x zepItem
			if !r.Fits(where, &x, json.Unmarshal(raw, &x)) {
				return
			}
			if x.Content.Scalar == "" || key == "episodes" || x.Source != "" || x.Described != "" {
				r.zepRecord(where, &x)
				return
			}
			id := exports.Either(exports.FirstOf(x.Thread, x.Session), f.Stem())
			if talks[id] == nil {
				talks[id] = r.Talk(where, r.ID(id), id)
				order = append(order, id)
			}
			l := exports.Line{ID: string(x.UUID), Role: string(x.RoleType), Speaker: string(x.Role), Content: string(x.Content.Scalar), At: x.Created.Time, Meta: exports.Meta{}}
			if l.Role == "" {
				l.Role, l.Speaker = string(x.Role), string(x.Name)
			}
			if !slices.Contains([]string{exports.RoleUser, exports.RoleAssistant, exports.RoleSystem, exports.RoleTool}, l.Role) {
				l.Role = exports.RoleUser
			}
			maps.Copy(l.Meta, x.Metadata)
			talks[id].Where = where
			talks[id].Add(l)
		})
		for _, id := range order {
			talks[id].Flush()
		}
	}
}

// zepRecord makes a memory of a fact, and a document of a node or an episode.
func (r *reading) zepRecord(where string, x *zepItem) {
	m := exports.Meta{}
	maps.Copy(m, x.Attributes)
	maps.Copy(m, x.Metadata)
	id := r.ID(exports.Either(string(x.UUID), exports.Digest(string(x.Name), string(x.Fact.Scalar), string(x.Summary.Scalar), string(x.Content.Scalar))))
	switch {
	case x.SourceNode != "" || x.Fact.Scalar != "":
		if !x.Expired.IsZero() {
			r.Leave("facts that others have replaced")
			return
		}
		at := x.Valid.Time
		if at.IsZero() {
			at = x.Created.Time
		}
		m.Str("relation", string(x.Name)).Str("from", exports.FirstOf(x.SourceName, x.SourceNode)).Str("to", exports.FirstOf(x.TargetName, x.TargetNode))
		r.Memory(where, id, string(x.Fact.Scalar), nil, at, m.At("valid_from", x.Valid.Time).At("valid_to", x.Invalid.Time))
	case x.Content.Scalar != "":
		n := exports.Note{ID: id, Title: string(x.Described), Body: string(x.Content.Scalar), Kind: "text", Made: x.Created.Time, Happened: x.ReferenceAt.Time}
		if x.Source == "json" {
			n.Kind = "json"
		}
		n.Meta = m.Str("source", string(x.Source)).Str("thread", exports.FirstOf(x.Thread, x.Session)).Str("role", string(x.Role))
		r.Note(where, n)
	case text.Blank(string(x.Summary.Scalar)):
		r.Leave("nodes without a summary")
	default:
		n := exports.Note{ID: id, Title: string(x.Name), Body: string(x.Summary.Scalar), Kind: "text", Made: x.Created.Time, Meta: m}
		for _, label := range x.Labels {
			if label != "Entity" { // every node has it
				n.Tags = append(n.Tags, string(label))
			}
		}
		r.Note(where, n)
	}
}
