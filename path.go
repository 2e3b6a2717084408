package lukasa

import "strings"

// MaxDepth is the depth of the deepest node; the root has depth 0.
const MaxDepth = 5

// DefaultPath is where content goes that names no container.
const DefaultPath Path = "default"

// Path is a node's dotted address below the root: one to five segments of 1-64 characters out of letters, digits and
// "_@:+-%", joined by dots. The root's own path is "".
type Path string

// ParsePath checks s against the grammar of [Path].
func ParsePath(s string) (Path, error) {
	if s == "" {
		return "", Invalid("container", "is empty")
	}
	segs := strings.Split(s, ".")
	if len(segs) > MaxDepth {
		return "", Invalid("container", "has %d levels, at most %d are allowed", len(segs), MaxDepth)
	}
	for _, seg := range segs {
		if !validSegment(seg) {
			err := Invalid("container", "segment %.40q is not allowed", seg)
			err.Hint = "use 1-64 letters, digits or _ @ : + - in each segment, joined by dots; write %2E for a dot inside a name"
			return "", err
		}
	}
	return Path(s), nil
}

func validSegment(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("_@:+-%", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// EscapeSegment turns an id of another system into one segment: bytes that a segment may not hold become %XX. The result
// still has to be checked: an empty or very long id makes no valid segment.
func EscapeSegment(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '%' && validSegment(string(c)) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// Depth returns the number of segments, which is the node's depth.
func (p Path) Depth() int {
	if p == "" {
		return 0
	}
	return strings.Count(string(p), ".") + 1
}

// Parent returns the path one level up; the root's parent is the root.
func (p Path) Parent() Path {
	i := strings.LastIndexByte(string(p), '.')
	if i < 0 {
		return ""
	}
	return p[:i]
}

// Name returns the last segment.
func (p Path) Name() string { return string(p[strings.LastIndexByte(string(p), '.')+1:]) }

// Covers reports whether q is p or lies below it.
func (p Path) Covers(q Path) bool {
	return p == "" || p == q || strings.HasPrefix(string(q), string(p)+".")
}

// Pattern names a set of nodes: a subtree (work), one node alone (work!), or a node's children (work.*). With Inherit it
// also names the ancestors.
type Pattern struct {
	Path    Path
	Mode    byte // 0 subtree, '!' the node alone, '*' its children
	Inherit bool
}

// ParsePattern reads the container grammar of a search request.
func ParsePattern(s string, inherit bool) (Pattern, error) {
	pat := Pattern{Inherit: inherit}
	switch {
	case strings.HasSuffix(s, "!"):
		pat.Mode, s = '!', strings.TrimSuffix(s, "!")
	case s == "*":
		return Pattern{Mode: '*'}, nil
	case strings.HasSuffix(s, ".*"):
		pat.Mode, s = '*', strings.TrimSuffix(s, ".*")
	}
	p, err := ParsePath(s)
	pat.Path = p
	return pat, err
}

// Match reports whether the pattern names the node at q.
func (p Pattern) Match(q Path) bool {
	switch {
	case p.Inherit && q != "" && q.Covers(p.Path):
		return true
	case p.Mode == '!':
		return p.Path == q
	case p.Mode == '*':
		return q != "" && q.Parent() == p.Path && q.Depth() == p.Path.Depth()+1
	}
	return p.Path.Covers(q)
}
