package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// FileName is the name of the settings file in the data directory.
const FileName = "lukasa.conf"

// mask stands for a secret that is set.
const mask = "********"

// Input is where settings come from, weakest first: the file, the environment, the flags. Below all of them stand the
// aliases of other programs, and below those the defaults.
type Input struct {
	File  string            // "" means lukasa.conf in the data directory, if it is there
	Env   []string          // NAME=value, as os.Environ gives it
	Flags map[string]string // by key
}

// Loaded is what is in force, and why.
type Loaded struct {
	Config Config
	File   string // that was read, "" if none was
	// Injected names the variables that an orchestrator has set, in their order: they look like ours and are passed over.
	Injected []string

	origins map[string]Origin
}

// Origin is where a value came from. Kind is default, file, environment, alias or flag; Name is the line, variable or flag.
type Origin struct {
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
}

// String returns the origin for people.
func (o Origin) String() string {
	if o.Name == "" {
		return o.Kind
	}
	return o.Kind + " " + o.Name
}

// Value is one setting as it is in force. A secret's value is masked.
type Value struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin Origin `json:"origin"`
}

// Origins returns every setting with its value and where that came from, in the order of [Settings]. Secrets are masked.
func (l Loaded) Origins() []Value {
	var out []Value
	for _, s := range Settings() {
		v := Value{Key: s.Key, Value: s.kind.show(&l.Config), Origin: l.Origin(s.Key)}
		if s.Secret && v.Value != "" {
			v.Value = mask
		}
		out = append(out, v)
	}
	return out
}

// Origin returns where the value of a key came from.
func (l Loaded) Origin(key string) Origin {
	if o, ok := l.origins[key]; ok {
		return o
	}
	return Origin{Kind: "default"}
}

// Load works out what is in force. A key or a LUKASA_ variable that is not known, or a value that is not allowed, is
// [lukasa.CodeInvalid]; the error names the line, variable or flag. What an orchestrator injects is no such variable.
func Load(in Input) (Loaded, error) {
	l := loading{table: map[string]Setting{}, Loaded: Loaded{Config: Default(), origins: map[string]Origin{}}, env: map[string]string{}}
	for _, s := range Settings() {
		l.table[s.Key] = s
	}
	if err := l.readEnv(in.Env); err != nil {
		return l.Loaded, err
	}
	l.placeData(in)
	if err := l.file(in); err != nil {
		return l.Loaded, err
	}
	for _, s := range Settings() {
		if v := l.env[s.Env()]; v != "" {
			if err := l.set(s, v, Origin{Kind: "environment", Name: s.Env()}); err != nil {
				return l.Loaded, err
			}
		}
		if v, ok := in.Flags[s.Key]; ok {
			if err := l.set(s, v, Origin{Kind: "flag", Name: "--" + s.Flag()}); err != nil {
				return l.Loaded, err
			}
		}
	}
	for _, s := range Settings() { // embed.provider stands before those that depend on it
		if err := l.aliases(s); err != nil {
			return l.Loaded, err
		}
	}
	return l.Loaded, l.check()
}

type loading struct {
	Loaded
	table map[string]Setting
	env   map[string]string
}

func (l *loading) set(s Setting, v string, from Origin) error {
	if err := s.kind.parse(v, &l.Config); err != nil {
		at, shown := from.Name, fmt.Sprintf("%q ", v)
		if from.Kind == "file" {
			at += " " + s.Key
		}
		if s.Secret {
			shown = ""
		}
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: at, Msg: shown + err.Error(), Hint: s.Key + ": " + s.Doc}
	}
	l.origins[s.Key] = from
	return nil
}

// placeData finds the data directory before the file in it is read. An empty variable counts as none.
func (l *loading) placeData(in Input) {
	if v := l.env["LUKASA_DATA"]; v != "" {
		l.Config.Data = v
	}
	if v := in.Flags["data"]; v != "" {
		l.Config.Data = v
	}
}

// otherVariable reports whether a variable is ours and no setting.
func otherVariable(name string) bool {
	switch name {
	case "LUKASA_SERVER", "LUKASA_CONFIG", "LUKASA_REQUIRE":
		return true
	}
	return strings.HasPrefix(name, "LUKASA_TEST_")
}

