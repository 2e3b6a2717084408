package config

import (
	"fmt"
	"net/url"
	"strings"
)

// ParseOrigins reads the setting cors.origins: exact origins of web pages, as a browser sends them, or *.
func ParseOrigins(s string) ([]string, error) {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if part != "*" {
			u, err := url.Parse(part)
			if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != part || part != strings.ToLower(part) || strings.Contains(u.Host, "*") {
				return nil, fmt.Errorf("%.80q is not an origin: give scheme and host in small letters, with the port if it has one and without a path, like https://app.example.org", part)
			}
		}
		out = append(out, part)
	}
	return out, nil
}

func origins(s string) error {
	_, err := ParseOrigins(s)
	return err
}
