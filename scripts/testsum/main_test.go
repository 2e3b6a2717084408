package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// run is what `go test -json` says about one package: a test that passes, one that is skipped, one that fails.
const run = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestOK"}
{"Action":"output","Package":"m/a","Test":"TestOK","Output":"=== RUN   TestOK\n"}
{"Action":"pass","Package":"m/a","Test":"TestOK","Elapsed":0}
{"Action":"output","Package":"m/a","Test":"TestDB","Output":"=== RUN   TestDB\n"}
{"Action":"output","Package":"m/a","Test":"TestDB","Output":"    a_test.go:4: needs postgres: set LUKASA_TEST_POSTGRES\n"}
{"Action":"output","Package":"m/a","Test":"TestDB","Output":"--- SKIP: TestDB (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestDB","Elapsed":0}
`

const (
	passes = `{"Action":"output","Package":"m/a","Output":"PASS\n"}
{"Action":"pass","Package":"m/a","Elapsed":0.5}
`
	fails = `{"Action":"output","Package":"m/a","Test":"TestBad","Output":"    a_test.go:9: boo\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad","Elapsed":0}
{"Action":"output","Package":"m/a","Output":"FAIL\n"}
{"Action":"fail","Package":"m/a","Elapsed":0.5}
`
	panics = `{"Action":"output","Package":"m/a","Test":"TestP","Output":"panic: oh\n"}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t0.1s\n"}
{"Action":"fail","Package":"m/a","Elapsed":0.1}
`
	leaks = `{"Action":"output","Package":"m/a","Output":"PASS\n"}
{"Action":"output","Package":"m/a","Output":"goleak: found unexpected goroutines\n"}
{"Action":"fail","Package":"m/a","Elapsed":0.1}
`
	breaks = `{"ImportPath":"m/c","Action":"build-output","Output":"c.go:3: undefined: x\n"}
{"Action":"output","Package":"m/c","Output":"FAIL\tm/c [build failed]\n"}
{"Action":"fail","Package":"m/c","Elapsed":0,"FailedBuild":"m/c"}
`
	empty = `{"Action":"output","Package":"m/d","Output":"?   \tm/d\t[no test files]\n"}
{"Action":"skip","Package":"m/d","Elapsed":0}
`
)

func TestSum(t *testing.T) {
	t.Parallel()
	const skipped = "SKIPPED 1: needs postgres: set LUKASA_TEST_POSTGRES\n"
	for name, c := range map[string]struct {
		in, require, want string
		good              bool
	}{
		"passes": {run + passes + empty, "redis", "ok    m/a 0.5s\n" + skipped + "1 passed, 0 failed, 1 skipped\n", true},
		"a skip is not allowed": {
			run + passes, "redis, postgres",
			"\n--- TestDB in m/a was skipped, and LUKASA_REQUIRE says it must run: needs postgres: set LUKASA_TEST_POSTGRES\n" +
				"ok    m/a 0.5s\n1 passed, 1 failed, 0 skipped\n", false,
		},
		"skips in silence": {
			strings.Replace(run, ": needs postgres: set LUKASA_TEST_POSTGRES", ":", 1) + passes, "",
			"ok    m/a 0.5s\nSKIPPED 1: no reason given\n1 passed, 0 failed, 1 skipped\n", true,
		},
		"fails": {run + fails, "", "\n--- TestBad in m/a\n    a_test.go:9: boo\nFAIL  m/a 0.5s\n" + skipped + "1 passed, 1 failed, 1 skipped\n", false},
		"panics": {run + panics, "", "FAIL  m/a 0.1s\n\n--- TestP in m/a did not end\npanic: oh\nFAIL\tm/a\t0.1s\n" +
			skipped + "1 passed, 1 failed, 1 skipped\n", false},
		"fails after its tests": {run + leaks, "", "FAIL  m/a 0.1s\nPASS\ngoleak: found unexpected goroutines\n" +
			skipped + "1 passed, 1 failed, 1 skipped\n", false},
		"does not build": {breaks, "", "c.go:3: undefined: x\nFAIL  m/c 0.0s\nFAIL\tm/c [build failed]\n0 passed, 1 failed, 0 skipped\n", false},
		"is cut off":     {`{"Action":"output","Package":"m/a","Test":"TestX","Output":"=== RUN   TestX\n"}`, "", "FAIL  m/a did not end\n\n--- TestX in m/a did not end\n=== RUN   TestX\n0 passed, 1 failed, 0 skipped\n", false},
		"nothing ran":    {empty, "", "no test ran\n0 passed, 0 failed, 0 skipped\n", false},
		"says something": {"go: downloading m\n{not json\n" + run + passes, "", "go: downloading m\n{not json\nok    m/a 0.5s\n" + skipped + "1 passed, 0 failed, 1 skipped\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			s := newSum(&out, c.require)
			if err := s.read(strings.NewReader(c.in)); err != nil {
				t.Fatal(err)
			}
			if good := s.finish(); good != c.good {
				t.Errorf("good = %v", good)
			}
			if d := cmp.Diff(c.want, out.String()); d != "" {
				t.Errorf("output (-want +got):\n%s", d)
			}
		})
	}
}

func TestReadReportsABrokenPipe(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	if err := newSum(io.Discard, "").read(iotest.ErrReader(boom)); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func FuzzSum(f *testing.F) {
	f.Add(run + passes)
	f.Add(run + fails)
	f.Add(panics + leaks + breaks + empty)
	f.Add("{\"Action\":\"fail\"}\n\x00")
	f.Fuzz(func(t *testing.T, in string) {
		s := newSum(io.Discard, "postgres")
		if err := s.read(strings.NewReader(in)); err != nil {
			t.Fatal(err)
		}
		if s.finish() && s.failed > 0 {
			t.Error("a run with failures is called good")
		}
		if len(s.pending) > 0 {
			t.Errorf("%d tests are still pending", len(s.pending))
		}
	})
}
