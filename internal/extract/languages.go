package extract

import (
	"path"
	"strings"
)

// languages names programming, markup and data languages as Linguist does, with
// their file extensions, whole file names (with a slash before) and interpreters (with a !).
// It is one string that a look-up walks, because a table of the whole of Linguist costs every start
// of the program 16 MB and tens of milliseconds.
const languages = `
Go .go
Python .py .pyw .pyi .pyx /sconstruct /wscript !python !python2 !python3 !pypy
JavaScript .js .mjs .cjs .jsx .es6 /jakefile !node !deno !bun
TypeScript .ts .tsx .mts .cts !ts-node
Java .java .jav
Kotlin .kt .kts
Scala .scala .sc .sbt
Groovy .groovy .gradle .gvy /jenkinsfile !groovy
Clojure .clj .cljs .cljc .edn
C .c .h .idc
C++ .cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .inl .ipp .tpp
C# .cs .csx
F# .fs .fsi .fsx
Visual Basic .vb .vbhtml
Objective-C .m
Objective-C++ .mm
Swift .swift
Rust .rs
Zig .zig
D .d .di
Nim .nim .nims
V .vsh
Crystal .cr !crystal
Ruby .rb .rake .gemspec .ru .podspec /rakefile /gemfile /vagrantfile /podfile /brewfile !ruby !jruby
PHP .php .phtml .php5 .phps !php
Perl .pl .pm .t .pod !perl
Raku .raku .rakumod .p6
Lua .lua !lua !luajit
R .r .rmd !rscript
Julia .jl !julia
MATLAB .matlab
Haskell .hs .lhs !runhaskell
Elm .elm
PureScript .purs
OCaml .ml .mli .mll .mly !ocaml
ReasonML .re .rei
Erlang .erl .hrl !escript
Elixir .ex .exs !elixir
Common Lisp .lisp .lsp .cl !sbcl
Emacs Lisp .el
Scheme .scm .ss !guile
Racket .rkt !racket
Prolog .pro .prolog !swipl
Fortran .f90 .f95 .f03 .f08 .f .for
Ada .adb .ads
Pascal .pas .dpr .lpr
COBOL .cob .cbl .cpy
Assembly .asm .s .nasm
VHDL .vhd .vhdl
Verilog .v .vh
SystemVerilog .sv .svh
Solidity .sol
Move .move
Cuda .cu .cuh
GLSL .glsl .vert .frag .geom
HLSL .hlsl
WebAssembly .wat .wast
Dart .dart
GDScript .gd
CoffeeScript .coffee .cson !coffee
LiveScript .ls
Haxe .hx
Tcl .tcl .tk !tclsh !wish
AWK .awk !awk !gawk
sed .sed !sed
Shell .sh .bash .zsh .ksh .bats /.bashrc /.zshrc /.profile /.bash_profile !sh !bash !zsh !dash !ksh !ash
fish .fish !fish
PowerShell .ps1 .psm1 .psd1 !pwsh
Batchfile .bat .cmd
AppleScript .applescript !osascript
Vim Script .vim .vimrc /.vimrc /vimrc
SQL .sql .ddl .dml
PLpgSQL .pgsql
PLSQL .pls .pks .pkb .plsql
GraphQL .graphql .gql .graphqls
Protocol Buffer .proto
Thrift .thrift
Cap'n Proto .capnp
YAML .yaml .yml
TOML .toml /cargo.lock /poetry.lock
INI .ini .cfg .conf .properties .editorconfig .gitconfig
XML .xml .xsd .xsl .xslt .svg .plist .csproj .fsproj .vbproj .props .targets .wsdl .rss .atom
CSS .css
SCSS .scss
Sass .sass
Less .less
Stylus .styl
Vue .vue
Svelte .svelte
Astro .astro
Pug .pug .jade
Handlebars .hbs .handlebars
Jinja .j2 .jinja .jinja2
HCL .hcl .tf .tfvars .nomad
Nix .nix
Dhall .dhall
Jsonnet .jsonnet .libsonnet
CUE .cue
Starlark .bzl .star /build /build.bazel /workspace
Bicep .bicep
Dockerfile .dockerfile /dockerfile /containerfile
Makefile .mk .mak /makefile /gnumakefile !make
CMake .cmake /cmakelists.txt
Meson /meson.build
Just .just /justfile
Diff .diff .patch
TeX .tex .sty .cls .ltx
BibTeX .bib
Gherkin .feature
Regular Expression .regex
Ignore List .gitignore .dockerignore /.gitignore /.dockerignore
Go Module /go.mod /go.work
Go Checksums /go.sum
`

// aliases are other words for languages, as in fences and declared types.
var aliases = map[string]string{
	"golang": "Go", "py": "Python", "python3": "Python", "js": "JavaScript", "node": "JavaScript", "ts": "TypeScript", "cpp": "C++", "csharp": "C#", "cs": "C#",
	"fsharp": "F#", "rs": "Rust", "rb": "Ruby", "sh": "Shell", "bash": "Shell", "zsh": "Shell", "kt": "Kotlin", "yml": "YAML", "objc": "Objective-C", "ps1": "PowerShell", "tf": "HCL", "script.python": "Python",
}

