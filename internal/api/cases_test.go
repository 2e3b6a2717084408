package api_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// The behavioural test cases of the hybrid-search document, section 13, through the real HTTP door.

const article = `<html><head><title>Keeping bees</title><style>p{}</style></head><body><nav>Home Shop Login</nav><header>Site header</header>
<article><h1>Keeping bees</h1><p>Bees need <b>water</b> and a <a href="https://example.org/hive">hive</a>.</p><ul><li>smoker</li><li>veil</li></ul></article>
<footer>Copyright nobody</footer><script>alert("no")</script></body></html>`

// H-1
func TestCaseSavePlainText(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.must(201, "POST", "/v3/memory", obj{"content": "Maria keeps her bicycle in the cellar. It is green."})
	if text(out, "summary") == "" || len(objs(out["chunks"])) != 1 || text(out, "status") != "done" {
		t.Fatalf("want summary, one chunk and status done: %v", out)
	}
	if r := s.recall("bicycle"); len(r) != 1 || text(r[0], "document_id") != text(out, "id") {
		t.Fatalf("not recalled in the next call: %v", r)
	}
}

// H-2
func TestCaseSaveHTML(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.save(article, "content_type", "html")
	doc := s.must(200, "GET", "/v3/documents/"+text(out, "id"), nil)
	got := text(doc, "document", "content")
	for _, want := range []string{"# Keeping bees", "**water**", "[hive](https://example.org/hive)", "- smoker"} {
		if !strings.Contains(got, want) {
			t.Errorf("text lacks %q:\n%s", want, got)
		}
	}
	for _, not := range []string{"alert", "Login", "Site header", "Copyright"} {
		if strings.Contains(got, not) {
			t.Errorf("text still has %q:\n%s", not, got)
		}
	}
	if r := s.recall("smoker veil"); len(r) != 1 {
		t.Errorf("not searchable: %v", r)
	}
}

// H-4
func TestCaseSaveCode(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	var b strings.Builder
	b.WriteString("package shop\n\n")
	for i := range 40 {
		fmt.Fprintf(&b, "// Price%d adds the tax of region %d.\nfunc Price%d(net float64) float64 {\n\tif net < 0 {\n\t\treturn 0\n\t}\n\treturn net * 1.%02d\n}\n\n", i, i, i, i+1)
	}
	out := s.save(b.String(), "content_type", "code")
	doc := s.must(200, "GET", "/v3/documents/"+text(out, "id"), nil)
	if text(doc, "document", "content") != strings.TrimRight(b.String(), "\n") && text(doc, "document", "content") != b.String() {
		t.Error("code was changed")
	}
	if text(doc, "document", "language") != "Go" {
		t.Errorf("language %q", text(doc, "document", "language"))
	}
	chunks := objs(doc["chunks"])
	if len(chunks) < 2 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for _, c := range chunks {
		if strings.Count(text(c, "content"), "func Price") != strings.Count(text(c, "content"), "\n}") {
			t.Errorf("a chunk cuts a function:\n%s", text(c, "content"))
		}
	}
}

// H-7
func TestCaseDeduplication(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	a := s.must(201, "POST", "/v3/memory", obj{"content": "The spare key is under the third pot."})
	b := s.must(200, "POST", "/v3/memory", obj{"content": "The spare key is under the third pot.", "tags": []string{"home"}})
	if text(a, "id") != text(b, "id") || b["deduplicated"] != true {
		t.Fatalf("second save made a new document: %v", b)
	}
	if n := len(s.recall("spare key")); n != 1 {
		t.Fatalf("%d results", n)
	}
	// a custom_id of its own makes a document of its own, found again under it
	for i, status := range []int{201, 200} {
		x := s.must(status, "POST", "/v1/documents", obj{"content": "The spare key is under the third pot.", "custom_id": "note-9", "metadata": obj{"by": "Ben"}})
		if text(x, "id") == text(a, "id") || text(x, "custom_id") != "note-9" {
			t.Errorf("save %d under a custom_id: %v", i, x)
		}
		l := objs(s.must(200, "GET", "/v1/documents?custom_id=note-9", nil)["items"])
		if len(l) != 1 || text(l[0], "id") != text(x, "id") || text(l[0], "metadata", "by") != "Ben" {
			t.Errorf("documents under note-9: %v", l)
		}
	}
	// an explicit predecessor makes a version of the same content
	c := s.must(201, "POST", "/v3/memory", obj{"content": "The spare key is under the third pot.", "updates_memory_id": text(a, "id")})
	if text(c, "id") == text(a, "id") || num(c, "version") != 2 {
		t.Fatalf("no version was made: %v", c)
	}
}