func (l *loading) readEnv(env []string) error {
	known := []string{"LUKASA_SERVER", "LUKASA_CONFIG"}
	for _, s := range l.table {
		known = append(known, s.Env())
	}
	slices.Sort(known)
	for _, kv := range env {
		name, v, _ := strings.Cut(kv, "=")
		l.env[name] = v
		switch {
		case !strings.HasPrefix(name, "LUKASA_"), otherVariable(name), slices.Contains(known, name):
		case injected(name, v):
			l.Injected = append(l.Injected, name)
		default:
			return unknown(name, "is not a variable of lukasa", known)
		}
	}
	return nil
}

// injected reports whether a variable is one of those that Kubernetes and Docker set for a service called lukasa, or lukasa-something: its
// host and its ports.
func injected(name, value string) bool {
	if regexp.MustCompile(`^LUKASA(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`).MatchString(name) {
		return true
	}
	address := regexp.MustCompile(`^(tcp|udp|sctp)://`).MatchString(value) // set by hand it would be a number
	return address && regexp.MustCompile(`^LUKASA(_[A-Z0-9_]+)?_PORT$`).MatchString(name)
}

func unknown(field, msg string, known []string) error {
	e := &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: msg, Hint: "`lukasa config` lists all settings"}
	name := field
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		name = name[i+1:]
	}
	if near := Nearest(name, known); near != "" {
		e.Hint = "did you mean " + near + "?"
	}
	return e
}

func (l *loading) file(in Input) error {
	name := in.File
	if name == "" {
		name = l.env["LUKASA_CONFIG"]
	}
	wanted := name != ""
	if !wanted {
		name = filepath.Join(l.Config.Data, FileName)
	}
	if _, err := os.Lstat(name); !wanted && (err != nil || !isDir(l.Config.Data)) {
		return nil //nolint:nilerr // what is wrong with the data directory is said when it is opened
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: name, Msg: "cannot be read", Hint: "check --config, and the rights of the file", Err: err}
	}
	lines, err := Parse(name, data)
	if err != nil {
		return err
	}
	l.File = name
	for _, line := range lines {
		at := fmt.Sprintf("%s:%d", name, line.Number)
		s, ok := l.table[line.Key]
		if !ok {
			var known []string
			for _, s := range Settings() {
				known = append(known, s.Key)
			}
			return unknown(at+" "+line.Key, "is not a setting", known)
		}
		if s.Key == "data" && !wanted {
			return lukasa.Invalid(at, "data cannot be set in the file that lies in the data directory")
		}
		if err := l.set(s, line.Value, Origin{Kind: "file", Name: at}); err != nil {
			return err
		}
	}
	return nil
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

func (l *loading) aliases(s Setting) error {
	if _, taken := l.origins[s.Key]; taken {
		return nil
	}
	for _, a := range s.Alias {
		v := l.env[a.Env]
		if v == "" || !l.holds(a.When) {
			continue
		}
		if m, ok := a.Means[v]; ok {
			v = m
		}
		return l.set(s, v, Origin{Kind: "alias", Name: a.Env})
	}
	return nil
}

// holds reports whether the setting before the "=" of when has the value behind it; nothing always holds.
func (l *loading) holds(when string) bool {
	key, value, _ := strings.Cut(when, "=")
	i := slices.IndexFunc(Settings(), func(s Setting) bool { return s.Key == key })
	return when == "" || i >= 0 && Settings()[i].kind.show(&l.Config) == value
}

// check looks at what settings say together.
func (l *loading) check() error {
	c := l.Config
	switch {
	case c.Data == "":
		return lukasa.Invalid("data", "is empty")
	case c.ChunkOverlap >= c.ChunkTokens:
		return lukasa.Invalid("chunk.overlap", "is not less than chunk.tokens, which is %d", c.ChunkTokens)
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "tls", Msg: "one of tls.cert and tls.key is missing", Hint: "give both, or neither"}
	}
	return nil
}

// Nearest returns the candidate that differs least from name (Levenshtein), "" if none is near: at most a third of its
// letters, and no more than three.
func Nearest(name string, candidates []string) string {
	best, at := min(3, len(name)/3)+1, ""
	for _, c := range candidates {
		if d := distance(name, c, best); d < best {
			best, at = d, c
		}
	}
	return at
}

// distance is the Levenshtein distance of a and b, or at least limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
