package prompt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/session"
)

// An Answer is what a person did with a page.
type Answer struct {
	Given, Yes bool
	Denied     []string      // calls of several that are denied all the same
	Message    string        // to the agent, with a denial
	Instead    string        // a command that the person would rather see
	Code       string        // the one-time code, where one was asked for
	Took       time.Duration // from the showing to the answer
	Choice     int           // of the page's, from 1 on, that is allowed from now on; 0 for none
}

// A Page is what is shown to a person, and what approving it takes.
type Page struct {
	Payload []byte
	After   string        // what it comes after, for below it
	Calls   []string      // that are answered one by one, when there are several
	Least   time.Duration // before an approval is accepted
	Typed   string        // the characters that approve; "" if a key is enough
	Code    bool          // and a one-time code
	Look    Look
	Edited  bool // a denial may suggest another command

	// Choices are what can be allowed until further notice; nil for nothing. They take a look at
	// the record, and so are made when a person asks for them.
	Choices func() []Choice
}

// A Choice is something that can be allowed until further notice.
type Choice struct {
	Command string   // with a star for what may vary
	Says    []string // what it could allow, and what it would have allowed so far
}

// Put shows a page and waits for the answer. session.Ask accepts an approval only when every line
// that it shows was on the screen; if the first page lacks something, only the full one counts.
func (p Page) Put(ctx context.Context, tty *os.File, phrase string,
	now func() time.Time) (Answer, error) {
	var a Answer
	first := render.Render(p.Payload, render.Options{})
	var shown time.Time
	render := func(width int, full bool) string {
		if shown.IsZero() {
			shown = now()
		}
		page := render.Render(p.Payload,
			render.Options{Width: width - 1, Full: full, Plain: p.Look.Plain, Phrase: phrase})
		return strings.Join(p.Look.Rows(page), "\n") + "\n" + p.below(a)
	}
	_, _ = tty.WriteString("\a") // the person may be at another window
	for {
		options := p.options()
		options.Details = first.Truncated
		if !shown.IsZero() { // shown before, and left for a key that says more
			options.Guard = max(p.Least-now().Sub(shown), session.DefaultGuard)
		}
		reply, err := session.Ask(ctx, tty, render, options)
		var interrupted *session.Interrupted
		switch {
		case errors.Is(err, session.ErrBackground), errors.Is(err, session.ErrTimeout),
			errors.Is(err, ErrElsewhere), errors.Is(err, context.Canceled):
			return Answer{}, nil
		case errors.Is(err, session.ErrHangup):
			return Answer{}, &CancelledError{By: err.Error()}
		case errors.As(err, &interrupted):
			return Answer{}, &CancelledError{By: fmt.Sprintf("signal: %v", interrupted.Signal)}
		case err != nil:
			return Answer{}, fmt.Errorf("ask on %q: %w", tty.Name(), err)
		case reply.Answer == session.Cancelled:
			return Answer{}, &CancelledError{By: leftBy(reply.Key)}
		case reply.Answer != session.Chosen:
			a.Given, a.Yes, a.Took = true, reply.Answer == session.Approved, now().Sub(shown)
			if a.Yes && p.Code {
				a.Code, err = readLine(ctx, tty, "one-time code: ", stars)
				if err == nil && a.Code == "" {
					err = &CancelledError{By: "no one-time code"}
				}
				if err != nil {
					return Answer{}, err
				}
			}
			return a, nil
		}
		a.Took = now().Sub(shown)
		if done, err := p.say(ctx, tty, reply.Key, &a); done || err != nil {
			return a, err
		}
	}
}

// leftBy names the key that cancelled.
func leftBy(key rune) string {
	switch {
	case key == 0:
		return "three wrong tries"
	case key == 0x1b:
		return "key Esc"
	case key < ' ':
		return "key Ctrl-" + string(key+'@')
	}
	return "key " + string(key)
}

// The keys beside yes and no.
const (
	keyWord    = 'e' // no, with a word to the agent
	keyInstead = 'i' // no, and what to do instead
	keyCalls   = 'c' // which calls of several
	keyAlways  = 'a' // what is allowed from now on as well
)

