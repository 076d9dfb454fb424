package code

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// handed takes a whole name in the text that is passed to an unknown function:
// linecache.getline("/etc/x"). An argument that is not known to be text is most likely read.
func (r *reader) handed(callee value, a arguments) {
	name := callee.text
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		name = name[i+1:]
	}
	if slices.Contains(aboutText, name) {
		return
	}
	for _, vs := range [...][]value{a.pos, a.named} {
		for _, v := range vs {
			if v.shape == plain && (v.home || wholeName(v.text)) {
				r.touch(command.Read, command.Possible, v, r.spanned(v, a))
			}
		}
	}
}

// aboutText are functions that show, compare or take apart what they are given, in any language.
var aboutText = []string{"append", "assert", "cat", "compare", "concat", "contains", "count", "cut",
	"debug", "echo", "endsWith",
	"endswith", "ends_with", "eq", "equal", "equals", "error", "exec", "fail", "find", "findall",
	"format", "fullmatch", "gsub", "includes", "index",
	"indexOf", "info", "inspect", "join", "len", "length", "log", "lower", "lstrip", "match",
	"message", "p", "partition", "pp", "print",
	"printf", "println", "push", "puts", "remove", "removeprefix", "removesuffix", "replace",
	"replaceAll", "repr", "rstrip", "say", "search",
	"split", "sprintf", "startsWith", "startswith", "start_with", "str", "str_replace", "string",
	"strip", "strpos", "sub", "test", "toBe",
	"toEqual", "trim", "upper", "var_dump", "warn", "warning", "write"}

// wholeName reports whether text can only be the name of a file from the root, or its URL.
func wholeName(text string) bool {
	text = strings.TrimPrefix(text, "file://")
	return len(text) > 1 && len(text) < 1<<12 && text[0] == '/' && text[1] != '/' &&
		text[1] != '*' && !strings.ContainsAny(text, " \t\n\\()[]{}<>|*?^$\"'`")
}