// H-8
func TestCaseVersionChain(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	a := s.save("Opening hours: nine to five.", "source_url", "https://example.org/hours")
	b := s.save("Opening hours: ten to six.", "source_url", "https://example.org/hours")
	if num(b, "version") != 2 {
		t.Fatalf("version %v", b["version"])
	}
	doc := s.must(200, "GET", "/v3/documents/"+text(b, "id"), nil)
	vs := objs(doc["versions"])
	if len(vs) != 2 || text(vs[0], "id") != text(b, "id") || text(vs[1], "id") != text(a, "id") || text(vs[0], "previous_id") != text(a, "id") {
		t.Fatalf("chain: %v", vs)
	}
	if r := s.recall("opening hours"); len(r) != 1 || text(r[0], "document_id") != text(b, "id") {
		t.Fatalf("search shows an old version: %v", r)
	}
	// A → B → A is version 3
	c := s.save("Opening hours: nine to five.", "source_url", "https://example.org/hours")
	if num(c, "version") != 3 {
		t.Fatalf("A→B→A is version %v", c["version"])
	}
}

// H-9
func TestCaseChunking(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "Sentence number %d tells of the harbour and the ships that lay there in winter. ", i)
		if i%10 == 9 {
			b.WriteString("\n\n")
		}
	}
	out := s.save(b.String())
	chunks := objs(out["chunks"])
	if len(chunks) < 5 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, c := range chunks {
		body := text(c, "content")
		if !strings.HasPrefix(body, "Sentence") || !strings.HasSuffix(strings.TrimSpace(body), ".") {
			t.Errorf("chunk %d is cut inside a sentence: %q … %q", i, body[:20], body[len(body)-20:])
		}
		if i > 0 && num(c, "start") >= num(chunks[i-1], "end") {
			t.Errorf("chunks %d and %d share nothing", i-1, i)
		}
	}
}

// H-10
func TestCaseMetadataAndSummary(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.save("# Backup plan\n\nWe copy the database every night at two. The copies go to a second building. Restoring takes ten minutes. We practise restoring twice a year.")
	doc := s.must(200, "GET", "/v1/documents/"+text(out, "id"), nil)
	if text(doc, "summary") == "" || text(doc, "category") == "" || text(doc, "language") != "en" {
		t.Fatalf("summary %q, category %q, language %q", text(doc, "summary"), text(doc, "category"), text(doc, "language"))
	}
	if kw, _ := doc["keywords"].(obj); len(kw) == 0 {
		t.Error("no keywords")
	}
}

// H-11
func TestCaseVectorOnlyMatch(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.save("the automobile repair shop called")
	for i := range 500 {
		s.must(201, "POST", "/v1/documents", obj{"content": distractor(i)})
	}
	for _, ranker := range []string{"lukasa", "weighted", "vector"} {
		r := s.must(200, "POST", "/v1/search", obj{"query": "fixing my car", "ranker": ranker, "limit": 3})
		found := false
		for _, h := range objs(r["results"]) {
			found = found || text(h, "document", "id") == text(out, "id")
		}
		if !found {
			t.Errorf("%s: not among the first three: %v", ranker, r["results"])
		}
	}
}

func distractor(i int) string {
	subjects := []string{"The choir", "Our landlord", "A heron", "The committee", "My grandmother", "The printer", "Lisa", "The baker", "A storm", "The river"}
	verbs := []string{"painted", "postponed", "forgot", "measured", "praised", "bought", "hid", "translated", "copied", "opened"}
	things := []string{"the blue curtain", "a long poem", "seven lemons", "the winter concert", "an old map", "the garden gate", "some porridge", "the tax form", "a wooden flute", "the night train"}
	return fmt.Sprintf("%s %s %s on day %d.", subjects[i%10], verbs[i/10%10], things[i/100%10], i)
}

// H-12
func TestCaseKeywordOnlyMatch(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.save("Error XK-7741-Q shows when the valve sticks.")
	for i := range 100 {
		s.must(201, "POST", "/v1/documents", obj{"content": distractor(i)})
	}
	if r := s.recall("XK-7741-Q"); len(r) == 0 || text(r[0], "document_id") != text(out, "id") {
		t.Fatalf("exact word not found first: %v", r)
	}
}

