package hook

import (
	"strings"
	"time"
)

// A Runner is how a command line is made to go through tada-run.
type Runner struct {
	Path string        // of tada-run, absolute
	Home string        // its state directory, "" for the account's own
	Wait time.Duration // how long it waits for a person; 0 not at all
}

// wrap is the command line that runs text through tada-run. Every shell that a platform uses reads single quotes
// alike. An id that is no plain word is left out: it is only a label.
func (r Runner) wrap(agent, id, text string) string {
	line := r.start(agent)
	if id != "" && quoteWord(id) == id {
		line += "--call-id=" + id + " "
	}
	return line + "-c " + quoteText(text)
}

// start is what every line begins with.
func (r Runner) start(agent string) string {
	line := quoteWord(r.Path) + " --agent=" + quoteWord(agent) + " "
	if r.Home != "" {
		line += "--home=" + quoteWord(r.Home) + " "
	}
	if r.Wait > 0 {
		line += "--wait=" + r.Wait.String() + " "
	}
	return line
}

// unwrap is the text in a line that wrap made, for any call. Nothing else is taken for one: what a reader of shell
// would find besides the text must not be there.
func (r Runner) unwrap(agent, line string) (text string, ok bool) {
	rest, ok := strings.CutPrefix(line, r.start(agent))
	if !ok {
		return "", false
	}
	id := ""
	if labelled, has := strings.CutPrefix(rest, "--call-id="); has {
		id, rest, _ = strings.Cut(labelled, " ")
	}
	body, begins := strings.CutPrefix(rest, "-c '")
	body, ends := strings.CutSuffix(body, "'")
	text = strings.ReplaceAll(body, `'\''`, "'")
	return text, begins && ends && r.wrap(agent, id, text) == line
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// quoteWord leaves a word as it is that means itself in every shell.
func quoteWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-") == "" {
		return s
	}
	return quoteText(s)
}
