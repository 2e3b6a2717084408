package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is the detail of the command's help.
func (completionCmd) Help() string {
	return `For bash: source <(lukasa completion bash). For zsh: lukasa completion zsh > "${fpath[1]}/_lukasa". For fish: lukasa completion fish > ~/.config/fish/completions/lukasa.fish.`
}

// place is a point of the command line at which something can be completed.
type place struct {
	path  string // commands so far, with blanks between
	words []word
}

type word struct {
	text, help string
	flag       bool
}

// places walks the commands, outermost first.
func places(n *kong.Node, path string, inherited []word) []place {
	flags := append([]word{}, inherited...)
	for _, f := range n.Flags {
		if !f.Hidden {
			flags = append(flags, word{text: "--" + f.Name, help: f.Help, flag: true})
		}
	}
	at := place{path: path, words: flags}
	var below []place
	for _, c := range n.Children {
		at.words = append(at.words, word{text: c.Name, help: c.Help})
		below = append(below, places(c, strings.TrimSpace(path+" "+c.Name), flags)...)
	}
	for _, p := range n.Positional {
		if p.Enum != "" {
			for _, v := range p.EnumSlice() {
				at.words = append(at.words, word{text: v})
			}
		}
	}
	return append([]place{at}, below...)
}

// Run prints the script.
func (c *completionCmd) Run(a *app) error {
	all := places(a.kong.Model.Node, "", nil)
	switch c.Shell {
	case "bash":
		a.say("%s", bashScript(all))
	case "zsh":
		a.say("#compdef lukasa\nautoload -U +X bashcompinit && bashcompinit\n%s", bashScript(all))
	default:
		a.say("%s", fishScript(all))
	}
	return nil
}

// bashScript completes commands, flags and the fixed values of arguments, else files.
func bashScript(all []place) string {
	var b strings.Builder
	b.WriteString("_lukasa() {\n  local cur=\"${COMP_WORDS[COMP_CWORD]}\" path=\"\" w words\n")
	b.WriteString("  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$path $w\" in\n")
	for _, p := range all {
		if p.path == "" {
			continue
		}
		path := p.path
		if !strings.Contains(path, " ") {
			path = " " + path
		}
		fmt.Fprintf(&b, "      %q) path=%q ;;\n", path, p.path)
	}
	b.WriteString("    esac\n  done\n  case \"$path\" in\n")
	for _, p := range all {
		var words []string
		for _, w := range p.words {
			words = append(words, w.text)
		}
		fmt.Fprintf(&b, "    %q) words=%q ;;\n", p.path, strings.Join(words, " "))
	}
	b.WriteString("  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _lukasa lukasa")
	return b.String()
}

func fishScript(all []place) string {
	var b strings.Builder
	b.WriteString("complete -c lukasa -e\n")
	for _, p := range all {
		when := "__fish_use_subcommand"
		if p.path != "" {
			var seen []string
			for c := range strings.FieldsSeq(p.path) {
				seen = append(seen, "__fish_seen_subcommand_from "+c)
			}
			when = strings.Join(seen, "; and ")
		}
		for _, w := range p.words {
			help := strings.ReplaceAll(strings.ReplaceAll(w.help, `\`, `\\`), "'", `\'`)
			if name, ok := strings.CutPrefix(w.text, "--"); ok && w.flag {
				fmt.Fprintf(&b, "complete -c lukasa -n '%s' -l %s -d '%s'\n", when, name, help)
			} else {
				fmt.Fprintf(&b, "complete -c lukasa -n '%s' -a %s -d '%s'\n", when, w.text, help)
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