// H-13
func TestCaseHybridBoost(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	both := s.save("The car repair shop fixed my brakes.")
	s.save("An automobile garage mended the vehicle.")
	s.save("Repair of the church organ costs a fortune.")
	r := s.recall("car repair")
	if len(r) == 0 || text(r[0], "document_id") != text(both, "id") {
		t.Fatalf("the match in both signals is not first: %v", r)
	}
	if num(r[0], "vector_score") <= 0 || num(r[0], "text_score") <= 0 {
		t.Fatalf("parts: %v", r[0])
	}
}

// H-14
func TestCaseRecencyBonus(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	old := s.save("The lantern stands in the hall")
	s.clock.Advance(30 * 24 * time.Hour)
	fresh := s.save("The lantern stands in the hall.") // differs by its full stop
	r := s.recall("lantern hall")
	if len(r) != 2 || text(r[0], "document_id") != text(fresh, "id") || text(r[1], "document_id") != text(old, "id") {
		t.Fatalf("order: %v", r)
	}
	if a, b := num(r[0], "recency_bonus"), num(r[1], "recency_bonus"); math.Abs(a-.1) > 1e-3 || math.Abs(b-.1*math.Exp(-1)) > 1e-3 {
		t.Fatalf("recency %v and %v, want 0.1 and 0.037", a, b)
	}
}

// H-15
func TestCaseScoreFormula(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.save("The ferry to the island leaves at noon.")
	s.save("The island has two harbours and a lighthouse.")
	s.save("Noon is when the bells ring.")
	best := 0.0
	for _, r := range s.recall("ferry island noon") {
		want := .6*num(r, "vector_score") + .4*num(r, "text_score") + num(r, "recency_bonus")
		if math.Abs(num(r, "score")-want) > 1e-9 {
			t.Errorf("score %v, want %v from the parts", r["score"], want)
		}
		best = max(best, num(r, "text_score"))
	}
	if best != 1 {
		t.Errorf("the batch's best text score is %v, want 1", best)
	}
}

// H-16
func TestCaseResultGrouping(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "The lighthouse keeper wrote page %d of his diary about the lamp and the fog that came in. ", i)
	}
	long := s.save(b.String())
	s.save("A short note on the lighthouse.")
	r := s.recall("lighthouse")
	if len(r) != 2 {
		t.Fatalf("%d results for two documents", len(r))
	}
	seen := map[string]bool{}
	for _, x := range r {
		if seen[text(x, "document_id")] {
			t.Error("a document stands twice")
		}
		seen[text(x, "document_id")] = true
	}
	if !seen[text(long, "id")] {
		t.Error("the long document is missing")
	}
}

// H-17
func TestCaseProjectScoping(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	a := s.must(201, "POST", "/v3/projects", obj{"name": "Alpha project"})
	b := s.must(201, "POST", "/v3/projects", obj{"name": "Beta"})
	s.save("The password of the pump room is turbine.", "project_id", text(a, "id"))
	s.save("The pump room was painted grey.", "project_id", text(b, "id"))
	if r := s.recall("pump room", "project_id", text(a, "id")); len(r) != 1 || !strings.Contains(text(r[0], "content"), "turbine") {
		t.Errorf("project A: %v", r)
	}
	if r := s.recall("pump room", "project_id", text(b, "container")); len(r) != 1 || strings.Contains(text(r[0], "content"), "turbine") {
		t.Errorf("project B: %v", r)
	}
	if r := s.recall("pump room"); len(r) != 2 {
		t.Errorf("all projects: %v", r)
	}
}

// H-18
func TestCaseEmptyQueryAndTypeFilter(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.save("First note of three.")
	s.clock.Advance(time.Minute)
	s.save("<p>Second note, a page.</p>", "content_type", "html")
	s.clock.Advance(time.Minute)
	s.save("func third() {}\n", "content_type", "code")
	r := s.recall("")
	if len(r) != 3 || !strings.Contains(text(r[0], "content"), "third") || !strings.Contains(text(r[2], "content"), "First") {
		t.Fatalf("newest first: %v", r)
	}
	if r := s.recall("", "content_type", "html"); len(r) != 1 || !strings.Contains(text(r[0], "content"), "Second") {
		t.Errorf("only html: %v", r)
	}
	if r := s.recall("note third func", "content_type", []string{"code"}); len(r) != 1 || !strings.Contains(text(r[0], "content"), "third") {
		t.Errorf("only code: %v", r)
	}
}

