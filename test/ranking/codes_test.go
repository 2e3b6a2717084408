package ranking

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

// H-12: of two hundred notes of the same words each is found first by its code, although all the words of the code stand in many of them; and
// so it is where the code is asked for with other signs between its words.
func TestCodes(t *testing.T) {
	t.Parallel()
	file := codes(t, 1)
	for _, ranker := range []string{"lukasa", "text"} {
		t.Run(ranker, func(t *testing.T) {
			t.Parallel()
			firsts(t, ask(t, file, ranker))
		})
	}
}

// TestCodesPostgres is TestCodes where the index is in PostgreSQL.
func TestCodesPostgres(t *testing.T) {
	t.Parallel()
	url := os.Getenv("LUKASA_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	firsts(t, ask(t, codes(t, 20), "lukasa", "LUKASA_STORE_PROVIDER=postgres", "LUKASA_STORE_URL="+url, "LUKASA_STORE_CONNECTIONS=4", "LUKASA_INDEX_PROVIDER=pgvector"))
}

// firsts fails where a question's evidence does not come first.
func firsts(t *testing.T, out []byte) {
	t.Helper()
	if got := means(t, out)[0]; got != 100 {
		t.Errorf("%v %% of the codes find their note first, want 100\n%s", got, out)
	}
}

// codes writes the notes, and each so manieth question, as a data file.
func codes(t *testing.T, every int) string {
	t.Helper()
	c := bench.Conversation{Name: "codes", Source: "written for this test"}
	numbers := []string{"2", "4", "10", "12", "16", "20"}
	note := func(code string, asked ...string) {
		id := fmt.Sprintf("n%03d", len(c.Turns))
		// all at one time, so that nothing else tells them apart
		c.Turns = append(c.Turns, bench.Turn{ID: id, Session: id, Time: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Format(time.RFC3339), Text: "The seal of pump " + code + " was replaced and the bearing greased."})
		for _, a := range asked {
			c.Questions = append(c.Questions, bench.Question{ID: fmt.Sprint("q", len(c.Questions)+1), Text: "when was the bearing of pump " + a + " greased", Category: "codes", Evidence: []string{id}})
		}
	}
	for _, x := range numbers {
		for _, y := range numbers {
			for _, z := range numbers[:5] {
				words := []string{x, y, z}
				sign := []string{"-", "/", "."}[len(c.Turns)%3]
				note(strings.Join(words, sign), strings.Join(words, sign), strings.Join(words, []string{"-", "/"}[len(c.Turns)%2]))
			}
		}
	}
	for letter := range strings.SplitSeq("A I S T M", " ") { // stop words on their own
		for _, x := range numbers[:4] {
			note(letter+"-"+x, letter+"-"+x, letter+x, strings.ToLower(letter)+"/"+x)
		}
	}
	c.Questions = slices.DeleteFunc(c.Questions, func(q bench.Question) bool { n, _ := strconv.Atoi(q.ID[1:]); return n%every != 0 })
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "codes.jsonl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What an assistant answered is found by what only it says: the function in its code, a table's words, although long answers are rarely what is
// asked for. The one who asks has a name in the second conversation, which is no reason to pass over the answers.
func TestAnswersWithCode(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"user", "Mira"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			c := bench.Conversation{Name: "code", Source: "written for this test", Speakers: []string{user, "assistant"}}
			say := func(speaker, text string) string {
				id := fmt.Sprintf("t%02d", len(c.Turns))
				c.Turns = append(c.Turns, bench.Turn{
					ID: id, Session: "s", Speaker: speaker, Text: text,
					Time: time.Date(2026, 3, 1, 9, len(c.Turns), 0, 0, time.UTC).Format(time.RFC3339),
				})
				return id
			}
			question := func(question, evidence string) {
				c.Questions = append(c.Questions, bench.Question{ID: fmt.Sprint("q", len(c.Questions)+1), Text: question, Category: "code", Evidence: []string{evidence}})
			}
			say(user, "Hello there.")
			code := say("assistant", "```go\n// retryWithBackoff calls fn until it succeeds, with a pause that doubles each time and a little jitter.\n"+
				"func retryWithBackoff(ctx context.Context, attempts int, fn func() error) error {\n\tfor i := range attempts {\n\t\tif err := fn(); err == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn errTired\n}\n```")
			say(user, "Fine, thanks.")
			table := say("assistant", "| region | sales |\n|---|---|\n| EMEA | 4711 |\n| APAC | 815 |\n\nThat is all that the report of the quarter holds; more is in the books of each branch.")
			for i := range 12 {
				say(user, fmt.Sprintf("The lamp in room %d is broken.", i))
				say("assistant", "Noted.")
			}
			question("retryWithBackoff", code)
			question("where is retryWithBackoff defined?", code)
			question("errTired", code)
			question("EMEA sales", table)
			b, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "code.jsonl")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			firsts(t, ask(t, path, "lukasa"))
		})
	}
}
