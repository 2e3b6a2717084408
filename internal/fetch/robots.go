package fetch

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ErrRobots says that the site asks programs to leave the page alone.
var ErrRobots = errors.New("robots.txt of the site asks programs to leave this page alone")

const (
	robotsName  = "lukasa"  // the product token that a site can name
	mostRobots  = 512 << 10 // bytes of a robots.txt that are read; RFC 9309 asks for 500 KiB at least
	mostRules   = 10_000    // of the group that is ours
	mostPattern = 2000      // bytes of a rule
	robotsPath  = "/robots.txt"
)

// rules are what a robots.txt says to us (RFC 9309): the longest rule that matches decides, and of two as long as each other the
// one that allows.
type rules []rule

type rule struct {
	pattern string
	allow   bool
}

// parseRobots reads the groups that name us, or else those for all.
func parseRobots(s string) rules {
	var ours, all rules
	named, group, agents := false, "", true // in a row of lines that say whom a group is for
	for line := range strings.Lines(strings.TrimPrefix(s, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		field, value, found := strings.Cut(line, ":")
		if !found {
			continue
		}
		value = strings.TrimSpace(value)
		switch field = strings.ToLower(strings.TrimSpace(field)); field {
		case "user-agent":
			if !agents {
				group, agents = "", true
			}
			token, _, _ := strings.Cut(strings.ToLower(value), "/")
			switch {
			case token == robotsName:
				group, named = robotsName, true
			case token == "*" && group == "":
				group = "*"
			}
		case "allow", "disallow":
			agents = false
			if value == "" || len(value) > mostPattern {
				continue
			}
			r := rule{normal(value), field == "allow"}
			switch {
			case group == robotsName && len(ours) < mostRules:
				ours = append(ours, r)
			case group == "*" && len(all) < mostRules:
				all = append(all, r)
			}
		}
	}
	if named {
		return ours
	}
	return all
}

// normal spells what is escaped in one way, so that rules and addresses can be compared.
func normal(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if plain, err := url.PathUnescape(path[i : i+3]); err == nil && len(plain) == 1 && unreserved(plain[0]) {
				b.WriteString(plain)
			} else {
				b.WriteString(strings.ToUpper(path[i : i+3]))
			}
			i += 2
			continue
		}
		if c >= 0x80 || c <= ' ' {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// allow reports whether the path of an address, with its query, may be read.
func (rs rules) allow(u *url.URL) bool {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if path == robotsPath {
		return true
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	path = normal(path)
	best, allowed := -1, true
	for _, r := range rs {
		if n := len(r.pattern); (n > best || n == best && r.allow) && matches(r.pattern, path) {
			best, allowed = n, r.allow
		}
	}
	return allowed
}

// matches reports whether the pattern is the beginning of the path, where * stands for any text and a $ at the end for the end.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	rest, found := strings.CutPrefix(path, pieces[0])
	if !found {
		return false
	}
	for i, p := range pieces[1:] {
		if whole && i == len(pieces)-2 {
			return strings.HasSuffix(rest, p)
		}
		at := strings.Index(rest, p)
		if at < 0 {
			return false
		}
		rest = rest[at+len(p):]
	}
	return !whole || rest == ""
}