// H-19
func TestCaseCache(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	a := s.must(201, "POST", "/v3/projects", obj{"name": "a"})
	b := s.must(201, "POST", "/v3/projects", obj{"name": "b"})
	s.save("The kettle is in the tent.", "project_id", text(a, "id"))
	s.save("The kettle is on the boat.", "project_id", text(b, "id"))
	ask := func(project string) (bool, int) {
		out := s.must(200, "POST", "/v3/recall", obj{"query": "kettle", "project_id": project})
		return out["cached"] == true, len(objs(out["results"]))
	}
	step := func(name, project string, wantCached bool, wantHits int) {
		t.Helper()
		if cached, n := ask(project); cached != wantCached || n != wantHits {
			t.Errorf("%s: cached %v with %d hits, want %v with %d", name, cached, n, wantCached, wantHits)
		}
	}
	step("first in a", text(a, "id"), false, 1)
	step("again in a", text(a, "id"), true, 1)
	step("first in b", text(b, "id"), false, 1)
	s.save("A second kettle hangs over the fire.", "project_id", text(a, "id"))
	step("a after a write to a", text(a, "id"), false, 2)
	step("b after a write to a", text(b, "id"), true, 1)
	s.clock.Advance(6 * time.Minute)
	step("b after six minutes", text(b, "id"), false, 1)
}

// H-24
func TestCaseAutoForget(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.save("The code of the gate is 4711.", "forget_after", s.clock.Now().Add(time.Hour).Format(time.RFC3339))
	if len(s.recall("gate code")) != 1 {
		t.Fatal("not found before its time")
	}
	s.clock.Advance(2 * time.Hour)
	if err := s.e.Forget(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r := s.recall("gate code"); len(r) != 0 {
		t.Errorf("still found: %v", r)
	}
	s.must(404, "GET", "/v3/documents/"+text(out, "id"), nil)
	if st := s.must(200, "GET", "/v1/stats", nil); num(st, "chunks") != 0 || num(st, "chunks_embedded") != 0 {
		t.Errorf("something is left: %v", st)
	}
}

// H-20
func TestCaseManualDelete(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.save("The violin is in the attic.")
	rm := s.must(200, "DELETE", "/v3/documents/"+text(out, "id"), nil)
	if got, _ := rm["removed"].(obj); rm["deleted"] != true || num(got, "chunks") != 1 || num(got, "memories") != 1 || num(got, "vectors") != 2 {
		t.Errorf("receipt: %v", rm)
	}
	s.must(404, "GET", "/v3/documents/"+text(out, "id"), nil)
	if r := s.recall("violin"); len(r) != 0 {
		t.Errorf("still found: %v", r)
	}
}

// H-25
func TestCaseLastAccessed(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.save("The ladder leans on the barn.")
	s.recall("ladder")
	s.e.Start()
	deadline := time.Now().Add(10 * time.Second)
	for {
		doc := s.must(200, "GET", "/v1/documents/"+text(out, "id"), nil)
		if text(doc, "last_accessed_at") != "" && num(doc, "access_count") == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("last accessed was not noted: %v", doc)
		}
	}
}

// H-27
func TestCaseValidation(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *config.Config) { c.RateLimit, c.RateBurst = 100, 10 }, engine.Options{})
	out := s.must(400, "POST", "/v3/memory", obj{"content": ""})
	if text(out, "error", "message") == "" || text(out, "error", "category") != "validation" {
		t.Errorf("empty content: %v", out)
	}
	s.must(404, "POST", "/v3/memory", obj{"content": "x", "project_id": "nowhere"})
	s.must(404, "POST", "/v3/recall", obj{"query": "x", "project_id": "node_00000000000000000000000000"})
	limited := s.must(201, "POST", "/v1/keys", obj{"name": "limited"})
	admin := s.key
	s.key = ""
	s.must(401, "POST", "/v3/recall", obj{"query": "x"})
	s.key = text(limited, "key")
	tooMany := 0
	for range 30 {
		if status, out := s.do("GET", "/v3/whoami", nil); status == http.StatusTooManyRequests {
			tooMany++
			if text(out, "error", "category") != "rate_limit" {
				t.Errorf("429: %v", out)
			}
		}
	}
	if tooMany < 15 {
		t.Errorf("%d of 30 requests in a moment were refused", tooMany)
	}
	s.clock.Advance(time.Minute)
	s.must(200, "GET", "/v3/whoami", nil)
	s.key = admin
	for range 30 {
		s.must(200, "GET", "/v3/whoami", nil) // the local admin key has no limit
	}
}

