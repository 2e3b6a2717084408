package cli_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	picture "image"
	"image/png"
	"math/big"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lukasa-memory/lukasa/internal/cli"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite/sqlitetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lukasa": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := cli.Main(ctx, cli.Process{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Version: "test"})
		stop()
		os.Exit(code)
	}})
}

// Sessions of the command line, each a text file that reads like one.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("LUKASA_DATA", filepath.Join(e.WorkDir, "data"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": code, "capture": capture, "field": field, "certificate": certificate, "newer": newer, "mode": mode, "hostport": hostport, "repeat": repeat, "equal": equal, "turns": turns, "image": image, "icon": icon, "model": model(t),
		},
	})
}

// code N COMMAND… runs a command and wants its exit code to be N.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// capture NAME sets a variable to standard output, without the line feed at its end.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], strings.TrimSuffix(ts.ReadFile("stdout"), "\n"))
}

// field NAME PATH [FILE] sets a variable to a value of the JSON on standard output or in a file, like results.0.id; of several
// lines of it, the last is read, as work that takes long tells of its progress first.
func field(ts *testscript.TestScript, _ bool, args []string) {
	from := "stdout"
	if len(args) > 2 {
		from = args[2]
	}
	var v any
	for in := json.NewDecoder(strings.NewReader(ts.ReadFile(from))); in.More(); {
		v = nil
		ts.Check(in.Decode(&v))
	}
	for step := range strings.SplitSeq(args[1], ".") {
		switch x := v.(type) {
		case map[string]any:
			got, ok := x[step]
			if !ok {
				ts.Fatalf("no %s in %s", step, args[1])
			}
			v = got
		case []any:
			i, err := strconv.Atoi(step)
			ts.Check(err)
			if i >= len(x) {
				ts.Fatalf("%s has %d items", args[1], len(x))
			}
			v = x[i]
		default:
			ts.Fatalf("%s ends before %s", args[1], step)
		}
	}
	s, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		ts.Check(err)
		s = string(b)
	}
	ts.Setenv(args[0], s)
}

// certificate CERT KEY makes a certificate for memory.example.
func certificate(ts *testscript.TestScript, _ bool, args []string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	like := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "memory"}, DNSNames: []string{"*.memory.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, like, like, &key.PublicKey, key)
	ts.Check(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}

// newer DIR makes the rows of a data directory look as if a later program had written them.
func newer(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(sqlitetest.AddLaterStep(ts.MkAbs(filepath.Join(args[0], "lukasa.db"))))
}

// mode RIGHTS FILE wants a file to have these rights.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	st, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := st.Mode().Perm().String(); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

// hostport NAME URL sets a variable to the host and port of an address.
func hostport(ts *testscript.TestScript, _ bool, args []string) {
	_, at, _ := strings.Cut(args[1], "://")
	ts.Setenv(args[0], at)
}

// repeat N FILE LINE writes a file of numbered lines.
func repeat(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %s\n", i, args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// turns N FILE [LONG] writes N messages as JSON lines; that with the number LONG, from 0, has 60 characters.
func turns(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	long := -1
	if len(args) > 2 {
		long, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	var b strings.Builder
	for i := range n {
		content := fmt.Sprintf("Turn %d.", i)
		if i == long {
			content = strings.Repeat("long. ", 10)
		}
		fmt.Fprintf(&b, "{\"id\":\"m%d\",\"role\":\"assistant\",\"content\":%q}\n", i, content)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// equal A B wants two words to be the same.
func equal(ts *testscript.TestScript, _ bool, args []string) {
	if args[0] != args[1] {
		ts.Fatalf("%q is not %q", args[0], args[1])
	}
}

// image FILE writes the beginning of a PNG.
func image(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), 0o600))
}

// icon FILE writes a whole picture without text.
func icon(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	ts.Check(png.Encode(&b, picture.NewGray(picture.Rect(0, 0, 32, 32))))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}
