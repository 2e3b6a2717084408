package cli

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// MetricsCmd shows what a server has counted and measured.
type MetricsCmd struct {
	Name []string `arg:"" optional:"" help:"Only those whose name begins so, like lukasa_http."`
}

// metric is one number that a server tells.
type metric struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	Value  float64           `json:"value"`
}

// Run shows the metrics, with those of the Go runtime and the process.
func (c *MetricsCmd) Run(a *app) error {
	return a.running(func(cl *client.Client) error {
		text, err := cl.Metrics(a.ctx)
		if err != nil {
			return err
		}
		list := lukasa.Listing[metric]{Items: []metric{}}
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
			if line == "" || !c.wants(name) {
				continue
			}
			if !a.g.JSON {
				a.say("%s", plain(line))
			} else if m, ok := number(line); ok {
				list.Items = append(list.Items, m)
			}
		}
		if list.Total = len(list.Items); a.g.JSON {
			return a.printJSON(list)
		}
		return nil
	})
}

func (c *MetricsCmd) wants(name string) bool {
	for _, lead := range c.Name {
		if strings.HasPrefix(name, lead) {
			return true
		}
	}
	return len(c.Name) == 0
}

// label is one of the labels of a metric, in the braces behind its name.
var label = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)

// number reads a line of the format: a name, labels in braces, and a number. A comment, and what JSON has no form for, are none.
func number(line string) (m metric, ok bool) {
	at := strings.LastIndexByte(line, ' ')
	if at < 0 || line[0] == '#' {
		return m, false
	}
	var labels string
	if m.Value, _ = strconv.ParseFloat(line[at+1:], 64); math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
		return m, false
	}
	m.Name, labels, _ = strings.Cut(line[:at], "{")
	m.Labels = map[string]string{}
	for _, l := range label.FindAllStringSubmatch(labels, -1) {
		value, err := strconv.Unquote(`"` + l[2] + `"`)
		if err != nil {
			value = l[2]
		}
		m.Labels[l[1]] = value
	}
	return m, true
}
