package config_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
)

//go:generate go test -run ^TestDocs$ -update .

var update = flag.Bool("update", false, "write the documents again")

// load loads with a data directory of the test's own, in which there may be a file.
func load(t *testing.T, file string, env []string, flags map[string]string) (config.Loaded, error) {
	t.Helper()
	dir := t.TempDir()
	if file != "" {
		if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]string{"data": dir}
	maps.Copy(all, flags)
	return config.Load(config.Input{Env: env, Flags: all})
}

func TestDefaultsAreInForceWithNothingGiven(t *testing.T) {
	t.Parallel()
	l, err := load(t, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Data = l.Config.Data
	if diff := cmp.Diff(want, l.Config); diff != "" {
		t.Error(diff)
	}
	for _, v := range l.Origins() {
		if want := "default"; v.Key != "data" && v.Origin.String() != want {
			t.Errorf("%s comes from %s", v.Key, v.Origin)
		}
	}
}

// Every field of Config has exactly one setting, and every default is a value that its own setting accepts and shows alike.
func TestTableIsWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range config.Settings() {
		for _, name := range []string{s.Key, s.Env(), s.Flag()} {
			if name != "" && seen[name] && name != s.Key {
				t.Errorf("%s stands twice", name)
			}
			seen[name] = true
		}
		if s.Doc == "" || s.Rule == "" {
			t.Errorf("%s is not explained", s.Key)
		}
		if s.Default() == "" {
			continue
		}
		l, err := load(t, "", []string{s.Env() + "=" + s.Default()}, nil)
		if s.Key == "data" {
			continue
		}
		if err != nil {
			t.Errorf("default of %s: %v", s.Key, err)
		} else if o := l.Origin(s.Key); o.Kind != "environment" {
			t.Errorf("%s comes from %s", s.Key, o)
		}
	}
	if n, fields := len(config.Settings()), reflect.TypeFor[config.Config]().NumField(); n != fields {
		t.Errorf("%d settings for %d fields", n, fields)
	}
}

// What Kubernetes sets in the pods beside a service is no setting and ends no start; what a person may have meant as one does.
func TestInjectedVariablesArePassedOver(t *testing.T) {
	t.Parallel()
	env := []string{
		"LUKASA_SERVICE_HOST=10.0.0.7", "LUKASA_SERVICE_PORT=7077", "LUKASA_SERVICE_PORT_HTTP=7077", "LUKASA_PORT=tcp://10.0.0.7:7077",
		"LUKASA_PORT_7077_TCP=tcp://10.0.0.7:7077", "LUKASA_PORT_7077_TCP_PROTO=tcp", "LUKASA_PORT_7077_TCP_PORT=7077", "LUKASA_PORT_7077_TCP_ADDR=10.0.0.7",
		"LUKASA_WORKER_SERVICE_HOST=10.0.0.8", "LUKASA_WORKER_PORT=tcp://10.0.0.8:7077",
	}
	l, err := load(t, "", append([]string{"LUKASA_WORKERS=3"}, env...), nil)
	if err != nil || l.Config.Workers != 3 || len(l.Injected) != len(env) || l.Injected[3] != "LUKASA_PORT" {
		t.Errorf("%d workers, passed over %q, %v", l.Config.Workers, l.Injected, err)
	}
	for _, kv := range []string{"LUKASA_PORT=7077", "LUKASA_PORT_7077=tcp://10.0.0.7:7077", "LUKASA_SERVICE=lukasa", "LUKASA_SERVICE_HOSTS=a", "LUKASA_PORT_X_TCP=tcp://10.0.0.7:1"} {
		name, _, _ := strings.Cut(kv, "=")
		if _, err := load(t, "", []string{kv}, nil); lukasa.CodeOf(err) != lukasa.CodeInvalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", kv, err)
		}
	}
}

