package lexis

import (
	"slices"
	"strings"
)

// Quarantine is the score from which a text of web or tool origin is kept away from what is remembered until somebody has looked at it.
const Quarantine = 0.5

// Threat scores from 0 to 1 how much a text tries to give orders to a machine that reads it, and says why: phrases that tell it to drop its
// instructions, to
// remember, to act or to keep something from the user; commands for its tools; text that a page hides from people; invisible characters. Each kind
// of sign
// counts once, and two kinds count more than one. An honest page about such attacks is caught too: the score is for text of web and tool origin.
func Threat(s string) (score float64, reasons []string) {
	if len(s) < 8 {
		return 0, nil
	}
	safe := 1.0
	sign := func(weight float64, reason string) {
		if reason != "" && !slices.Contains(reasons, reason) {
			safe *= 1 - weight
			reasons = append(reasons, reason)
		}
	}
	flat := flatten(s)
	for i, there := range ordered(flat) {
		if there {
			sign(0.6, orders[i].reason)
		}
	}
	if hidden(s) {
		sign(0.8, "hides text in invisible characters")
	}
	sign(0.5, toolCommand(flat))
	if covert(flat) {
		sign(0.4, "hides text from people by its style")
	}
	return 1 - safe, reasons
}

// ordersBy are the orders by the first byte of their phrase.
var ordersBy = func() (by [256][]int) {
	for i, o := range orders {
		by[o.phrase[0]] = append(by[o.phrase[0]], i)
	}
	return by
}()

// ordered finds out in one pass which of the orders stand in a text, where no letter or digit is right before them.
func ordered(flat string) []bool {
	found := make([]bool, len(orders))
	for i := range len(flat) {
		if i > 0 && isAlnum(flat[i-1]) {
			continue
		}
		for _, o := range ordersBy[flat[i]] {
			if !found[o] && strings.HasPrefix(flat[i:], orders[o].phrase) {
				found[o] = true
			}
		}
	}
	return found
}

// toolMarks are ways to call a tool that stand in no text written for people, as [flatten] leaves them.
var toolMarks = []string{"<toolcall>", "<functioncall", "<|tool", "\"toolcalls\"", "<invoke name", "{\"tool\":", "{\"function\":", "[toolcall]"}

// shells are commands that fetch a script and run it, or send something away.
var shells = []string{
	"| sh", "|sh", "| bash", "|bash", "rm -rf", "base64 -d", "--data-binary @", "-d @/", "powershell -enc", "invoke-webrequest",
	"eval(atob(",
}

// toolCommand says why a text looks as if it wants a reader's tools to act; "" when it does not.
func toolCommand(flat string) string {
	for _, m := range toolMarks {
		if strings.Contains(flat, m) {
			return "orders a tool call"
		}
	}
	if strings.Contains(flat, "curl ") || strings.Contains(flat, "wget ") || strings.Contains(flat, "rm -rf") ||
		strings.Contains(flat, "powershell") {
		for _, m := range shells {
			if strings.Contains(flat, m) && (strings.Contains(flat, "run ") || strings.Contains(flat, "execute ") ||
				strings.Contains(flat, "you must") ||
				strings.Contains(flat, "please ")) {
				return "orders a command"
			}
		}
	}
	for _, verb := range []string{"use the ", "call the ", "invoke the ", "run the "} {
		for rest := flat; ; {
			i := strings.Index(rest, verb)
			if i < 0 {
				break
			}
			rest = rest[i+len(verb):]
			head := Clip(rest, 60)
			if j := strings.Index(head, " tool to "); j > 0 && strings.Count(head[:j], " ") < 3 {
				return "orders a tool call"
			}
		}
	}
	return ""
}

// covers are styles that show nothing of what stands in their element.
var covers = []string{
	"display:none", "display: none", "visibility:hidden", "visibility: hidden", "font-size:0", "font-size: 0", "opacity:0;", "opacity: 0;",
	"opacity:0\"", "opacity: 0\"", "left:-9999", "left: -9999",
	"color:#fff;background:#fff", "color:white;background:white", "aria-hidden=\"true\"", " hidden>",
}

// covert reports whether a page hides a stretch of three words or more by style, or holds a comment that speaks to a reader.
func covert(flat string) bool {
	for _, c := range covers {
		for rest := flat; ; {
			i := strings.Index(rest, c)
			if i < 0 {
				break
			}
			rest = rest[i+len(c):]
			_, inner, ok := strings.Cut(Clip(rest, 4096), ">")
			if strings.HasSuffix(c, ">") {
				inner, ok = Clip(rest, 4096), true
			}
			if text, _, _ := strings.Cut(inner, "<"); ok && len(strings.Fields(text)) >= 3 {
				return true
			}
		}
	}
	for rest := flat; ; {
		_, after, ok := strings.Cut(rest, "<!--")
		if !ok {
			return false
		}
		comment, next, _ := strings.Cut(after, "-->")
		for _, o := range orders {
			if strings.Contains(comment, o.phrase) {
				return true
			}
		}
		rest = next
	}
}
