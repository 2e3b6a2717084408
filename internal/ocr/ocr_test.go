package ocr

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// table writes rows as tesseract does: "block par line left width conf text".
func table(rows ...string) string {
	var b strings.Builder
	b.WriteString("level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t\n")
	for i, r := range rows {
		f := strings.SplitN(r, " ", 7)
		fmt.Fprintf(&b, "5\t1\t%s\t%s\t%s\t%d\t%s\t0\t%s\t9\t%s\t%s\n", f[0], f[1], f[2], i, f[3], f[4], f[5], f[6])
	}
	return b.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	long := "5 1 1 0 980 90 "
	for name, c := range map[string]struct {
		in   string
		want Text
	}{
		"nothing": {"", Text{}},
		"lines that stand by themselves": {
			table("1 1 1 0 100 90 TOTAL", "1 1 1 800 200 90 19.50", "1 1 2 0 300 90 Thanks"), Text{Text: "TOTAL 19.50\nThanks", Confidence: 90, Words: 3},
		},
		"lines that run on": {
			table(long+"Complaints-are-accepted-within-fourteen-", "5 1 2 0 100 90 days."), Text{Text: "Complaints-are-accepted-within-fourteendays.", Confidence: 90, Words: 2},
		},
		"paragraphs":     {table("1 1 1 0 100 90 One", "1 2 1 0 100 90 two", "2 1 1 0 100 90 three"), Text{Text: "One\n\ntwo\n\nthree", Confidence: 90, Words: 3}},
		"unsure words":   {table("1 1 1 0 100 95 sure", "1 1 1 100 100 12 |i~"), Text{Text: "sure", Confidence: 95, Words: 1, Dropped: 1}},
		"unsure lines":   {table("1 1 1 0 100 31 texture", "1 1 2 0 100 96 text"), Text{Text: "text", Confidence: 96, Words: 1, Dropped: 1}},
		"only signs":     {table("1 1 1 0 100 99 ~~"), Text{Dropped: 1}},
		"without spaces": {table("1 1 1 0 100 90 灯台", "1 1 1 100 100 90 の鐘", "1 1 1 200 100 90 Bell"), Text{Text: "灯台の鐘 Bell", Confidence: 90, Words: 3}},
		"odd rows":       {"5\t1\t1\n5\t1\tx\t1\t1\t1\t0\t0\t9\t9\t90\ta\n5\t1\t1\t1\t1\t1\t0\t0\t9\t9\tNaN\ta\n\n", Text{}},
	} {
		if diff := cmp.Diff(c.want, parse(c.in, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	got, err := Languages(t.Context(), func(_ context.Context, args []string, _ []byte) ([]byte, error) {
		if !slices.Equal(args, []string{"--list-langs"}) {
			t.Errorf("%q", args)
		}
		return []byte("List of available languages in \"/usr/share/tessdata/\" (7):\nswe\nosd\neng\ndeu\njpn\nfra\nequ\n"), nil
	})
	if diff := cmp.Diff([]string{"eng", "deu", "fra", "jpn"}, got); diff != "" || err != nil {
		t.Errorf("%v:\n%s", err, diff)
	}
}

// TestRead: the way that reads most is taken; without the table for orientation another one is tried.
func TestRead(t *testing.T) {
	t.Parallel()
	word := func(text string, confidence int) string {
		return table(fmt.Sprintf("1 1 1 0 100 %d %s", confidence, text))
	}
	failed := errors.New("cannot")
	for name, c := range map[string]struct {
		says  map[string]string // by mode
		want  string
		modes string
	}{
		"page":      {map[string]string{"1": table(slices.Repeat([]string{"1 1 1 0 100 90 word"}, few)...)}, strings.TrimSpace(strings.Repeat("word ", few)), "1"},
		"receipt":   {map[string]string{"1": word("total", 90), "4": word("total-19.50", 90)}, "total-19.50", "1 4"},
		"sideways":  {map[string]string{"1": word("total", 90), "4": word("|o+al", 45)}, "total", "1 4"},
		"street":    {map[string]string{"1": "", "4": "", "11": word("Exit", 80)}, "Exit", "1 4 11"},
		"texture":   {map[string]string{"1": "", "4": "", "11": word("iIl", 65)}, "", "1 4 11"},
		"no tables": {map[string]string{"3": word("upright", 90), "4": ""}, "upright", "1 3 4"},
	} {
		var modes []string
		got, err := Read(t.Context(), func(_ context.Context, args []string, picture []byte) ([]byte, error) {
			i := slices.Index(args, "--psm")
			if !slices.Equal(args[:6], []string{"stdin", "stdout", "-l", "eng+deu", "--dpi", "200"}) || args[len(args)-1] != "tsv" || string(picture) != "p" {
				t.Errorf("%q", args)
			}
			modes = append(modes, args[i+1])
			if out, ok := c.says[args[i+1]]; ok {
				return []byte(out), nil
			}
			return nil, failed
		}, []byte("p"), Options{Languages: []string{"eng", "deu"}, Dots: 200})
		if err != nil || got.Text != c.want || strings.Join(modes, " ") != c.modes || got.Languages != "eng+deu" {
			t.Errorf("%s: %q by %q, %v", name, got.Text, modes, err)
		}
	}
	_, err := Read(t.Context(), func(context.Context, []string, []byte) ([]byte, error) { return nil, failed }, nil, Options{})
	if !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(table("1 1 1 0 100 90 TOTAL", "1 1 1 800 200 90 19.50", "1 1 2 0 300 90 Thanks"), 30.0)
	f.Add("5\t1\t1\t1\t1\t1\t-9\t0\t9\t9\t90\t\xff\n", 0.0)
	f.Fuzz(func(t *testing.T, s string, least float64) {
		out := parse(s, least)
		if !utf8.ValidString(out.Text) || len(out.Text) > 2*len(s) || (out.Words == 0) != (out.Text == "") {
			t.Errorf("%+v", out)
		}
	})
}
