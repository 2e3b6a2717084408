package rtf_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
)

func TestText(t *testing.T) { // D-9
	t.Parallel()
	for name, row := range map[string]struct{ in, want string }{
		"words":           {`{\rtf1\ansi Hello {\b bold} world.\par}`, "Hello bold world."},
		"code page":       {`{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2}`, "Привет"},
		"font's own":      {`{\rtf1\ansi{\fonttbl{\f0 A;}{\f1\fcharset161 G;}{\f2\fcharset128 J;}}\f1 \'e1\'e2 {\f2 \'93\'fa\'96\'7b }\f0 \'e9}`, "αβ 日本 é"},
		"unicode":         {`{\rtf1\uc1 \u8364?\u-10180\'3f\u-8958\'3f {\uc2 \u960 xx} {\uc0 \u960}a}`, "€\U0001F102 π πa"},
		"half a pair":     {`{\rtf1 a\u-10180? b}`, "a\ufffd b"},
		"signs":           {`{\rtf1 a\~b\_c\-d\emdash e\lquote f\rquote\tab g\line h \\\{\}}`, "a b-cd—e‘f’ g\nh \\{}"},
		"hidden":          {`{\rtf1 a{\v no}b\v no\v0 c\deleted no\plain d}`, "abcd"},
		"unknown groups":  {`{\rtf1 a{\*\whatever no{\b no}}{\colortbl;\red1;}{\pict 00ff}{\header no}{\info{\title T}}b}`, "ab"},
		"binary":          {"{\\rtf1 a{\\pict\\bin6 {}{}{}}b}", "ab"},
		"link":            {`{\rtf1 {\field{\*\fldinst HYPERLINK "https://a.example"}{\fldrslt here}} on}`, "[here](https://a.example) on"},
		"other field":     {`{\rtf1 page {\field{\*\fldinst PAGE}{\fldrslt 3}} of}`, "page 3 of"},
		"headings":        {`{\rtf1{\stylesheet{\s0 Normal;}{\s2 heading 2;}{\*\cs5 Strong;}{\s7 Title;}}\pard\s7 T\par\pard\s2 H\par\pard\outlinelevel2 O\par\pard x\par}`, "# T\n\n## H\n\n### O\n\nx"},
		"lists":           {`{\rtf1{\listtext\tab 1.\tab}\ls1 one\par{\listtext\'b7\tab}\ls2\ilvl1 two\par\pard three\par}`, "1. one\n   - two\n\nthree"},
		"pages":           {`{\rtf1 one\par\page two\par}`, "one\n\ntwo"},
		"note":            {`{\rtf1 a{\super\chftn}{\footnote\pard{\super\chftn} Noted {\i well}.} b\par c}`, "a[^1] b\n\n[^1]: Noted well.\n\nc"},
		"comment":         {`{\rtf1 a{\*\atnid X}{\*\atnauthor Al}\chatn{\*\annotation{\*\atntime{\yr2020\mo2\dy3}}Why?} b\par}`, "a b\n\n> Comment by Al: Why?"},
		"table":           {`{\rtf1\trowd\cellx100\cellx200\intbl a\cell b\cell\row\trowd\cellx200\intbl wide\cell\row\pard after\par}`, "| a | b |\n| --- | --- |\n| wide | |\n\nafter"},
		"cell of lines":   {`{\rtf1\trowd\cellx1\cellx2\intbl a\par b\cell c\cell\row}`, "| a b | c |\n| --- | --- |"},
		"row without end": {`{\rtf1\trowd\cellx1\cellx2\intbl a\cell b`, "| a | b |\n| --- | --- |"},
		"behind the end":  {`{\rtf1 a}b{\c}`, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := read(t.Context(), extract.Input{Data: []byte(row.in)})
			if err != nil || out.Text != row.want {
				t.Errorf("%q, %v, want %q", out.Text, err, row.want)
			}
			extracttest.Sound(t, out)
		})
	}
}

