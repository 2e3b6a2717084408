package pgvector

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// entry is a row of the table of entries, as JSON.
type entry struct {
	ID         lukasa.ID `json:"entry_id"`
	Type       string    `json:"type"`
	Document   string    `json:"document"`
	Session    string    `json:"session"`
	Seq        int64     `json:"seq"`
	WhenS      int64     `json:"when_s"`
	WhenN      int       `json:"when_n"`
	MadeS      int64     `json:"made_s"`
	MadeN      int       `json:"made_n"`
	Confidence *string   `json:"confidence"`
	Latest     bool      `json:"latest"`
	Labels     []string  `json:"labels"`
	Length     int       `json:"length"`
	Head       int       `json:"head"`
	Speaker    string    `json:"speaker"`
	Role       string    `json:"role"`
	Terms      string    `json:"terms"`
	Vector     *string   `json:"v"`

	words  map[string]string // by term, as it stands in the text
	tongue text.Tongue
}

// analysed is what a text says, in terms.
type analysed struct {
	terms strings.Builder
	n     int
	words map[string]string
}

func (a *analysed) add(an *text.Analyzer, s string) {
	an.Each(s, func(term []byte, _, start, end int) {
		if a.n > 0 {
			a.terms.WriteByte(' ')
		}
		a.n++
		a.terms.Write(term)
		if _, ok := a.words[string(term)]; !ok {
			a.words[string(term)] = plain(s[start:end])
		}
	})
}

// row makes the row of an entry.
func (x *Index) row(e *lukasa.Entry) entry {
	an := x.analyz.Get().(*text.Analyzer)
	defer x.analyz.Put(an)
	a := analysed{words: map[string]string{}}
	tongue := text.TongueOfText(e.Text, e.Language)
	an.Take(tongue)
	defer an.Take(text.English)
	a.add(an, e.Title)
	a.add(an, e.Speaker)
	head := a.n
	a.add(an, e.Text)
	w := e.When()
	r := entry{
		ID: e.ID, Type: plain(e.Type), Document: plain(e.Document), Session: sessionOf(e), Seq: e.Seq, WhenS: w.Unix(), WhenN: w.Nanosecond(),
		MadeS: e.CreatedAt.Unix(), MadeN: e.CreatedAt.Nanosecond(), Latest: e.Latest, Labels: labelsOf(e), Length: a.n, Head: head,
		Speaker: plain(e.Speaker), Role: plain(e.Role), Terms: a.terms.String(), words: a.words, tongue: tongue,
	}
	if !math.IsNaN(e.Confidence) {
		r.Confidence = new(strconv.FormatFloat(e.Confidence, 'g', -1, 64)) // JSON has no infinite numbers
	}
	if v := unit(e.Vector, x.opt.Dim); v != "" {
		r.Vector = &v
	}
	return r
}

// sessionOf names what an entry stands in together with its neighbours: a session of a conversation, or a document; "" for none.
func sessionOf(e *lukasa.Entry) string {
	key := ""
	switch {
	case e.Type == lukasa.EntryMessage && e.Conversation != "":
		key = "m" + strconv.Quote(string(e.Conversation)) + strconv.Quote(e.Session)
	case e.Document != "":
		key = "d" + strconv.Quote(string(e.Document))
	}
	return short(key)
}

