package extract_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
)

// FuzzAnything: bytes of any kind under any name and any declared type are told and read, or refused, by the built-in kinds: source
// code, YAML and plain text have no target of their own.
func FuzzAnything(f *testing.F) {
	for _, pattern := range []string{"testdata/*.*", "*.go", "mail/testdata/*.py", "data/testdata/*.yaml", "office/testdata/*.sh", "media/testdata/sign.png"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, file := range files[:min(len(files), 12)] {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b[:min(len(b), 8<<10)], filepath.Base(file), "")
		}
	}
	f.Add([]byte("\xff\xfeh\x00i\x00"), "note.txt", "text/plain; charset=utf-16")
	f.Add([]byte("caf\xe9"), "a/b\\c.tar.gz", `text/html; charset="`)
	f.Fuzz(func(t *testing.T, data []byte, name, declared string) {
		checkOutput(t, extract.Input{Data: data, Name: name, DeclaredType: declared})
	})
}