// design section 7: defaults < file < environment < flags.
func TestOrderOfSources(t *testing.T) {
	t.Parallel()
	file := "chunk.tokens = 100\nchunk.overlap = 10\nworkers = 3\n"
	env := []string{"LUKASA_CHUNK_OVERLAP=11", "LUKASA_WORKERS=4"}
	l, err := load(t, file, env, map[string]string{"workers": "5"})
	if err != nil {
		t.Fatal(err)
	}
	if c := l.Config; c.ChunkTokens != 100 || c.ChunkOverlap != 11 || c.Workers != 5 || c.RateLimit != 100 {
		t.Errorf("got %+v", c)
	}
	for key, want := range map[string]string{"chunk.tokens": "file", "chunk.overlap": "environment LUKASA_CHUNK_OVERLAP", "workers": "flag --workers", "rate.limit": "default"} {
		if got := l.Origin(key).String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s comes from %q, want %q", key, got, want)
		}
	}
	if got := l.Origin("chunk.tokens").Name; !strings.HasSuffix(got, config.FileName+":1") {
		t.Errorf("line is %q", got)
	}
}

func TestAliases(t *testing.T) { // D-11
	t.Parallel()
	for _, c := range []struct {
		name string
		file string
		env  []string
		want func(c *config.Config)
	}{
		{"provider and key", "", []string{"EMBEDDING_PROVIDER=openai", "EMBEDDING_MODEL=m", "OPENAI_API_KEY=k"}, func(c *config.Config) {
			c.EmbedProvider, c.EmbedModel, c.EmbedKey = "openai", "m", "k"
		}},
		{"ollama's address", "", []string{"EMBEDDING_PROVIDER=ollama", "OLLAMA_BASE_URL=http://o:11434", "OPENAI_API_KEY=k"}, func(c *config.Config) {
			c.EmbedProvider, c.EmbedURL = "ollama", "http://o:11434"
		}},
		{"a key that lies around is not used", "", []string{"OPENAI_API_KEY=k", "OLLAMA_BASE_URL=http://o"}, func(*config.Config) {}},
		{"local models are the built-in one", "", []string{"EMBEDDING_PROVIDER=local"}, func(*config.Config) {}},
		{"our own spelling wins", "embed.key = file\n", []string{"LUKASA_EMBED_PROVIDER=openai", "EMBEDDING_PROVIDER=ollama", "OPENAI_API_KEY=k"}, func(c *config.Config) {
			c.EmbedProvider, c.EmbedKey = "openai", "file"
		}},
		{"the language model's", "", []string{"LLM_PROVIDER=claude", "LLM_MODEL=m", "ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=o"}, func(c *config.Config) {
			c.LLMProvider, c.LLMModel, c.LLMKey = "anthropic", "m", "k"
		}},
		{"one address for both", "", []string{"LLM_PROVIDER=ollama", "EMBEDDING_PROVIDER=ollama", "OLLAMA_BASE_URL=http://o:11434"}, func(c *config.Config) {
			c.LLMProvider, c.EmbedProvider, c.LLMURL, c.EmbedURL = "ollama", "ollama", "http://o:11434", "http://o:11434"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, err := load(t, c.file, c.env, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := config.Default()
			want.Data = l.Config.Data
			c.want(&want)
			if diff := cmp.Diff(want, l.Config); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		env        []string
		flags      map[string]string
		message    string
		hint       string
	}{
		{"unknown key", "a = 1\n", nil, nil, "lukasa.conf:1 a: is not a setting", "lists all"},
		{"nearly a key", "\nembed.providr = openai\n", nil, nil, "lukasa.conf:2 embed.providr", "embed.provider?"},
		{"nearly a variable", "", []string{"LUKASA_RATELIMIT=1"}, nil, "LUKASA_RATELIMIT", "LUKASA_RATE_LIMIT?"},
		{"twice", "workers = 1\nworkers = 2\n", nil, nil, "lukasa.conf:2: workers is set already in line 1", ""},
		{"no equals sign", "# x\nworkers 1\n", nil, nil, "lukasa.conf:2: is not of the form", ""},
		{"open quote", "embed.model = \"a\n", nil, nil, "lukasa.conf:1: has a quoted value", ""},
		{"NUL", "workers = 1\x00\n", nil, nil, "lukasa.conf:1: holds a control", ""},
		{"not UTF-8", "embed.model = \xff\n", nil, nil, "lukasa.conf:1: is not UTF-8", ""},
		{"out of range", "workers = 0\n", nil, nil, "lukasa.conf:1 workers: \"0\" is not a whole number from 1 to 64", "background"},
		{"wrong word", "", []string{"LUKASA_LOG_LEVEL=loud"}, nil, "LUKASA_LOG_LEVEL: \"loud\" is not one of debug", ""},
		{"wrong flag", "", nil, map[string]string{"request.timeout": "soon"}, "--request-timeout: \"soon\" is not a time", ""},
		{"wrong size", "", nil, map[string]string{"limit.body": "10 elephants"}, "--limit-body", ""},
		{"no port", "", nil, map[string]string{"listen": "localhost"}, "HOST:PORT", ""},
		{"huge port", "", nil, map[string]string{"listen": "localhost:65536"}, "no port", ""},
		{"overlap over chunk", "chunk.tokens = 40\n", nil, nil, "chunk.overlap: is not less", ""},
		{"half of TLS", "", nil, map[string]string{"tls.cert": "x"}, "tls: one of", "both"},
		{"data within data", "data = x\n", nil, nil, "lukasa.conf:1: data cannot", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, c.file, c.env, c.flags)
			var e *lukasa.Error
			if !errors.As(err, &e) || e.Code != lukasa.CodeInvalid {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(e.Error(), c.message) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("got %q, hint %q", e.Error(), e.Hint)
			}
		})
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	l, err := load(t, "embed.key = sesame\n", []string{"LUKASA_API_KEY=sesame", "LUKASA_MASTER_KEY=sesame"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprintf("%+v", l.Origins()); strings.Contains(s, "sesame") || strings.Count(s, "********") != 3 {
		t.Error(s)
	}
	for _, s := range config.Settings() {
		if s.Secret && s.Flag() != "" {
			t.Errorf("%s can be set where other users see it", s.Key)
		}
	}
}

func TestVariablesThatAreNoSettings(t *testing.T) {
	t.Parallel()
	if _, err := load(t, "", []string{"LUKASA_SERVER=http://x", "LUKASA_REQUIRE=a", "LUKASA_TEST_X=1", "LUKASA_WORKERS=", "PATH=/bin"}, nil); err != nil {
		t.Error(err)
	}
}

func TestNamedFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "own.conf")
	if _, err := config.Load(config.Input{File: name}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("a named file that is not there: %v", err)
	}
	text := "\ufeffdata = \"/x y # z\" # here\r\ncache.ttl=1h30m\nlimit.file = 2 MiB\nfetch.private = yes\nrank.days = 7.5\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := config.Load(config.Input{Env: []string{"LUKASA_CONFIG=" + name}})
	if err != nil {
		t.Fatal(err)
	}
	if c := l.Config; c.Data != "/x y # z" || c.CacheTTL != 90*time.Minute || c.MaxFile != 2<<20 || !c.FetchPrivate || c.RankDays != 7.5 || l.File != name {
		t.Errorf("got %+v of %q", c, l.File)
	}
}

// What is shown can be given again and means the same, for sizes and times of any value.
func TestShownValuesReadBack(t *testing.T) {
	t.Parallel()
	shown := func(flags map[string]string) (config.Config, map[string]string, error) {
		l, err := config.Load(config.Input{Flags: flags})
		out := map[string]string{}
		for _, v := range l.Origins() {
			out[v.Key] = v.Value
		}
		return l.Config, out, err
	}
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]string{
			"limit.body": fmt.Sprint(rapid.Int64Range(1<<10, 4<<30).Draw(t, "body")),
			"cache.ttl": rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "ns"))
			}).Draw(t, "ttl").String(),
			"rank.text": fmt.Sprint(rapid.Float64Range(0, 100).Draw(t, "weight")),
		}
		first, text, err := shown(in)
		if err != nil {
			t.Fatal(err)
		}
		again := map[string]string{}
		for k := range in {
			again[k] = text[k]
		}
		second, _, err := shown(again)
		if err != nil || first != second {
			t.Fatalf("%v became %v: %v", in, again, err)
		}
	})
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"serve": "serve", "serv": "serve", "sreach": "search", "xyz": "", "": ""} {
		if got := config.Nearest(name, []string{"add", "serve", "search"}); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a = 1\n# c\nb.c = \"x # y\" # z\r\n\n"))
	f.Add([]byte("\ufeffa=\n=\na"))
	f.Add([]byte("a = \"\\x00\\u00e9\"\n"))
	f.Add([]byte("a = b#c #d"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := config.Parse("f", data)
		if err != nil {
			if lukasa.CodeOf(err) != lukasa.CodeInvalid || !strings.HasPrefix(err.Error(), "f") {
				t.Fatalf("unclear error %v", err)
			}
			return
		}
		var b strings.Builder
		last := 0
		for _, l := range lines {
			if l.Number <= last || l.Key == "" {
				t.Fatalf("line %d after %d, key %q", l.Number, last, l.Key)
			}
			last = l.Number
			fmt.Fprintf(&b, "%s = %q\n", l.Key, l.Value)
		}
		again, err := config.Parse("g", []byte(b.String()))
		if err != nil || len(again) != len(lines) {
			t.Fatalf("written again: %v, %d of %d lines", err, len(again), len(lines))
		}
		for i := range again {
			if again[i].Key != lines[i].Key || again[i].Value != lines[i].Value {
				t.Fatalf("%+v became %+v", lines[i], again[i])
			}
		}
	})
}

