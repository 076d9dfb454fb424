package pathguard

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/code"
)

// vague are the rules about what the text does not decide. In a file they are no reason to ask:
// every build script has such words, the sandbox contains their effects, and a file in machine code
// would say even less.
var vague = []string{
	"code.unknown", "code.opaque", "code.talks", "code.stdin", "code.stream", "delete.unknown",
	"net.dynamic",
	"path.unresolved", "path.many", "path.uncounted", "exec.stray", "exec.path", "exec.shadow",
	"opaque.program",
	"shell.endless", "shell.history", "code.load-library", "secret.print",
}

// inners judges what the files say that the commands execute, as if it had been typed. What
// is certain there counts as much as in the command line; what is vague does not count.
func (j *judgement) inners() {
	for in, k := range j.files() {
		j.contained = true
		if err := k.script.Err; err != nil {
			k.add(Ask, "code.unread", "", err.Text, err.Span, -1)
		}
		k.effects()
		k.codes()
		k.inners()
		j.undo.join(k.undo)
		for _, r := range k.reasons {
			if r.Decision == Allow ||
				slices.Contains(vague, r.Rule) &&
					!(r.Rule == "code.opaque" && code.Worded(r.detail)) ||
				r.Decision == Ask && j.lifted(in.Command, r.Risk, r.Rule) {
				continue
			}
			if r.File == "" {
				r.File = j.shown(in.Path)
				span := r.Span
				if r.Command >= 0 && r.Command < len(k.script.Commands) {
					span = k.script.Commands[r.Command].Span
				}
				if n := in.Line(span); n > 0 {
					r.File += ":" + strconv.Itoa(n)
					r.source = snippet(k.script.Text[span.Start:max(span.Start,
						min(span.End, len(k.script.Text)))])
				}
			}
			r.Span, r.Command = j.script.Commands[in.Command].Span, in.Command
			r.Message = r.In(English)
			j.reasons = append(j.reasons, r)
		}
	}
}

// maxSnippet keeps a reason on one line of a terminal.
const maxSnippet = 60

// snippet is the beginning of a command as the file has it. Unprintable characters are left out,
// because a reason is shown on a terminal.
func snippet(text string) string {
	text, _, more := strings.Cut(text, "\n")
	if strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) ||
		strings.Contains(text, resolve.UnknownMake) {
		return ""
	}
	if runes := []rune(text); len(runes) > maxSnippet {
		text, more = string(runes[:maxSnippet]), true
	}
	if more {
		text += " ..."
	}
	return text
}
