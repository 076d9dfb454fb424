package launcher

import (
	"regexp"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// A wrapper is the text that an agent program puts around the command of its agent. Before and after are all of it:
// a text that has anything else is no such text, because its author could choose what is shown first.
type wrapper struct {
	text string // a regular expression with the command as its one group; compiled for texts that begin like one
	word bool   // the command stands in it as one quoted word
}

// wrappers are those of Claude Code and of Gemini CLI. What Codex puts in front is 30 kB that differ from run to run,
// and a text like that could be anybody's.
var wrappers = []wrapper{
	{`(?s)\A(?:source [^ '"$;&|]+/snapshot-(?:ba|z)sh-[0-9]+-[0-9a-z]+\.sh 2>/dev/null \|\| true && )?` +
		`shopt -u extglob 2>/dev/null \|\| true && eval (.+?)(?: < /dev/null)? && pwd -P >\| /tmp/claude-[0-9a-f]{4}-cwd\z`, true},
	{`(?s)\Ashopt -u [a-z ]+; _bgpids_file=/tmp/gemini-shell-[0-9A-Za-z]+/bgpids\.tmp\n\(\n  trap 'jobs -p > "\$_bgpids_file"' EXIT\n` +
		`(.*)\n\)\n__code=\$\?\nexit \$__code\z`, false},
}

// inside is the agent's own command in a text that its program wrapped, "" for any other text. A person reads it
// first; what runs, and what is judged, is the whole.
func inside(text string) string {
	if !strings.HasPrefix(text, "shopt -u ") && !strings.HasPrefix(text, "source /") {
		return "" // most texts: a start has no time for expressions
	}
	for _, w := range wrappers {
		found := regexp.MustCompile(w.text).FindStringSubmatch(text)
		if found == nil {
			continue
		}
		if !w.word {
			return found[1]
		}
		script := shellparse.Parse(": "+found[1], shellparse.Options{})
		if script.Err == nil && len(script.Commands) == 1 && len(script.Effects) == 0 && len(script.Commands[0].Args) == 2 && script.Commands[0].Args[1].Static {
			return script.Commands[0].Args[1].Text
		}
	}
	return ""
}