// flaky is an embedder that fails as it is told.
type flaky struct {
	embed.Embedder
	fail func(texts []string) ([][]float32, error)
}

// over puts it before the engine's own embedder.
func (f *flaky) over(e embed.Embedder) embed.Embedder {
	f.Embedder = e
	return f
}

func (f *flaky) Space() embed.Space {
	s := f.Embedder.Space()
	s.Local = false
	return s
}

func (f *flaky) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if v, err := f.fail(texts); err != nil {
		return v, err
	}
	return f.Embedder.Embed(ctx, texts)
}

// H-28, N-8: the embedder is down; the save stands and is flagged, is found by keyword, and gets its vectors later.
func TestCaseEmbedderDown(t *testing.T) {
	t.Parallel()
	down := true
	f := &flaky{fail: func([]string) ([][]float32, error) {
		if down {
			return nil, fmt.Errorf("connection refused")
		}
		return nil, nil
	}}
	s := serve(t, nil, engine.Options{Embed: f.over})
	out := s.must(202, "POST", "/v3/memory", obj{"content": "The automobile is parked behind the mill."})
	ctx := context.Background()
	if err := s.e.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	doc := s.must(200, "GET", "/v1/documents/"+text(out, "id"), nil)
	if text(doc, "status") != "embedding" || text(doc, "reason") == "" {
		t.Fatalf("status %q, reason %q", text(doc, "status"), text(doc, "reason"))
	}
	if r := s.recall("automobile mill"); len(r) != 1 {
		t.Fatalf("not found by keyword: %v", r)
	}
	down = false
	s.clock.Advance(time.Minute)
	if err := s.e.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	doc = s.must(200, "GET", "/v1/documents/"+text(out, "id"), nil)
	if text(doc, "status") != "done" || num(doc, "embedded_count") != 1 {
		t.Fatalf("not caught up: %v", doc)
	}
}

// H-28: three of five chunks embed; those three are kept, the other two are tried again.
func TestCasePartialIngestion(t *testing.T) {
	t.Parallel()
	bad := true
	f := &flaky{}
	f.fail = func(texts []string) ([][]float32, error) {
		if !bad {
			return nil, nil
		}
		out := make([][]float32, len(texts))
		good := 0
		for i, x := range texts {
			if strings.Contains(x, "poison") {
				continue
			}
			v, err := f.Embedder.Embed(context.Background(), []string{x})
			if err != nil {
				return nil, err
			}
			out[i] = v[0]
			good++
		}
		if good == len(texts) {
			return nil, nil
		}
		return out, fmt.Errorf("two of them failed")
	}
	s := serve(t, nil, engine.Options{Embed: f.over})
	var b strings.Builder
	for i := range 5 {
		word := "harmless"
		if i == 1 || i == 3 {
			word = "poison"
		}
		fmt.Fprintf(&b, "# Part %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprintf("Line of part %d is %s and speaks of mills. ", i, word), 20))
	}
	out := s.must(202, "POST", "/v3/memory", obj{"content": b.String(), "content_type": "markdown"})
	if len(objs(out["chunks"])) != 5 {
		t.Fatalf("%d chunks, the case wants 5", len(objs(out["chunks"])))
	}
	ctx := context.Background()
	if err := s.e.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	doc := s.must(200, "GET", "/v1/documents/"+text(out, "id"), nil)
	if num(doc, "embedded_count") != 3 || text(doc, "status") != "embedding" {
		t.Fatalf("%v chunks embedded, status %v; want 3 and embedding", doc["embedded_count"], doc["status"])
	}
	bad = false
	s.clock.Advance(time.Minute)
	if err := s.e.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	doc = s.must(200, "GET", "/v1/documents/"+text(out, "id"), nil)
	if num(doc, "embedded_count") != 5 || text(doc, "status") != "done" {
		t.Fatalf("%v chunks embedded, status %v; want 5 and done", doc["embedded_count"], doc["status"])
	}
}
