package fetch

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// FuzzRobots: what is read of a robots.txt decides quickly, and its patterns match as a slow reader says.
func FuzzRobots(f *testing.F) {
	for _, s := range []string{
		"User-agent: *\nDisallow: /search\nAllow: /search/about\nAllow: /search/howsearchworks\nDisallow: /*?gl=*&\nAllow: /?hl=*&gws_rd=ssl$\nDisallow: /index.html?\n\nUser-agent: Twitterbot\nAllow: /imgres\n\nSitemap: https://pier.example/sitemap.xml\n",
		"# comment\r\nUser-agent: GPTBot\r\nUser-agent: lukasa\r\nDisallow: /*/private/*.pdf$\r\nCrawl-delay: 10\r\n",
		"user-agent:*\ndisallow:/%7ejoe/\nallow:/~joe/public", "Disallow: /", "User-agent: *\nDisallow: " + strings.Repeat("/*a", 300), "\ufeffUser-agent: *\nDisallow: $\nDisallow: *",
	} {
		f.Add(s, "/search?gl=de&x=/%7ejoe/a.pdf")
	}
	f.Fuzz(func(t *testing.T, s, path string) {
		u, err := url.Parse("https://pier.example" + path)
		if err != nil || len(s) > mostRobots {
			return
		}
		began := time.Now()
		rs := parseRobots(s)
		rs.allow(u)
		if took := time.Since(began); took > 20*time.Second {
			t.Fatalf("%v", took)
		}
		for _, r := range rs[:min(len(rs), 3)] {
			pattern, whole := strings.CutSuffix(r.pattern, "$")
			pieces := strings.Split(pattern, "*")
			for i := range pieces {
				pieces[i] = regexp.QuoteMeta(pieces[i])
			}
			slow := "(?s)^" + strings.Join(pieces, ".*")
			if whole {
				slow += "$"
			}
			if p := normal(u.EscapedPath()); len(pieces) < 50 && regexp.MustCompile(slow).MatchString(p) != matches(r.pattern, p) {
				t.Fatalf("%q and %q", r.pattern, p)
			}
		}
	})
}
