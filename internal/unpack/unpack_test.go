package unpack_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// pack makes an archive of names and contents, in order.
func pack(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, parts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T, data []byte) *unpack.Archive {
	t.Helper()
	a, err := unpack.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestArchive(t *testing.T) {
	t.Parallel()
	a := open(t, pack(t, "Word/Document.xml", "one", "word/document.xml", "two", "../../etc/passwd", "three", "/abs.txt", "four"))
	for name, want := range map[string]string{"word/document.xml": "one", `\word\DOCUMENT.xml`: "one", "../../etc/passwd": "three", "abs.txt": "four"} {
		if got, err := a.Read(name); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v, want %q: the first of two names counts", name, got, err, want)
		}
	}
	if _, err := a.Read("none"); !errors.Is(err, unpack.ErrMissing) || unpack.Forgive(err) != nil {
		t.Errorf("missing part: %v", err)
	}
	if got := slices.Collect(unpack.Members(pack(t, "A.txt", "", "b/C", ""))); !cmp.Equal(got, []string{"a.txt", "b/c"}) {
		t.Errorf("members %q", got)
	}
	if got := unpack.MediaType(pack(t, "x", "y")); got != "" {
		t.Errorf("media type %q", got)
	}
	if got := unpack.MediaType(pack(t, "x", "y", "mimetype", "a/b")); got != "a/b" {
		t.Errorf("media type of an archive packed anew: %q", got)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "mimetype", Method: zip.Store, UncompressedSize64: 3, CompressedSize64: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "c/d"); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := unpack.MediaType(b.Bytes()); !strings.HasPrefix(got, "c/d") {
		t.Errorf("media type at the beginning: %q", got)
	}
}

func TestArchiveBudget(t *testing.T) { // D-9
	t.Parallel()
	zeros := strings.Repeat("\x00", 40<<20)
	data := pack(t, "a", zeros, "b", zeros)
	a := open(t, data)
	drain := func(name string) error {
		r, err := a.Peek(name)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(io.Discard, r)
		return err
	}
	for range 3 {
		if err := drain("a"); err != nil {
			t.Fatalf("a look costs nothing: %v", err)
		}
	}
	if _, err := a.Read("a"); !errors.Is(err, unpack.ErrBudget) {
		t.Errorf("a part of 40 MiB is held in memory: %v", err)
	}
	r, err := a.Stream("b")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, r)
	var fault *unpack.Fault
	if !errors.Is(err, unpack.ErrBudget) || !errors.As(err, &fault) || fault.Hint == "" || unpack.Forgive(err) == nil {
		t.Errorf("73 MiB out of %d bytes: %v", len(data), err)
	}
}