// languageOf finds the language that owns key, an entry of languages, lower case.
func languageOf(key string) string {
	for rest := languages; ; {
		i := strings.Index(rest, " "+key)
		if i < 0 {
			return ""
		}
		end := i + 1 + len(key)
		if c := rest[end]; c != ' ' && c != '\n' {
			rest = rest[end:]
			continue
		}
		line := rest[strings.LastIndexByte(rest[:i], '\n')+1 : end]
		if i := strings.IndexFunc(line[1:], func(r rune) bool { return r == '.' || r == '/' || r == '!' }); i >= 0 {
			for _, mark := range []string{" .", " /", " !"} {
				if j := strings.Index(line, mark); j >= 0 {
					line = line[:j]
				}
			}
		}
		return line
	}
}

// languageByName tells the language of a file by its name or extension; "" if unknown.
func languageByName(name string) string {
	name = strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if name == "" || strings.ContainsAny(name, " \n") && path.Ext(name) == "" {
		return ""
	}
	if lang := languageOf("/" + name); lang != "" {
		return lang
	}
	ext := path.Ext(name)
	if len(ext) < 2 || strings.ContainsAny(ext, " \n") {
		return ""
	}
	return languageOf(ext)
}

// languageByWord tells the language by its own name or an alias of it.
func languageByWord(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if lang, ok := aliases[word]; ok {
		return lang
	}
	for line := range strings.SplitSeq(languages, "\n") {
		if len(line) > len(word) && word != "" && strings.EqualFold(line[:len(word)], word) && strings.ContainsAny(line[len(word)+1:][:1], "./!") && line[len(word)] == ' ' {
			return line[:len(word)]
		}
	}
	return ""
}

// languageByShebang reads the interpreter of a script from its first line.
func languageByShebang(s string) string {
	line, _, _ := strings.Cut(s[:min(len(s), 200)], "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return ""
	}
	if path.Base(words[0]) == "env" {
		for words = words[1:]; len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")); {
			words = words[1:]
		}
		if len(words) == 0 {
			return ""
		}
	}
	base := strings.ToLower(path.Base(words[0]))
	if lang := languageOf("!" + base); lang != "" {
		return lang
	}
	return languageOf("!" + strings.TrimRight(base, "0123456789.-"))
}

// votes are marks of languages in running code, with their weight. Each counts
// once, so that a long file is not decided by one word.
var votes = []struct {
	lang  string
	marks []string
}{
	{"Go", []string{"package ", "func ", ":= ", "import (", "fmt.", "chan ", " nil", "err != nil", "func (", "defer "}},
	{"Python", []string{"def ", "import ", "self", "elif ", "None", "    return", "print(", "__", "lambda ", "except", "):\n"}},
	{"JavaScript", []string{"const ", "let ", "function ", "=> ", "===", "console.log", "require(", "async ", "document.", "module.exports", "var "}},
	{"TypeScript", []string{"interface ", ": string", ": number", "export ", "const ", "=> ", ": boolean", "readonly ", "import {", "as const", "type "}},
	{"Java", []string{"public class", "private ", "System.out", "public static void", "import java", "@Override", "new ", "final ", "throws ", "String "}},
	{"C", []string{"#include", "printf(", "int main", "malloc(", "struct ", "char *", "NULL", "#define", "void ", "->", "sizeof("}},
	{"C++", []string{"#include", "std::", "cout", "template", "class ", "namespace ", "public:", "nullptr", "virtual ", "::", "auto "}},
	{"C#", []string{"using System", "namespace ", "public class", "Console.", "string ", "var ", "get;", "async Task", "private "}},
	{"Rust", []string{"fn ", "let mut", "impl ", "pub ", "-> ", "&self", "match ", "println!", "use std", "Some(", "::"}},
	{"Ruby", []string{"\nend", "def ", "puts ", "require ", "do |", ".each", "@", "elsif ", "nil", "module ", "attr_"}},
	{"PHP", []string{"<?php", "$this", "echo ", "function ", "->", "array(", "public function", "namespace "}},
	{"Shell", []string{"echo ", "fi\n", "then\n", "$(", "done", "esac", "export ", "if [", "${", "| grep"}},
	{"SQL", []string{"SELECT ", "FROM ", "WHERE ", "CREATE TABLE", "INSERT INTO", "JOIN ", "PRIMARY KEY", "select ", "from ", "where ", "create table"}},
	{"Kotlin", []string{"fun ", "val ", "println(", "data class", "when (", "override fun", "null", "companion object"}},
	{"Swift", []string{"func ", "let ", "var ", "import Foundation", "guard ", "-> ", "struct ", "nil", "extension ", "import UIKit"}},
	{"Lua", []string{"local ", "function ", "then\n", "end\n", "nil", "..", "require(", "~="}},
	{"Haskell", []string{" :: ", " -> ", "where\n", "import qualified", "data ", "module ", "<- ", "deriving"}},
	{"CSS", []string{"color:", "margin", "padding", "display:", "px;", "font-", "@media", "{\n"}},
}

// languageByVotes guesses the language of unnamed code: the most marks, first wins;
// "" with fewer than two.
func languageByVotes(s string) string {
	best, lang := 1, ""
	for _, v := range votes {
		n := 0
		for _, m := range v.marks {
			if strings.Contains(s, m) {
				n++
			}
		}
		if n > best {
			best, lang = n, v.lang
		}
	}
	return lang
}