// short gives a long text a short name, so that an index can hold it.
func short(s string) string {
	if len(s) <= 160 {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return "#" + hex.EncodeToString(sum[:])
}

// known is what the tables have of an entry.
type known struct {
	n      int64
	latest bool
	length int
	vector bool
	terms  string
}

// batch is what happens to the entries of one node at once.
type batch struct {
	x    *Index
	c    *pg.Conn
	node int // its number
	own  lukasa.ID
	puts []entry
	gone []lukasa.ID

	old                              map[lukasa.ID]known
	df                               map[string]int64  // by term: what is added
	words                            map[string]string // by term
	entries, vectors, latest, length int64
	tongues                          text.Tongues
	cut                              postings // postings to take out
	set                              postings // to put in
}

// postings are rows of the table of postings.
type postings struct {
	terms  []string
	entry  []int64
	tf     []int
	length []int
	latest []bool
}

// write puts entries into a node, and takes out others, whether it has them or not.
func (x *Index) write(ctx context.Context, c *pg.Conn, owner lukasa.ID, node int, puts []lukasa.Entry, gone []lukasa.ID) error {
	b := batch{x: x, c: c, node: node, own: owner, gone: gone, df: map[string]int64{}, words: map[string]string{}}
	at := make(map[lukasa.ID]int, len(puts))
	for i := range puts {
		r := x.row(&puts[i])
		if n, again := at[r.ID]; again {
			b.puts[n] = r
			continue
		}
		at[r.ID] = len(b.puts)
		b.puts = append(b.puts, r)
	}
	for _, step := range []func(context.Context) error{b.look, b.remove, b.upsert, b.postings, b.terms, b.count} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// look reads what the node has of the entries.
func (b *batch) look(ctx context.Context) error {
	ids := slices.Clone(b.gone)
	for i := range b.puts {
		ids = append(ids, b.puts[i].ID)
	}
	b.old = make(map[lukasa.ID]known)
	return b.c.Each(ctx, "SELECT entry_id, n, latest, length, v IS NOT NULL, terms FROM "+b.x.made.entries+" WHERE node = ?1 AND entry_id = ANY(?2::text[])",
		[]any{b.node, texts(ids)}, func(r sqlrows.Row) error {
			b.old[lukasa.ID(r.Text(0))] = known{n: r.Int64(1), latest: r.Bool(2), length: r.Int(3), vector: r.Bool(4), terms: r.Text(5)}
			return nil
		})
}

// forget counts an entry as it was out.
func (b *batch) forget(k known) {
	b.entries--
	b.vectors -= int64(btoi(k.vector))
	if k.latest {
		b.latest--
		b.length -= int64(k.length)
	}
}

// unpost takes the postings of an entry as it was out.
func (b *batch) unpost(k known) {
	for term := range counted(k.terms) {
		b.cut.terms, b.cut.entry = append(b.cut.terms, term), append(b.cut.entry, k.n)
		if k.latest {
			b.df[term]--
		}
	}
}

// counted returns how often each term stands in a list.
func counted(terms string) map[string]int {
	tf := map[string]int{}
	for term := range strings.SplitSeq(terms, " ") {
		if term != "" {
			tf[term]++
		}
	}
	return tf
}

func (b *batch) remove(ctx context.Context) error {
	var list []int64
	for _, id := range b.gone {
		if k, ok := b.old[id]; ok {
			list = append(list, k.n)
			delete(b.old, id)
			b.forget(k)
			b.unpost(k)
		}
	}
	if len(list) == 0 {
		return nil
	}
	_, err := b.c.Exec(ctx, "DELETE FROM "+b.x.made.entries+" WHERE n = ANY(?1::bigint[])", []any{numbers(list)})
	return err
}

func (b *batch) upsert(ctx context.Context) error {
	if len(b.puts) == 0 {
		return nil
	}
	list, err := json.Marshal(b.puts)
	if err != nil {
		return fmt.Errorf("write entries: %w", err)
	}
	const columns = "entry_id, type, document, session, seq, when_s, when_n, made_s, made_n, confidence, latest, labels, length, head, speaker, role, terms"
	kind, value := "text", "r.v"
	if b.x.made.kind != "" {
		kind, value = b.x.made.kind, "r.v::"+b.x.made.kind
	}
	var update strings.Builder
	for name := range strings.SplitSeq(columns, ", ") {
		update.WriteString(name + " = excluded." + name + ", ")
	}
	numbers := make(map[lukasa.ID]int64, len(b.puts))
	err = b.c.Each(ctx, "INSERT INTO "+b.x.made.entries+" AS e (owner_id, node, "+columns+", v) SELECT ?1, ?2::integer, "+columns+", "+value+` FROM json_to_recordset(?3::json) AS r(
entry_id text, type text, document text, session text, seq bigint, when_s bigint, when_n integer, made_s bigint, made_n integer, confidence double precision, latest boolean,
labels text[], length integer, head integer, speaker text, role text, terms text, v text)
ON CONFLICT (node, entry_id) DO UPDATE SET `+update.String()+"v = excluded.v RETURNING entry_id, n", []any{b.own, b.node, string(list)}, func(r sqlrows.Row) error {
		numbers[lukasa.ID(r.Text(0))] = r.Int64(1)
		return nil
	})
	if err != nil {
		return fmt.Errorf("write entries as %s: %w", kind, err)
	}
	for i := range b.puts {
		b.post(&b.puts[i], numbers[b.puts[i].ID])
	}
	return nil
}

// post counts an entry in, and its postings where they are not there already.
func (b *batch) post(e *entry, n int64) {
	k, there := b.old[e.ID]
	if there {
		b.forget(k)
	}
	b.entries++
	b.vectors += int64(btoi(e.Vector != nil))
	b.tongues = b.tongues.With(e.tongue)
	if e.Latest {
		b.latest++
		b.length += int64(e.Length)
	}
	if there && k.terms == e.Terms && k.latest == e.Latest {
		return
	}
	if there {
		b.unpost(k)
	}
	for term, tf := range counted(e.Terms) {
		p := &b.set
		p.terms, p.entry, p.tf, p.length, p.latest = append(p.terms, term), append(p.entry, n), append(p.tf, tf), append(p.length, e.Length), append(p.latest, e.Latest)
		b.df[term] += int64(btoi(e.Latest))
		if _, ok := b.words[term]; !ok {
			b.words[term] = e.words[term]
		}
	}
}

func (b *batch) postings(ctx context.Context) error {
	if len(b.cut.entry) > 0 {
		_, err := b.c.Exec(ctx, "DELETE FROM "+b.x.made.postings+" p USING unnest(?2::text[], ?3::bigint[]) AS o(term, entry) WHERE p.node = ?1 AND p.term = o.term AND p.entry = o.entry",
			[]any{b.node, texts(b.cut.terms), numbers(b.cut.entry)})
		if err != nil {
			return err
		}
	}
	if len(b.set.entry) == 0 {
		return nil
	}
	_, err := b.c.Exec(ctx, "INSERT INTO "+b.x.made.postings+" SELECT ?1::integer, p.* FROM unnest(?2::text[], ?3::bigint[], ?4::integer[], ?5::integer[], ?6::boolean[]) AS p(term, entry, tf, length, latest)",
		[]any{b.node, texts(b.set.terms), numbers(b.set.entry), numbers(b.set.tf), numbers(b.set.length), flags(b.set.latest)})
	return err
}

// terms brings the statistics of terms up to date.
func (b *batch) terms(ctx context.Context) error {
	if len(b.df) == 0 {
		return nil
	}
	var terms, words []string
	var df []int64
	for term, n := range b.df {
		w, ok := b.words[term]
		if n == 0 && !ok {
			continue
		}
		if !ok {
			w = term
		}
		terms, words, df = append(terms, term), append(words, w), append(df, n)
	}
	_, err := b.c.Exec(ctx, "INSERT INTO "+b.x.made.terms+" AS t (node, term, df, word) SELECT ?1::integer, p.* FROM unnest(?2::text[], ?3::bigint[], ?4::text[]) AS p(term, df, word)"+
		" ON CONFLICT (node, term) DO UPDATE SET df = t.df + excluded.df", []any{b.node, texts(terms), numbers(df), texts(words)})
	return err
}

func (b *batch) count(ctx context.Context) error {
	_, err := b.c.Exec(ctx, "UPDATE "+b.x.made.nodes+" SET entries = entries + ?2, vectors = vectors + ?3, latest = latest + ?4, length = length + ?5, tongues = tongues | ?6 WHERE n = ?1",
		[]any{b.node, b.entries, b.vectors, b.latest, b.length, int64(b.tongues)})
	return err
}
