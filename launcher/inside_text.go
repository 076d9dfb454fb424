package launcher

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// A wrapped is the agent's own command and what its program put around it. A person reads the command first, and then
// the rest folded; what runs, and what is judged and hashed, is the whole.
type wrapped struct {
	own    string   // "" for a text that is no wrapper
	around []string // whose wrapper it is, and what is its own choice in it; nil for one that is not known
	random string   // a name in it that the program makes up for every call; "" for none
	same   string   // what stands for it in what is hashed, and shown
}

// A wrapper is the text that one agent program puts around the command of its agent. Before and after are all of it:
// a text that has anything else is no such text, because its author could choose what is shown first.
type wrapper struct {
	program string
	begins  string // what every such text begins with: a start has no time for expressions
	text    string // a regular expression: the group own is the command, random a name, and every group but own is named
	word    bool   // the command stands in it as one quoted word
	same    string // as long as the name
}

var wrappers = []wrapper{
	{
		program: "claude-code", begins: "source /", word: true, same: claudeSame,
		text: `(?s)\Asource ([^ '"$;&|]+/snapshot-(?:ba|z)sh-[0-9]+-[0-9a-z]+\.sh) 2>/dev/null \|\| true && ` + claudeText,
	},
	{program: "claude-code", begins: "shopt -u extglob", word: true, same: claudeSame, text: `(?s)\A` + claudeText},
	{
		program: "gemini", begins: "shopt -u ", same: "/tmp/gemini-shell-XXXXXX",
		text: `(?s)\Ashopt -u [a-z ]+; _bgpids_file=(?P<random>/tmp/gemini-shell-[0-9A-Za-z]{6})/bgpids\.tmp\n\(\n  trap 'jobs -p > "\$_bgpids_file"' EXIT\n` +
			`(?P<own>.*)\n\)\n__code=\$\?\nexit \$__code\z`,
	},
	{ // behind what only keeps variables as they were
		program: "codex", begins: "\nif . '/", word: true,
		text: `(?s)\A\nif \. '([^'\n]+)' >/dev/null 2>&1; then :; fi\n\n` +
			`(?:if \[ -n "\$\{PATH:-\}" \]; then export PATH='([^'\n]+)':"\$PATH"; else export PATH='([^'\n]+)'; fi\n)?\nexec '([^'\n]+)' -c (?P<own>.+)\z`,
	},
}

// The other half of the text of Claude Code, with the name that the directory comes back in.
const (
	claudeText = `shopt -u extglob 2>/dev/null \|\| true && eval (?P<own>.+?)(?: < /dev/null)? && pwd -P >\| (?P<random>/tmp/claude-[0-9a-f]{4}-cwd)\z`
	claudeSame = "/tmp/claude-XXXX-cwd"
)

// unwrap takes a text apart.
func unwrap(s *shellparse.Script) wrapped {
	text := s.Text
	if k, ok := shellparse.Kept(text); ok {
		text = text[k.Source.Start:k.Source.End] + k.Rest
	}
	for _, w := range wrappers {
		if !strings.HasPrefix(text, w.begins) {
			continue
		}
		if found := w.take(text); found.own != "" {
			return found
		}
	}
	return wrapped{own: nestedText(s)}
}

// take matches the text of one program.
func (w wrapper) take(text string) wrapped {
	e := regexp.MustCompile(w.text)
	found := e.FindStringSubmatch(text)
	if found == nil {
		return wrapped{}
	}
	r := wrapped{around: []string{w.program}, same: w.same}
	for i, name := range e.SubexpNames() {
		switch group := found[i]; {
		case i == 0 || group == "":
		case name == "own":
			r.own = group
		case name == "random":
			r.random = group
			fallthrough
		case !slices.Contains(r.around, group):
			r.around = append(r.around, group)
		}
	}
	if w.word {
		r.own = oneWord(r.own)
	}
	return r
}

// oneWord is the value of a quoted word, "" when the text is anything else.
func oneWord(text string) string {
	s := shellparse.Parse(": "+text, shellparse.Options{})
	if s.Err != nil || len(s.Commands) != 1 || len(s.Effects) != 0 || len(s.Commands[0].Args) != 2 || !s.Commands[0].Args[1].Static {
		return ""
	}
	return s.Commands[0].Args[1].Text
}

// foldFrom is how much has to stand around a command, in bytes, before it is shown apart: less is read at a glance.
const foldFrom = 200

// nestedText is the one text that a script gives to eval, or to a shell as -c TEXT: most likely the agent's own command,
// in a wrapper that is not known. It is "" where there is none, or more than one, or little around it.
func nestedText(s *shellparse.Script) string {
	if s.Err != nil || len(s.Text) < foldFrom {
		return ""
	}
	text, at := "", shellparse.Span{}
	for _, c := range s.Commands {
		i := 1
		switch name := path.Base(c.Name); {
		case len(c.Args) < 2 || c.Name == "":
			continue
		case name == "eval" && c.Builtin:
		case name == "bash" || name == "sh" || name == "dash" || name == "zsh":
			if i = 1 + slices.IndexFunc(c.Args, func(w shellparse.Word) bool {
				return w.Static && strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "c")
			}); i == 0 {
				continue
			}
		default:
			continue
		}
		switch {
		case i >= len(c.Args) || !c.Args[i].Static:
		case text == "":
			text, at = c.Args[i].Text, c.Span
		case c.Span.Start < at.Start || c.Span.End > at.End: // what stands in the first is a part of it
			return ""
		}
	}
	if len(s.Text)-len(text) < foldFrom {
		return ""
	}
	return text
}

// steady replaces the name that an agent program makes up for every call by one of the same length: it means nothing to
// anybody else, and with it no command would ever be the same again, so that no answer could be used.
func (w wrapped) steady(b []byte) []byte {
	if w.random == "" {
		return b
	}
	return bytes.ReplaceAll(b, []byte(path.Base(w.random)), []byte(path.Base(w.same))) // a name may stand without its folder
}

// facts are those of the plan without what is different for every call.
func (w wrapped) facts(p *pathguard.Plan) []byte {
	if w.random == "" {
		return p.Facts()
	}
	same := *p
	same.Targets = slices.Clone(p.Targets)
	for i := range same.Targets {
		if t := &same.Targets[i]; t.Real == w.random || strings.HasPrefix(t.Real, w.random+"/") {
			t.ID = pathguard.ID{}
		}
	}
	return w.steady(same.Facts())
}
