package segment_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/segment"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not what it was (-want +got); -update rewrites it:\n%s", name, diff)
	}
}

// dialogue reads testdata/NAME.json: a list of messages as they are appended.
func dialogue(t *testing.T, name string) []lukasa.Message {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var in []lukasa.NewMessage
	if err := json.Unmarshal(raw, &in); err != nil {
		t.Fatal(err)
	}
	var out []lukasa.Message
	for i, m := range in {
		meta := m.Metadata
		if meta == nil {
			meta = map[string]any{}
		}
		out = append(out, lukasa.Message{
			Seq: int64(i), Role: m.Role, Speaker: m.Speaker, Session: m.Session, ExternalID: m.ExternalID, Content: m.Content, Time: m.Time, Metadata: meta,
		})
	}
	return out
}

// T-2
func TestRenderGolden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"payments", "friends", "plain"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			msgs := dialogue(t, name)
			d := segment.Describe(msgs, segment.Options{})
			began, _ := segment.Dates(msgs)
			folder, err := segment.FolderName(d.Topic, began, nil)
			if err != nil {
				t.Fatal(err)
			}
			src := segment.Source{Folder: folder, Messages: msgs, Tokens: 812, Finalized: time.Date(2025, 1, 3, 14, 30, 0, 0, time.UTC)}
			f, err := segment.Render(src, d)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+"/summary.md", f.Summary)
			golden(t, name+"/keywords.txt", f.Keywords)
			golden(t, name+"/transcript.md", f.Transcript)
			list, err := json.MarshalIndent(f.Artifacts, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+"/artifacts.json", string(list)+"\n")
			for _, a := range f.Artifacts {
				if a.Data != nil {
					golden(t, name+"/artifacts/"+a.Name, string(a.Data))
				}
			}
			if n := len(strings.Fields(d.Summary())); n > 200 { // N-4
				t.Errorf("the summary has %d words", n)
			}
			got, err := segment.ParseTranscript(f.Transcript)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(msgs, got.Messages); diff != "" {
				t.Errorf("the transcript does not give back its messages:\n%s", diff)
			}
			for _, a := range f.Artifacts {
				if !slices.Contains(got.Artifacts[a.Seq], a.Name) {
					t.Errorf("the transcript does not refer to %s", a.Name)
				}
			}
		})
	}
}