func TestDocs(t *testing.T) {
	t.Parallel()
	const name = "../../docs/config.md"
	var b strings.Builder
	b.WriteString(`# Settings

<!-- Written by make generate from the table in internal/config; do not edit. -->

Nothing has to be set. A setting is taken from the first of these that has it:

1. a flag of the command line,
2. an environment variable,
3. the file ` + "`lukasa.conf`" + ` in the data directory, or the one named by ` + "`--config` or `LUKASA_CONFIG`" + `,
4. a variable of other programs, where one is named below,
5. the default.

The file has one ` + "`key = value`" + ` a line. What follows a ` + "`#`" + ` is a comment. A value in double quotes may hold a ` + "`#`" + `, and blanks at its
ends. Keys and ` + "`LUKASA_`" + ` variables that are not known, and values that are not allowed, are errors that name their place.
Variables that Kubernetes or Docker sets for a service called lukasa, like ` + "`LUKASA_PORT=tcp://…`, `LUKASA_SERVICE_HOST` or `LUKASA_PORT_7077_TCP`" + `, are
passed over, and ` + "`lukasa serve`" + ` logs their names.
` + "`lukasa config`" + ` prints what is in force and where each value came from. Secrets have no flag, as other users of a machine can read
command lines.

Times are written like ` + "`30s`, `5m`, `2h` or `1d`" + `, sizes like ` + "`64KB` or `10MB`" + ` (1 KB is 1,024 bytes).

| key | environment | flag | default | accepts | what it is |
|---|---|---|---|---|---|
`)
	code := func(s string) string {
		if s == "" {
			return ""
		}
		return "`" + s + "`"
	}
	for _, s := range config.Settings() {
		doc, flag := s.Doc, ""
		for _, a := range s.Alias {
			doc += "; " + code(a.Env) + " is understood too"
			if a.When != "" {
				doc += " with " + a.When
			}
		}
		if s.Flag() != "" {
			flag = "--" + s.Flag()
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", code(s.Key), code(s.Env()), code(flag), code(s.Default()), s.Rule, doc)
	}
	b.WriteString("\nBeside these, `LUKASA_SERVER` names the server that commands talk to, and `LUKASA_CONFIG` the settings file.\n")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), b.String()); diff != "" {
		t.Errorf("run make generate:\n%s", diff)
	}
}
