package ingest

import (
	"regexp"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxReferences bounds what one recall file points to.
const maxReferences = 100

// pointer is how a message names something that is kept: its id here, or the address that it was saved from.
var pointer = regexp.MustCompile(`\b(?:doc|mem|msg|conv)_[0-9a-z]{26}\b|https?://[^\s<>"'` + "`" + `\[\]{}|\\^]+`)

// refer links a recall file to the records that its messages name. What is not here, or in another part of the tree than the
// caller may see, is left out.
func refer(tx store.Tx, s lukasa.Segment, node lukasa.ID, msgs []lukasa.Message) error {
	var edges []lukasa.Edge
	seen := map[string]bool{string(s.Document): true, "": true}
	for _, m := range msgs {
		for _, name := range pointer.FindAllString(m.Content, -1) {
			if seen[name] || len(seen) > 10*maxReferences || len(edges) == maxReferences {
				continue
			}
			seen[name] = true
			to, err := pointedTo(tx, node, name)
			if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
				return err
			}
			if err != nil || to == "" || seen[string(to)] && string(to) != name {
				continue
			}
			seen[string(to)] = true
			edges = append(edges, lukasa.Edge{
				From: string(s.Document), To: string(to), Type: lukasa.EdgeReferences, Weight: 1, Confidence: 1, Metadata: map[string]any{"message": string(m.ID)},
			})
		}
	}
	if len(edges) == 0 {
		return nil
	}
	return tx.PutEdges(edges)
}

// pointedTo finds the record that a message names, "" or an error for none. A message stands for the recall file that it is in, an
// address for what was saved from it in the same container.
func pointedTo(r store.Reader, node lukasa.ID, name string) (lukasa.ID, error) {
	if strings.Contains(name, "://") {
		d, err := r.LatestBy(node, "source_url", strings.TrimRight(name, ".,;:!?)*_"))
		return d.ID, err
	}
	switch kind, _, _ := strings.Cut(name, "_"); lukasa.Prefix(kind) {
	case lukasa.PrefixDocument:
		d, err := r.Document(known(lukasa.PrefixDocument, name))
		return d.ID, err
	case lukasa.PrefixMemory:
		m, err := r.Memory(known(lukasa.PrefixMemory, name))
		return m.ID, err
	case lukasa.PrefixMessage:
		list, err := r.MessagesByID([]lukasa.ID{known(lukasa.PrefixMessage, name)})
		if err != nil || len(list) == 0 {
			return "", err
		}
		return list[0].Document, nil
	}
	c, err := r.Conversation(known(lukasa.PrefixConversation, name))
	return c.ID, err
}
