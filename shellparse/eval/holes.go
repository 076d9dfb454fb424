package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Programs with names of files in them that only the run knows: for f in *.json; do python3 -c
// "print(open('$f').read())"; done.

// readsNamed returns the text of a program that computes, prints and reads files, where all that is
// not known of it are names of files in quotes, and those names: none for any other. Who may name a
// file of the workspace may as well write a program there; in a line that itself makes a name with
// a quote, or gets something from elsewhere, the name could be the program.
func (w *report) readsNamed(lang string, v value) (text string, names []value) {
	if lang != "python" && lang != "javascript" {
		return "", nil
	}
	text, names = v.withNames()
	if len(names) == 0 || slices.ContainsFunc(w.out.Effects, func(e Effect) bool {
		return e.Net != nil || e.Right != command.Read && strings.ContainsAny(e.Name.Text, "'\"`")
	}) {
		return "", nil
	}
	facts, opaque := code.Scan(lang, text)
	if opaque || slices.ContainsFunc(facts, func(f code.Fact) bool {
		return f.Right != command.Read || f.Flags&command.Source != 0
	}) {
		return "", nil
	}
	return text, names
}

// withNames is a value of which all is known but names of files, each alone in quotes, with a word
// in the place of each, and those names. There are none where anything else is not known.
func (v value) withNames() (text string, names []value) {
	var b strings.Builder
	for i, p := range v {
		switch {
		case p.known() && !strings.Contains(p.text, `\`):
			b.WriteString(p.text)
		case (p.kind == pattern || p.kind == open && p.name) && inQuotes(b.String(), v[i+1:]):
			names = append(names, value{p})
			b.WriteString(nameInCode)
		default:
			return "", nil
		}
	}
	return b.String(), names
}

// nameInCode is a name that is not harmless where it is taken for a program or a module.
const nameInCode = "/__name;eval(x)"

// inQuotes reports whether what stands between two texts is alone in quotes.
func inQuotes(before string, after value) bool {
	if before == "" || len(after) == 0 || !after[0].known() || after[0].text == "" {
		return false
	}
	quote := before[len(before)-1]
	return (quote == '\'' || quote == '"') && after[0].text[0] == quote
}
