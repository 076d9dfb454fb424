package hook

import (
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/shellparse/wrapper"
)

// A Runner says how to run a command line through tada-run.
type Runner struct {
	Path string        // of tada-run, absolute
	Home string        // its state directory, "" for the account's own
	Wait time.Duration // how long it waits for a person; 0 not at all
}

// wrap returns the command line that runs text through tada-run. All shells that platforms use read
// single quotes in the same way. An id that is not a plain word is left out: it is only a label.
func (r Runner) wrap(agent, id, text string) string { return r.wrapped(agent, id, text, quote) }

func (r Runner) wrapped(agent, id, text, quote string) string {
	line := r.start(agent)
	if id != "" && quoteWord(id) == id {
		line += "--call-id=" + id + " "
	}
	return line + "-c '" + strings.ReplaceAll(text, "'", quote) + "'"
}

// behind separates the line that runs the text from the text itself. Package wrapper splits the two
// again.
const behind = wrapper.Behind

// through returns what a platform runs in place of text. The text is in it a second time, after an
// exit, where no shell gets to. The platforms apply the person's own rules to the command that the
// hook returns, and no rule would match "tada-run" alone. So the platform applies its own rules,
// whatever and wherever they are, and a person whom it asks sees the original command.
func (r Runner) through(agent, id, text string) string {
	return r.wrap(agent, id, text) + behind + text
}

// start returns the beginning of every line.
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

// Short returns a line of through without the text after it, for callers that show or type it.
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

// unwrap returns the text in a line that wrap or through made, for any call. It accepts no other
// line: the line must contain nothing besides the text that a shell would execute.
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
	for _, q := range []string{quote, typedQuote} {
		text = strings.ReplaceAll(body, q, "'")
		if begins && ends && r.wrapped(agent, id, text, q) == line {
			return text, true
		}
	}
	return "", false
}

// A quote inside single quotes: in a form that Codex can read, which otherwise does not apply the
// user's rules to the line, and as agents type it.
const quote, typedQuote = `'"'"'`, `'\''`

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", quote) + "'" }

// quoteWord leaves a word unquoted if it means itself in every shell.
func quoteWord(s string) string {
	if s != "" &&
		strings.Trim(s,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-") == "" {
		return s
	}
	return quoteText(s)
}

// Guard returns what is before the words of `tadactl hook run` in the line that is registered with
// a platform: it blocks if they give no answer within the limit.
func Guard(limit time.Duration) string {
	return launcher.HookGuard + strconv.Itoa(int(limit.Seconds())) + " "
}
