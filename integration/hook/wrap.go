package hook

import (
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/shellparse/wrapper"
)

// A Runner is how a command line is made to go through tada-run.
type Runner struct {
	Path string        // of tada-run, absolute
	Home string        // its state directory, "" for the account's own
	Wait time.Duration // how long it waits for a person; 0 not at all
}

// wrap is the command line that runs text through tada-run. Every shell that a platform uses reads
// single quotes alike. An id that is no plain word is left out: it is only a label.
func (r Runner) wrap(agent, id, text string) string {
	line := r.start(agent)
	if id != "" && quoteWord(id) == id {
		line += "--call-id=" + id + " "
	}
	return line + "-c " + quoteText(text)
}

// behind stands between the line that runs the text and the text itself. It is told apart again by
// that package.
const behind = wrapper.Behind

// through is what a platform is given to run in the place of text. The text stands in it once more,
// behind an exit, where no shell comes to: the platforms hold the person's own rules against what
// the hook has made of a command, and against "tada-run" alone none of them would be found. So it
// is the platform that applies its rules, whatever they are and wherever they stand, and a person
// it asks sees the command as it was.
func (r Runner) through(agent, id, text string) string {
	return r.wrap(agent, id, text) + behind + text
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

// Short is a line of through without the text that stands behind it, for those who show it or type
// it.
func Short(line string) string {
	for rest := line; ; {
		i := strings.Index(rest, behind)
		if i < 0 {
			return line
		}
		rest = rest[i+len(behind):]
		if first := line[:len(line)-len(rest)-len(behind)]; strings.HasSuffix(first,
			" -c "+quoteText(rest)) {
			return first
		}
	}
}

// unwrap is the text in a line that wrap or through made, for any call. Nothing else is taken for
// one: what a reader of shell would find besides the text must not be there.
func (r Runner) unwrap(agent, line string) (text string, ok bool) {
	line = Short(line)
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
	if s != "" &&
		strings.Trim(s,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-") == "" {
		return s
	}
	return quoteText(s)
}

// Guard is what stands before the words of `tadactl hook run` in what is registered with a
// platform: it blocks where these give no answer within the limit.
func Guard(limit time.Duration) string {
	return launcher.HookGuard + strconv.Itoa(int(limit.Seconds())) + " "
}
