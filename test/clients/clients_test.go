// Package clients holds the clients in TypeScript and Python to the program as it is shipped, by the script clients/test.sh.
package clients

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nothingRan is how the script says that what it needs is not there.
const nothingRan = 77

// TestClients runs what needs nothing but Python and Node. LUKASA_TEST_INTEGRATIONS=1 runs the clients with the packages of others too.
func TestClients(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "lukasa")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "../../cmd/lukasa")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	parts := []string{"table", "python", "typescript"}
	if os.Getenv("LUKASA_TEST_INTEGRATIONS") != "" {
		parts = append(parts, "integrations")
	}
	for _, part := range parts {
		t.Run(part, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "../../clients/test.sh", part)
			cmd.Env = append(os.Environ(), "LUKASA_TEST_BINARY="+bin)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			switch {
			case errors.As(err, &exit) && exit.ExitCode() == nothingRan:
				t.Skip(need(out))
			case err != nil:
				t.Fatalf("clients/test.sh %s: %v\n%s", part, err, out)
			}
		})
	}
}

// need returns the line of a script's output that says what is not there.
func need(out []byte) string {
	for line := range bytes.Lines(out) {
		if s := strings.TrimSpace(string(line)); strings.HasPrefix(s, "needs ") {
			return s
		}
	}
	return "needs python3 or node: see clients/test.sh"
}
