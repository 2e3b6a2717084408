package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// dropMargins takes out what stands on pages besides their text: running heads and feet, which say the same at the same
// height on pages that are close, and page numbers, which count with the pages. It returns the running heads.
func dropMargins(pages []*page, all [][]row) []string {
	type place struct {
		page, row int
		y         float64
		text      string
		size      float64
		number    int // the first number in it, -1 for none
		alone     bool
		original  string
	}
	body := bodySize(pages)
	var found []place
	for p, rs := range all {
		for _, i := range edges(rs, pages[p].height) {
			n := newLine(rs[i].words)
			if n.size > 1.2*body {
				continue
			}
			text, number := shape(n.text)
			found = append(found, place{p, i, (rs[i].y0 + rs[i].y1) / 2, text, n.size, number, isPageNumber(text), n.text})
		}
	}
	drop := map[[2]int]bool{}
	heads := map[string]bool{}
	byText := map[string][]place{}
	for _, f := range found {
		byText[f.text] = append(byText[f.text], f)
	}
	for text, group := range byText {
		for i, a := range group {
			near, counts := 0, 0
			for k := i - 1; k >= 0 && a.page-group[k].page <= 4; k-- {
				near, counts = compareMargins(group[k].y-a.y, a.page-group[k].page, a.number-group[k].number, near, counts)
			}
			for k := i + 1; k < len(group) && group[k].page-a.page <= 4; k++ {
				near, counts = compareMargins(group[k].y-a.y, a.page-group[k].page, a.number-group[k].number, near, counts)
			}
			switch {
			case near == 0:
			case a.alone && (counts > 0 || a.number < 0 && near > 0): // Roman numbers do not count here
				drop[[2]int{a.page, a.row}] = true
			case !a.alone && len(group) >= 3 && near >= 1:
				drop[[2]int{a.page, a.row}] = true
				if !strings.Contains(text, "#") {
					heads[a.original] = true
				}
			}
		}
	}
	for p := range all {
		kept := all[p][:0]
		for i, r := range all[p] {
			if !drop[[2]int{p, i}] {
				kept = append(kept, r)
			}
		}
		all[p] = kept
	}
	var out []string
	for h := range heads {
		if h != "" && len(out) < 5 {
			out = append(out, h)
		}
	}
	slices.Sort(out)
	return out
}

// compareMargins counts a row of the same words as near when it stands at the same height, and as counting when its number
// differs as the pages do.
func compareMargins(dy float64, pages, numbers, near, counts int) (int, int) {
	if math.Abs(dy) > 3 {
		return near, counts
	}
	if pages == numbers && pages != 0 {
		counts++
	}
	return near + 1, counts
}

// edges lists the rows that may be head or foot: the two outermost at each end that stand in the outer sixth of the page.
func edges(rs []row, height float64) []int {
	var out []int
	for i := range rs {
		top := i < 2 && rs[i].y1 < height/6
		foot := i >= len(rs)-2 && rs[i].y0 > height*5/6
		if top || foot {
			out = append(out, i)
		}
	}
	return out
}

// shape is a text with each number in it written as #, and the first of them.
func shape(s string) (string, int) {
	var b strings.Builder
	first, value, in := -1, 0, false
	for _, r := range s {
		if unicode.IsDigit(r) {
			if !in {
				b.WriteByte('#')
				in, value = true, 0
			}
			if d := int(r - '0'); d >= 0 && d <= 9 && value < 1e6 {
				value = value*10 + d
			}
			continue
		}
		if in && first < 0 {
			first = value
		}
		in = false
		b.WriteRune(unicode.ToLower(r))
	}
	if in && first < 0 {
		first = value
	}
	return b.String(), first
}

// isPageNumber reports the shape of a text that is nothing but a page number: "#", "- # -", "page # of #", "iv".
func isPageNumber(s string) bool {
	s = strings.Trim(s, " -–—|[]().·•")
	switch s {
	case "#", "page #", "page # of #", "# of #", "#/#", "# / #", "seite #", "seite # von #", "s. #", "p. #", "página #", "# / # /",
		"第#页", "第#頁", "#ページ":
		return true
	}
	return s != "" && len(s) <= 8 && strings.Trim(s, "ivxlc") == ""
}

// bodySize is the size in which most of the letters are set.
func bodySize(pages []*page) float64 {
	weight := map[float64]int{}
	for _, p := range pages {
		for _, w := range p.words[0] {
			weight[math.Round(w.size*5)/5] += len(w.text)
		}
	}
	best, most := 0.0, 0
	for s, n := range weight {
		if n > most || n == most && s < best {
			best, most = s, n
		}
	}
	return best
}

// vocabularyOf collects the words that are not cut by the end of a line.
func vocabularyOf(all [][]row) map[string]bool {
	const most = 200_000
	out := map[string]bool{}
	for _, rs := range all {
		for _, r := range rs {
			for _, w := range r.words {
				t := strings.ToLower(strings.Trim(tidy(w.text), ".,;:!?()[]\"'“”‘’"))
				if t != "" && !strings.HasSuffix(t, "-") && len(out) < most {
					out[t] = true
				}
			}
		}
	}
	return out
}
