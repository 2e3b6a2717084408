package dashboard_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInABrowser runs the suite of web/dashboard/test: a real browser, and the real binary.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	browser := os.Getenv("LUKASA_TEST_CHROMIUM")
	if browser == "" {
		t.Skip("needs chromium: make servers looks for it or installs it")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	web := filepath.Join(root, "web", "dashboard")
	node := filepath.Join(web, "node_modules", ".bin", "node")
	if _, err := os.Stat(node); err != nil {
		t.Skip("needs chromium: the packages of the dashboard's tests are not installed; run web/dashboard/install.sh, which takes npm")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	binary := filepath.Join(t.TempDir(), "lukasa")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "./cmd/lukasa")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	suite := exec.CommandContext(ctx, node, "--test", "--test-concurrency=1", "--test-reporter=tap", "test/thread.test.mjs", "test/state.test.mjs", "test/pages.test.mjs")
	suite.Dir = web
	suite.Env = append(os.Environ(), "LUKASA_BIN="+binary, "LUKASA_TEST_CHROMIUM="+browser)
	out, err := suite.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	suite.Stderr = suite.Stdout
	if err := suite.Start(); err != nil {
		t.Fatal(err)
	}
	passed := 0
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "not ok "):
			t.Error(line)
		case strings.HasPrefix(line, "ok ") && !strings.Contains(line, "# SKIP"):
			passed++
		default:
			t.Log(line)
		}
	}
	if err := suite.Wait(); err != nil && !t.Failed() {
		t.Error(err)
	}
	if passed == 0 {
		t.Error("no test of the browser ran")
	}
}
