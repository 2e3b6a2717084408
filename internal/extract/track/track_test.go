package track_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/track"
)

func TestOrdinaryTextIsNotClaimed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../mail/testdata/ordinary/*")
	if err != nil || len(files) < 15 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", filepath.Base(file)} {
			want, err := extract.Set{}.Extract(t.Context(), extract.Input{Data: content, Name: name})
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, name, content); got.Type != want.Type || got.Text != want.Text {
				t.Errorf("%s named %q is claimed: %s %q", file, name, got.Type, got.Text)
			}
		}
	}
}

func TestMinuteThree(t *testing.T) { // D-10: a place in a recording
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("testdata", "talk.srt"))
	if err != nil {
		t.Fatal(err)
	}
	out := read(t, "talk.srt", content)
	for _, m := range out.Marks {
		if m.Place == "00:03:12" {
			if !strings.HasPrefix(out.Text[m.Offset:], "The bowline does not slip.") {
				t.Errorf("%q", out.Text[m.Offset:])
			}
			return
		}
	}
	t.Errorf("no place at 00:03:12: %+v", out.Marks)
}

func TestOddSubtitles(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, want string }{
		"no blank lines": {"1\n00:00:01,000 --> 00:00:02,000\none\n2\n00:00:02,000 --> 00:00:03,000\ntwo\n", "one two"},
		"a number said":  {"1\n00:00:01,000 --> 00:00:02,000\n7\n\n2\n00:00:02,000 --> 00:00:03,000\ntwo\n", "7 two"},
		"out of order":   {"1\n00:00:09,000 --> 00:00:10,000\ntwo\n\n2\n00:00:06,000 --> 00:00:09,000\none\n", "one two"},
		"less than":      {"1\n00:00:01,000 --> 00:00:02,000\n3 < 4 and 5 > 4\n", "3 < 4 and 5 > 4"},
		"no number":      {"1\n00:00:01,000 --> 00:00:02,000\none\n\n00:00:02,000 --> 00:00:03,000\ntwo\n", "one two"},
		"dashed word":    {"1\n00:00:01,000 --> 00:00:02,000\n-5 degrees\n", "-5 degrees"},
	} {
		if out := read(t, "", []byte(row.in)); out.Text != row.want || out.Type != "transcript" {
			t.Errorf("%s: %q", name, out.Text)
		}
	}
}

func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1) }
	cue := "1\n00:00:01,000 --> 00:00:02,000\n"
	many := &strings.Builder{}
	many.WriteString("WEBVTT\n\n")
	for i := 0; many.Len() < size; i++ {
		fmt.Fprintf(many, "00:00:01.000 --> 00:00:02.000\n<v s%d>x\n\n", i)
	}
	return map[string]string{
		"cues.srt": fill(cue + "x\n\n"), "arrows.srt": cue + fill("00:00:01,000 --> 00:00:02,000\n"), "voices.srt": cue + fill("<v A>x"), "open.srt": cue + fill("<v A"),
		"tags.srt": cue + fill("<i>"), "braces.srt": cue + fill("{"), "line.srt": cue + fill("word "), "lines.srt": cue + fill("- x\n"), "speakers.vtt": many.String(),
		"again.lrc": "[00:01]a\n[00:02]b\n" + fill("[00:01]") + "x", "choir.lrc": "[00:01]a\n[00:02]b\n" + fill(strings.Repeat("[00:01]", 50)+"the same again\n"),
		"format.ass":   "[Script Info]\n[Events]\nFormat: " + fill("a,") + "\nDialogue: x",
		"dialogue.ass": "[Script Info]\n[Events]\n" + fill("Dialogue: 0,0:00:01.00,0:00:02.00,,A,,,,,x\n"),
		"times.sbv":    fill("0:00:01.000,0:00:02.000\nx\n\n"),
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for name, in := range hostile(1 << 20) {
		start := time.Now()
		out, err := extract.With(track.Kinds()...).Extract(t.Context(), extract.Input{Data: []byte(in), Name: name})
		if took := time.Since(start); took > 40*time.Second || len(out.Text) > 8*len(in) {
			t.Errorf("%s takes %v for %d bytes", name, took, len(out.Text))
		} else {
			t.Logf("%-14s %8d bytes out, %v %v", name, len(out.Text), took.Round(time.Millisecond), err)
		}
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, k := range track.Kinds() {
		if _, err := k.Extract(ctx, &extract.Source{Text: strings.Repeat("1\n00:00:01,000 --> 00:00:02,000\nx\n\n", 9000)}); err == nil {
			t.Errorf("%s goes on", k.Name)
		}
	}
}

func FuzzTrack(f *testing.F) {
	for i, k := range track.Kinds() {
		files, err := filepath.Glob("testdata/*" + k.Extensions[0])
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(content), i)
		}
		for name, s := range hostile(200) {
			if filepath.Ext(name) == k.Extensions[0] {
				f.Add(s, i)
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string, kind int) {
		k := track.Kinds()[uint(kind)%uint(len(track.Kinds()))]
		src := &extract.Source{Text: strings.ToValidUTF8(s, "\ufffd"), Charset: "utf-8"}
		k.Looks(src)
		out, err := k.Extract(t.Context(), src)
		if err != nil {
			return
		}
		if !utf8.ValidString(out.Text) || strings.IndexByte(out.Text, 0) >= 0 || len(out.Text) > 100*len(s)+1024 || len(out.Marks) == 0 {
			t.Fatalf("%d bytes from %d: %q", len(out.Text), len(s), out.Text)
		}
		last := -1
		for _, m := range out.Marks {
			if m.Offset <= last || m.Offset >= len(out.Text) || !utf8.RuneStart(out.Text[m.Offset]) {
				t.Fatalf("mark %+v behind %d", m, last)
			}
			last = m.Offset
		}
	})
}
