package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A kind of value reads a text into its place, refuses what is out of range, and writes it back so that reading that again
// gives the same.
type kind struct {
	rule   string // what is accepted, for people
	parse  func(s string, c *Config) error
	show   func(c *Config) string
	toggle bool // its flag needs no value
}

func text(at func(*Config) *string, rule string, check func(string) error) kind {
	return kind{rule: rule, show: func(c *Config) string { return *at(c) }, parse: func(s string, c *Config) error {
		if check != nil && s != "" {
			if err := check(s); err != nil {
				return err
			}
		}
		*at(c) = s
		return nil
	}}
}

func oneOf(at func(*Config) *string, names ...string) kind {
	rule := strings.Join(names, ", ")
	return kind{rule: rule, show: func(c *Config) string { return *at(c) }, parse: func(s string, c *Config) error {
		if !slices.Contains(names, s) {
			return fmt.Errorf("is not one of %s", rule)
		}
		*at(c) = s
		return nil
	}}
}

func integer(at func(*Config) *int, low, high int) kind {
	rule := fmt.Sprintf("%d to %d", low, high)
	return kind{rule: rule, show: func(c *Config) string { return strconv.Itoa(*at(c)) }, parse: func(s string, c *Config) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < low || n > high {
			return fmt.Errorf("is not a whole number from %s", rule)
		}
		*at(c) = n
		return nil
	}}
}

func number(at func(*Config) *float64, low, high float64) kind {
	rule := fmt.Sprintf("%g to %g", low, high)
	return kind{rule: rule, show: func(c *Config) string { return strconv.FormatFloat(*at(c), 'g', -1, 64) }, parse: func(s string, c *Config) error {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(n) || n < low || n > high {
			return fmt.Errorf("is not a number from %s", rule)
		}
		*at(c) = n
		return nil
	}}
}

func boolean(at func(*Config) *bool) kind {
	return kind{rule: "true or false", toggle: true, show: func(c *Config) string { return strconv.FormatBool(*at(c)) }, parse: func(s string, c *Config) error {
		switch strings.ToLower(s) {
		case "true", "yes", "on", "1":
			*at(c) = true
		case "false", "no", "off", "0":
			*at(c) = false
		default:
			return fmt.Errorf("is not true or false")
		}
		return nil
	}}
}

func duration(at func(*Config) *time.Duration, low, high time.Duration) kind {
	rule := showDuration(low) + " to " + showDuration(high)
	return kind{rule: rule, show: func(c *Config) string { return showDuration(*at(c)) }, parse: func(s string, c *Config) error {
		d, err := parseDuration(s)
		if err != nil || d < low || d > high {
			return fmt.Errorf("is not a time from %s, like 30s or 5m", rule)
		}
		*at(c) = d
		return nil
	}}
}

func size[N int | int64](at func(*Config) *N, low, high int64) kind {
	rule := showSize(low) + " to " + showSize(high)
	return kind{rule: rule, show: func(c *Config) string { return showSize(int64(*at(c))) }, parse: func(s string, c *Config) error {
		n, err := parseSize(s)
		if err != nil || n < low || n > high {
			return fmt.Errorf("is not a size from %s, like 64KB or 10MB", rule)
		}
		*at(c) = N(n)
		return nil
	}}
}

// parseDuration reads what [time.ParseDuration] reads, whole days (2d) and 0.
func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}

// showDuration writes 5m for what Go writes as 5m0s.
func showDuration(d time.Duration) string {
	if d > 0 && d%(24*time.Hour) == 0 {
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// units of sizes; KB and KiB are both 1,024 bytes, as the limits of the product are.
var units = []struct {
	name  string
	bytes int64
}{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"B", 1}}

func parseSize(s string) (int64, error) {
	up := strings.ToUpper(strings.ReplaceAll(s, " ", ""))
	up = strings.Replace(up, "IB", "B", 1)
	by := int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(up, u.name); ok {
			up, by = rest, u.bytes
			break
		}
		if rest, ok := strings.CutSuffix(up, u.name[:1]); ok {
			up, by = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(up, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/by {
		return 0, fmt.Errorf("is not a size")
	}
	return n * by, nil
}

func showSize(n int64) string {
	for _, u := range units {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

func hostPort(s string) error {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return fmt.Errorf("is not of the form HOST:PORT")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n > math.MaxUint16 {
		return fmt.Errorf("has no port from 0 to 65535")
	}
	return nil
}

func webAddress(s string) error {
	if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
		return fmt.Errorf("is not an http or https address")
	}
	return nil
}

// schemaName takes what PostgreSQL takes for a name without quotes, short enough for the names that are made of it.
func schemaName(s string) error {
	ok := s != "" && len(s) <= 40 && (s[0] < '0' || s[0] > '9')
	for _, c := range s {
		ok = ok && (c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9')
	}
	if !ok {
		return errors.New("is not made of up to 40 small letters, digits and _")
	}
	return nil
}