func TestPages(t *testing.T) { // H-3
	t.Parallel()
	out, err := read(t.Context(), extract.Input{Data: []byte(`{\rtf1 one\par\page two\par\sec` + `t three\par}`)})
	if err != nil || len(out.Marks) != 3 || out.Marks[1].Page != 2 || !strings.HasPrefix(out.Text[out.Marks[1].Offset:], "two") || !strings.HasPrefix(out.Text[out.Marks[2].Offset:], "three") {
		t.Errorf("%q %+v %v", out.Text, out.Marks, err)
	}
	out, err = read(t.Context(), extract.Input{Data: []byte(`{\rtf1{\info{\nofpages9}}one\par\page two\par}`)})
	if err != nil || len(out.Marks) != 0 {
		t.Errorf("2 of 9 pages: %+v %v", out.Marks, err)
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	out, err := read(t.Context(), extract.Input{Data: []byte(
		`{\rtf1\ansi{\info{\title A \'e9}{\author Al}{\operator Bo}{\creatim\yr2020\mo2\dy3\hr4\min5}{\revtim\yr2021\mo1\dy1}{\*\company Co}}words}`)})
	if err != nil || out.Title != "A é" || out.Author != "Al" || out.Published.Format(time.DateTime) != "2020-02-03 04:05:00" ||
		out.Metadata["operator"] != "Bo" || out.Metadata["modified"] != "2021-01-01T00:00:00Z" || out.Metadata["company"] != "Co" || out.Text != "words" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestHostileFiles(t *testing.T) { // D-9
	t.Parallel()
	_, err := read(t.Context(), extract.Input{Data: []byte(`{\rtf1` + strings.Repeat("{", 100_000))})
	var known *extract.Error
	if !errors.As(err, &known) || !strings.Contains(known.Reason, "nests deeper") || known.Hint == "" {
		t.Errorf("nesting: %v", err)
	}
	if _, err := read(t.Context(), extract.Input{Data: []byte(`{\rtf1\ansi{\fonttbl{\f0 A;}}}`)}); !errors.Is(err, extract.ErrEmpty) {
		t.Errorf("nothing in it: %v", err)
	}
	whole, err := os.ReadFile("testdata/letter.rtf")
	if err != nil {
		t.Fatal(err)
	}
	out, err := read(t.Context(), extract.Input{Data: whole[:len(whole)-2000]})
	if err != nil || !strings.Contains(out.Metadata["warning"], "cut short") || !strings.Contains(out.Text, "It leaves at nine.") {
		t.Errorf("cut short: %v %v", out.Metadata, err)
	}
	for _, s := range []string{`{\rtf1 ` + strings.Repeat(`{\footnote x`, 400), `{\rtf1 ` + strings.Repeat(`\trowd\cellx1\intbl x\cell`, 20_000), `{\rtf1 ` + strings.Repeat(`{\field{\*\fldinst HYPERLINK "http://a"}{\fldrslt x`, 100), `{\rtf1 \bin999999999 x`, `{\rtf1\uc99999 \u1 x`} {
		out, err := read(t.Context(), extract.Input{Data: []byte(s)})
		if err == nil {
			extracttest.Sound(t, out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(ctx, extract.Input{Data: whole}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of time: %v", err)
	}
}

func FuzzRTF(f *testing.F) {
	for _, name := range []string{"letter.rtf", "report.rtf", "codes.rtf"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data[5:]))
	}
	f.Add(`1\ansi\u-10180?\'93\'fa{\footnote x\par}\trowd\clvmgf\cellx1\intbl a\cell\row{\*\annotation y}\page z}`)
	f.Fuzz(func(t *testing.T, s string) {
		out, err := read(t.Context(), extract.Input{Data: []byte(`{\rtf` + s)})
		if err == nil {
			extracttest.Sound(t, out)
		}
	})
}
