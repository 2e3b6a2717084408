package page

import (
	"strconv"
	"strings"
)

// NewItem makes an item of a list. Labels that Markdown does not know stand before its words.
func NewItem(label, text string, level int) Block {
	digits := strings.TrimRight(label, ".)")
	if _, err := strconv.ParseUint(digits, 10, 29); err == nil && len(label) == len(digits)+1 {
		return Block{Shape: Item, Level: level, Label: label, Text: text}
	}
	if label != "-" && label != "" {
		text = label + " " + text
	}
	return Block{Shape: Item, Level: level, Label: "-", Text: text}
}

// Ordinal writes the n-th label of a list: format is "a", "A", "i", "I" or a name that Office has for it; anything else means
// digits.
func Ordinal(n int, format string) string {
	switch format {
	case "lowerLetter", "a":
		return letters(n)
	case "upperLetter", "A":
		return strings.ToUpper(letters(n))
	case "lowerRoman", "i":
		return strings.ToLower(roman(n))
	case "upperRoman", "I":
		return roman(n)
	}
	return strconv.Itoa(n)
}

// letters is a, b, … z, aa, bb, …
func letters(n int) string {
	if n < 1 || n > 26*20 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('a'+(n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	signs := []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	for i, value := range []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1} {
		for n >= value {
			b.WriteString(signs[i])
			n -= value
		}
	}
	return b.String()
}

// Remark is a comment beside the text.
type Remark struct {
	Text string // lines
	Who  string
	When string // a day
}

// Block writes a remark; what says what it is: "Comment".
func (r Remark) Block(what string) Block {
	by := ""
	if r.Who != "" {
		by = " by " + OneLine(r.Who)
	}
	if r.When != "" {
		by += " (" + r.When + ")"
	}
	return Block{Shape: Quote, Text: Tidy(what + by + ": " + r.Text)}
}