func TestArchiveRefuses(t *testing.T) {
	t.Parallel()
	var many []string
	for range unpack.MostEntries + 1 {
		many = append(many, "x", "")
	}
	if _, err := unpack.Open(t.Context(), pack(t, many...)); !errors.Is(err, unpack.ErrBudget) {
		t.Errorf("too many entries: %v", err)
	}
	whole := pack(t, "a", strings.Repeat("words ", 1000))
	if _, err := unpack.Open(t.Context(), whole[:len(whole)/2]); !unpack.IsDamaged(err) {
		t.Errorf("cut short: %v", err)
	}
	locked := bytes.Clone(whole)
	locked[6] |= 1
	i := bytes.Index(locked, []byte("PK\x01\x02"))
	locked[i+8] |= 1
	if _, err := open(t, locked).Read("a"); err == nil || !strings.Contains(err.Error(), "encrypted") {
		t.Errorf("encrypted entry: %v", err)
	}
	broken := bytes.Clone(whole)
	broken[40] ^= 0xff
	if _, err := open(t, broken).Read("a"); !unpack.IsDamaged(err) {
		t.Errorf("broken entry: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	a, err := unpack.Open(ctx, whole)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := a.Read("a"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// trace walks to the end and writes down what it came upon.
func trace(x *unpack.XML) (string, error) {
	var b strings.Builder
	for {
		e, err := x.Next()
		if unpack.IsEnd(err) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		switch e {
		case unpack.Opens:
			b.WriteString("<" + x.Name + ">")
		case unpack.Closes:
			b.WriteString("</" + x.Name + ">")
		case unpack.Words:
			b.Write(x.Text)
		}
	}
}

func TestXML(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		in, want string
		loose    bool
		err      error
	}{
		"prefixes go":         {"<w:a><b/>x &amp; y</w:a>", "<a><b></b>x & y</a>", false, nil},
		"cdata":               {"<a><![CDATA[<b>]]></a>", "<a><b></a>", false, nil},
		"ends early":          {"<a><b>", "<a><b>", false, io.ErrUnexpectedEOF},
		"loose closes":        {"<DIV><p>x<br>y</div>", "<div><p>x<br>y</p></div>", true, nil},
		"loose passes over":   {"<p>x</b>&nbsp;&copy;</p>", "<p>x\u00a0©</p>", true, nil},
		"loose ends":          {"<p><i>x", "<p><i>x</i></p>", true, nil},
		"loose keeps unknown": {"<p>&lol; &</p>", "<p>&lol; &</p>", true, nil},
		"entities": {
			`<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;">]><a>&m;</a>`, "", false, unpack.ErrEntity,
		},
		"deep":     {strings.Repeat("<a>", unpack.MostDepth+1), strings.Repeat("<a>", unpack.MostDepth), false, unpack.ErrDepth},
		"long tag": {`<a b="` + strings.Repeat("x", unpack.MostToken) + `"/>`, "", false, unpack.ErrToken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := unpack.NewXML(strings.NewReader(row.in))
			if row.loose {
				x = unpack.NewLoose(strings.NewReader(row.in))
			}
			got, err := trace(x)
			if got != row.want || !errors.Is(err, row.err) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	for _, bad := range []string{"<a></b>", "<a>&lol;</a>", "a<", "<a b=c/>", "<?xml version='1.0' encoding='klingon'?><a/>"} {
		if _, err := trace(unpack.NewXML(strings.NewReader(bad))); !unpack.IsDamaged(err) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestXMLPartInUTF16(t *testing.T) {
	t.Parallel()
	units := utf16.Encode([]rune("\ufeff<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>Ärger 𝄞</a>"))
	var b []byte
	for _, u := range units {
		b = append(b, byte(u), byte(u>>8))
	}
	got := ""
	err := open(t, pack(t, "x.xml", string(b))).XML("x.xml", func(x *unpack.XML) (err error) {
		got, err = trace(x)
		return err
	})
	if got != "<a>Ärger 𝄞</a>" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestXMLMoves(t *testing.T) {
	t.Parallel()
	x := unpack.NewXML(strings.NewReader(`<a><b x:k="1" k="2">one<c>two</c></b><d><e/></d><f>end</f></a>`))
	var seen []string
	err := x.Each(func(name string) error {
		switch name {
		case "b":
			if x.Attr("k") != "1" || x.AttrIn("", "k") != "2" || x.Attr("none") != "" || x.Parent(1, unpack.Opens) != "a" || !x.Inside("a") {
				t.Error("attributes or parents of b")
			}
			s, err := x.Content()
			seen = append(seen, "b="+s)
			return err
		case "d":
			return x.Skip()
		}
		seen = append(seen, name)
		return nil
	})
	if want := []string{"a", "b=onetwo", "f"}; err != nil || !cmp.Equal(seen, want) {
		t.Errorf("%v, %v", seen, err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, row := range [][3]string{
		{"word/document.xml", "media/a.png", "word/media/a.png"},
		{"ppt/slides/slide1.xml", "../media/a.png#x", "ppt/media/a.png"},
		{"ppt/slides/slide1.xml", "/ppt/a.xml", "ppt/a.xml"},
		{"", "word/document.xml", "word/document.xml"},
	} {
		if got := unpack.Resolve(row[0], row[1]); got != row[2] {
			t.Errorf("%s from %s: %s", row[1], row[0], got)
		}
	}
}

func FuzzXML(f *testing.F) {
	f.Add("<a><b x='1'>&amp;</b></a>", true)
	f.Add("<p>x<br><p></div>&nbsp;<!-- -->", true)
	f.Add("<?xml version='1.0'?><!DOCTYPE a><a>]]></a>", false)
	f.Fuzz(func(t *testing.T, s string, loose bool) {
		x := unpack.NewXML(strings.NewReader(s))
		if loose {
			x = unpack.NewLoose(strings.NewReader(s))
		}
		depth := 0
		for range 3*len(s) + 10 {
			e, err := x.Next()
			if err != nil {
				if unpack.IsEnd(err) && x.Depth() != 0 {
					t.Error("the end came with elements open")
				}
				return
			}
			if e == unpack.Opens {
				depth++
			}
			if x.Depth() > depth || x.Depth() > unpack.MostDepth {
				t.Errorf("depth %d of %d", x.Depth(), depth)
			}
		}
		t.Error("no end")
	})
}

func FuzzArchive(f *testing.F) {
	f.Add(pack(f, "a.xml", "<a/>", "mimetype", "x"))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		unpack.MediaType(data)
		n := 0
		for range unpack.Members(data) {
			n++
		}
		if n > unpack.MostEntries {
			t.Errorf("%d members", n)
		}
		a, err := unpack.Open(t.Context(), data)
		if err != nil {
			return
		}
		for _, name := range a.Names()[:min(len(a.Names()), 20)] {
			_, _ = a.Read(name) // must only not harm
		}
	})
}