func (p Page) options() session.AskOptions {
	var keys []rune
	var hints []string
	add := func(key rune, hint string) {
		keys, hints = append(keys, key), append(hints, string(key)+": "+hint)
	}
	if len(p.Calls) > 1 {
		add(keyCalls, "choose calls")
	}
	if p.Choices != nil {
		add(keyAlways, "always")
	}
	add(keyWord, "message")
	if p.Edited {
		add(keyInstead, "suggest")
	}
	return session.AskOptions{Challenge: p.Typed, Guard: p.Least, Others: keys,
		Hint: strings.Join(hints, "  ")}
}

// below is the text under the page: earlier answers, what an approval allows from now on, and which
// of several calls.
func (p Page) below(a Answer) string {
	var b strings.Builder
	if p.After != "" {
		b.WriteString(p.After + "\n")
	}
	if a.Choice > 0 {
		b.WriteString("and from now on: " + p.Choices()[a.Choice-1].Command + "\n")
	}
	if len(p.Calls) < 2 {
		return b.String()
	}
	b.WriteString("answers ")
	for i, id := range p.Calls {
		word := "yes"
		if slices.Contains(a.Denied, id) {
			word = "NO"
		}
		fmt.Fprintf(&b, " %d:%s", i+1, word)
	}
	return b.String() + "\n"
}

// say reads what belongs to a key. It reports whether that is the answer; else the question is put
// again.
func (p Page) say(ctx context.Context, tty *os.File, key rune, a *Answer) (done bool, err error) {
	switch key {
	case keyWord:
		a.Message, err = readLine(ctx, tty, "message (Enter: deny, Esc: back):  ", letters)
		a.Given = a.Message != ""
	case keyInstead:
		a.Instead, err = readLine(ctx, tty,
			"suggest (Enter: deny and offer this command, Esc: back):  ", letters)
		a.Given = a.Instead != ""
	case keyCalls:
		var line string
		if line, err = readLine(ctx, tty, "numbers of the calls to deny (Enter; none: all run):  ",
			letters); err == nil {
			a.Denied = p.chosen(line)
		}
	case keyAlways:
		a.Choice, err = p.choose(ctx, tty)
	}
	return a.Given, err
}

// choose shows the choices and reads the number of one; 0 for none.
func (p Page) choose(ctx context.Context, tty *os.File) (int, error) {
	list := p.Choices()
	var b strings.Builder
	b.WriteString("\nallow from now on, in this workspace, until it is revoked (tadactl grants):\n")
	for n, c := range list {
		fmt.Fprintf(&b, "  %d  %s\n", n+1, c.Command)
		for _, says := range c.Says {
			fmt.Fprintf(&b, "     %s\n", says)
		}
	}
	_, _ = tty.WriteString(b.String())
	line, err := readLine(ctx, tty, "number (Enter: none):  ", letters)
	n, _ := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || n < 1 || n > len(list) {
		return 0, err
	}
	return n, nil
}

// chosen are the calls that a line names by their numbers.
func (p Page) chosen(line string) []string {
	var ids []string
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(p.Calls) &&
			!slices.Contains(ids, p.Calls[n-1]) {
			ids = append(ids, p.Calls[n-1])
		}
	}
	return ids
}

// A Look is how questions are drawn.
type Look struct {
	Colour bool
	Plain  bool // ASCII without symbols; see render.Options
}

// LookHere is how the terminal of this process wants questions drawn: in colours, unless NO_COLOR
// is set (no-color.org), and in plain form where it is dumb or the locale has no UTF-8.
func LookHere(plain bool) Look {
	term := os.Getenv("TERM")
	plain = plain || term == "" || term == "dumb" || !notice.UTF8()
	return Look{Colour: !plain && os.Getenv("NO_COLOR") == "", Plain: plain}
}

// Rows are the lines of a page, in colours or without.
func (l Look) Rows(p render.Page) []string {
	if l.Colour {
		return p.Coloured()
	}
	return p.Lines
}
