package ranking

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

// TestTongues asks notes in several languages in other forms of their words, by words alone and by the default ranker, and holds how many
// questions find their note among the first three. Stemming in the language of the notes must find more than words as they stand.
func TestTongues(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	fmt.Fprintf(&got, "%-4s %9s %15s %15s %15s\n", "", "questions", "as they stand", "ranker text", "ranker lukasa")
	for _, c := range tongueCorpora(t) {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "notes.jsonl")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		plain := asTheyStand(c)
		stemmed := among3(t, c, ask(t, file, "text"))
		if stemmed <= plain {
			t.Errorf("%s: %d questions find their note by stems, %d by words as they stand", c.Name, stemmed, plain)
		}
		percent := func(n int) float64 { return 100 * float64(n) / float64(len(c.Questions)) }
		fmt.Fprintf(&got, "%-4s %9d %15.1f %15.1f %15.1f\n", c.Name, len(c.Questions), percent(plain), percent(stemmed), percent(among3(t, c, ask(t, file, "lukasa"))))
	}
	path := filepath.Join("testdata", "tongues-recall3.txt")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("recall@3 has changed; if that is meant, run `make generate` and read the diff\n%s", got.Bytes())
	}
}

// TestScripts: texts in scripts that are not stemmed, or not cut into words, are found all the same.
func TestScripts(t *testing.T) {
	t.Parallel()
	c := bench.Conversation{Name: "scripts", Source: "written for this test"}
	for i, s := range [][2]string{
		{"我们昨天在湖边的老房子里见了面。", "老房子"},
		{"猫は昨日の夜もベランダで寝ていました。", "ベランダの猫"},
		{"어제 도서관에서 책을 세 권 빌렸습니다.", "도서관 책"},
		{"Η γιαγιά μου έφτιαξε δύο μηλόπιτες για τη γιορτή.", "γιαγια μηλόπιτες"},
		{"اشتريت كتابين جديدين من المكتبة القديمة.", "المكتبات"},
		{"קניתי שני ספרים חדשים בחנות הישנה.", "ספרים חנות בחנות"},
		{"เมื่อวานฉันซื้อหนังสือใหม่สองเล่มที่ตลาด", "หนังสือใหม่"},
		{"मैंने कल बाज़ार से दो नई किताबें खरीदीं।", "किताबें"},
		{"Старые письма лежат в ящике стола.", "старое письмо"},
	} {
		id := fmt.Sprint("n", i+1)
		c.Turns = append(c.Turns, bench.Turn{ID: id, Session: id, Text: s[0]})
		c.Questions = append(c.Questions, bench.Question{ID: fmt.Sprint("q", i+1), Text: s[1], Category: "scripts", Evidence: []string{id}})
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "scripts.jsonl")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ranker := range []string{"text", "lukasa"} {
		if out := ask(t, file, ranker); means(t, out)[0] != 100 {
			t.Errorf("ranker %s does not find all of them first:\n%s", ranker, out)
		}
	}
}

// tongueCorpora reads testdata/tongues.txt.
func tongueCorpora(t *testing.T) (all []bench.Conversation) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "tongues.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "= "); ok {
			all = append(all, bench.Conversation{Name: name, Source: "written for this test"})
			continue
		}
		if line == "" || len(all) == 0 {
			continue
		}
		c := &all[len(all)-1]
		if q, ok := strings.CutPrefix(line, "? "); ok {
			q, note, _ := strings.Cut(q, "\t")
			c.Questions = append(c.Questions, bench.Question{ID: fmt.Sprint("q", len(c.Questions)+1), Text: q, Category: c.Name, Evidence: []string{"n" + note}})
			continue
		}
		id := fmt.Sprint("n", len(c.Turns)+1)
		c.Turns = append(c.Turns, bench.Turn{ID: id, Session: id, Text: line})
	}
	return all
}

// among3 counts the questions whose note is among the first three, from the list that the command prints.
func among3(t *testing.T, c bench.Conversation, out []byte) (n int) {
	t.Helper()
	asked := 0
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[0], "q") {
			asked++
			if f[1] == "1" || f[1] == "2" || f[1] == "3" {
				n++
			}
		}
	}
	if asked != len(c.Questions) {
		t.Fatalf("%d of %d questions in:\n%s", asked, len(c.Questions), out)
	}
	return n
}

// asTheyStand counts them for BM25 over words in lower case, and nothing more: neither stemmed nor left out.
func asTheyStand(c bench.Conversation) (n int) {
	words := func(s string) (list []string) {
		for f := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" .,;:?!'’", r) }) {
			list = append(list, f)
		}
		return list
	}
	notes, df, total := make([]map[string]float64, len(c.Turns)), map[string]float64{}, 0.0
	length := make([]float64, len(c.Turns))
	for i, turn := range c.Turns {
		notes[i] = map[string]float64{}
		for _, w := range words(turn.Text) {
			if notes[i][w]++; notes[i][w] == 1 {
				df[w]++
			}
			length[i]++
			total++
		}
	}
	for _, q := range c.Questions {
		score := make([]float64, len(notes))
		for i := range notes {
			for _, w := range words(q.Text) {
				tf := notes[i][w]
				score[i] += math.Log(1+(float64(len(notes))-df[w]+.5)/(df[w]+.5)) * tf * 2.2 / (tf + 1.2*(.25+.75*length[i]*float64(len(notes))/total))
			}
		}
		better := 0
		var own float64
		for i, turn := range c.Turns {
			if turn.ID == q.Evidence[0] {
				own = score[i]
			}
		}
		for _, x := range score {
			if x > own {
				better++
			}
		}
		if own > 0 && better < 3 {
			n++
		}
	}
	return n
}
