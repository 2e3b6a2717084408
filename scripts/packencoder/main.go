// Command packencoder rounds a sentence encoder to 8 bits and writes it as one file, for the binary:
//
//	go run ./scripts/packencoder -from FOLDER -projection projection.safetensors -to FILE
//
// The folder has the layout of sentence-transformers and a vocab.txt. The projection is optional. With -tuned it packs the transformers
// of a reader instead, whose tensors models/reader/export.py writes; the folder then is that of the model that it was tuned from:
//
//	go run ./scripts/packencoder -from FOLDER -tuned reader.safetensors -to FILE
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lukasa-memory/lukasa/internal/encoder"
)

func main() {
	from := flag.String("from", "", "folder of the model")
	projection := flag.String("projection", "", "safetensors file with the tensor weight, a row for each number of a vector")
	to := flag.String("to", "", "file to write")
	name := flag.String("name", "", "name of the model, for people")
	maxTokens := flag.Int("max-tokens", 256, "longest text, the marks at both ends included")
	tuned := flag.String("tuned", "", "safetensors file of the transformers of a reader")
	flag.Parse()
	err := error(nil)
	if *tuned != "" {
		err = packTuned(*from, *tuned, *to)
	} else {
		err = pack(*from, *projection, *to, *name, *maxTokens)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "packencoder:", err)
		os.Exit(1)
	}
}

func pack(from, projection, to, name string, maxTokens int) error {
	o := encoder.Options{Name: name, MaxTokens: maxTokens}
	if projection != "" {
		rows, err := encoder.ReadProjection(projection)
		if err != nil {
			return err
		}
		o.Projection = rows
	}
	m, err := encoder.OpenFolder(os.DirFS(from), o)
	if err != nil {
		return err
	}
	vocabulary, err := os.ReadFile(filepath.Join(from, "vocab.txt"))
	if err != nil {
		return fmt.Errorf("read vocabulary: %w", err)
	}
	var file bytes.Buffer
	if err := m.Pack(&file, string(vocabulary)); err != nil {
		return err
	}
	return write(to, file.Bytes())
}

func packTuned(from, tuned, to string) error {
	base, err := encoder.OpenFolder(os.DirFS(from), encoder.Options{})
	if err != nil {
		return err
	}
	weights, err := os.ReadFile(tuned)
	if err != nil {
		return fmt.Errorf("read the reader: %w", err)
	}
	var file bytes.Buffer
	if err := encoder.PackArchive(&file, weights, base, []string{"", "pair."}); err != nil {
		return err
	}
	return write(to, file.Bytes())
}

func write(to string, file []byte) error {
	if err := os.WriteFile(to, file, 0o644); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	fmt.Printf("%s: %d bytes, sha256 %x\n", to, len(file), sha256.Sum256(file))
	return nil
}
