package office

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// mostPoints is how many points of a chart are read.
const mostPoints = 5000

// readGraphic reads what a chart or a diagram shows, by the reference that opened.
func readGraphic(a *unpack.Archive, rels map[string]relation, x *unpack.XML) ([]page.Block, error) {
	var blocks []page.Block
	var err error
	switch x.Name {
	case "chart":
		if r, ok := rels[x.Attr("id")]; ok && r.kind == "chart" {
			err = a.XML(r.target, func(in *unpack.XML) error {
				blocks, err = readChart(in)
				return err
			})
		}
	case "relIds":
		if r, ok := rels[x.Attr("dm")]; ok && r.kind == "diagramData" {
			err = a.XML(r.target, func(in *unpack.XML) error {
				blocks, err = readDiagram(in)
				return err
			})
		}
	}
	return blocks, unpack.Forgive(err)
}

// readDiagram lists the words of a SmartArt graphic.
func readDiagram(x *unpack.XML) ([]page.Block, error) {
	var out []page.Block
	err := x.Each(func(name string) error {
		if name != "t" || !strings.EqualFold(x.Space, "dgm") {
			return nil
		}
		paragraphs, err := readParagraphs(x, nil)
		for _, p := range paragraphs {
			out = append(out, page.Block{Shape: page.Item, Text: p.Text})
		}
		return err
	})
	return out, err
}

// series is a line of numbers of a chart.
type series struct {
	name   string
	labels map[int]string
	values map[int]string
}

// readChart writes the numbers of a chart, as they were cached when it was drawn, as a table below its title.
func readChart(x *unpack.XML) ([]page.Block, error) {
	var title strings.Builder
	var all []series
	index := 0
	for {
		e, err := x.Next()
		if err == io.EOF { //nolint:errorlint // next returns it bare
			break
		}
		if err != nil {
			return nil, err
		}
		if e == unpack.Opens {
			switch x.Name {
			case "ser":
				all = append(all, series{labels: map[int]string{}, values: map[int]string{}})
			case "pt":
				index, err = strconv.Atoi(x.Attr("idx"))
				if err != nil || index < 0 || index >= mostPoints {
					index = mostPoints
				}
			}
			continue
		}
		if e != unpack.Words {
			continue
		}
		s := page.Tidy(string(x.Text))
		switch name := x.Parent(1, e); {
		case name == "t" && x.Inside("title") && len(all) == 0 && !x.Inside("plotArea"):
			title.WriteString(s)
		case name == "v" && len(all) > 0 && index < mostPoints:
			ser := &all[len(all)-1]
			switch {
			case x.Inside("tx"):
				ser.name += s
			case x.Inside("cat"), x.Inside("xVal"):
				ser.labels[index] += s
			case x.Inside("val"), x.Inside("yVal"):
				ser.values[index] += s
			}
		}
	}
	return chartBlocks(title.String(), all), nil
}

func chartBlocks(title string, all []series) []page.Block {
	var out []page.Block
	if title != "" {
		out = append(out, page.Block{Text: "Chart: " + title})
	}
	header, points := []string{""}, map[int]bool{}
	for i, s := range all {
		if s.name == "" {
			s.name = "Series " + strconv.Itoa(i+1)
		}
		header = append(header, page.OneLine(s.name))
		for p := range s.values {
			points[p] = true
		}
	}
	if len(points)*len(all) > 10*mostPoints || len(points) == 0 {
		return out
	}
	lines := [][]string{header}
	for _, p := range slices.Sorted(maps.Keys(points)) {
		row := []string{page.OneLine(all[0].labels[p])}
		for _, s := range all {
			row = append(row, numeral(s.values[p]))
		}
		lines = append(lines, row)
	}
	return append(out, page.Block{Shape: page.Table, Rows: lines})
}
