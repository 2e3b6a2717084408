// Command terms prints what the analyser of the index makes of texts, for the scripts under models. It reads one JSON string
// a line and writes one JSON array a line: [term, word] pairs in order.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "terms:", err)
		os.Exit(1)
	}
}

func run() error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(out)
	for line := 1; in.Scan(); line++ {
		var s string
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			return fmt.Errorf("line %d is no JSON string: %w", line, err)
		}
		pairs := [][2]string{}
		for _, t := range text.Analyze(nil, s) {
			pairs = append(pairs, [2]string{t.Term, s[t.Start:t.End]})
		}
		if err := enc.Encode(pairs); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	return out.Flush()
}
