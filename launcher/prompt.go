package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/session"
)

// An answered is what a person did with a page.
type answered struct {
	given, yes bool
	denied     []string      // calls of several that are denied all the same
	message    string        // to the agent, with a no
	instead    string        // a command that the person would rather see
	code       string        // the one-time code, where one was asked for
	took       time.Duration // from the showing to the answer
}

// A page is what is put before a person, and what a yes to it takes.
type page struct {
	payload []byte
	after   string        // what it comes after, for below it
	calls   []string      // that are answered one by one, when there are several
	least   time.Duration // before a yes is taken
	typed   string        // the characters of a yes; "" where a key is enough
	code    bool          // and a one-time code
	edited  bool          // a no may name another command
}

// put shows a page and waits for the answer. session.Ask takes a yes only when every line of what
// it shows was on the screen; where the short page would cut something it is given the full one.
func (l *Launcher) put(ctx context.Context, tty *os.File, p page) (answered, error) {
	phrase, err := l.Phrase()
	if err != nil {
		return answered{}, err
	}
	var a answered
	short := render.Render(p.payload, render.Options{})
	var shown time.Time
	render := func(width int, full bool) string {
		if shown.IsZero() {
			shown = l.state.Now()
		}
		page := render.Render(p.payload, render.Options{Width: width - 1, Full: full || short.Truncated, Phrase: phrase})
		return page.Text() + p.below(a.denied)
	}
	for {
		options := p.options()
		if !shown.IsZero() { // shown before, and left for a key that says more
			options.Guard = max(p.least-l.state.Now().Sub(shown), session.DefaultGuard)
		}
		reply, err := session.Ask(ctx, tty, render, options)
		var interrupted *session.Interrupted
		switch {
		case errors.Is(err, session.ErrBackground), errors.Is(err, session.ErrTimeout), errors.Is(err, errElsewhere), errors.Is(err, context.Canceled):
			return answered{}, nil
		case errors.Is(err, session.ErrHangup):
			return answered{}, &CancelledError{By: err.Error()}
		case errors.As(err, &interrupted):
			return answered{}, &CancelledError{By: fmt.Sprintf("signal: %v", interrupted.Signal)}
		case err != nil:
			return answered{}, fmt.Errorf("ask on %q: %w", tty.Name(), err)
		case reply.Answer == session.Cancelled:
			return answered{}, &CancelledError{By: leftBy(reply.Key)}
		case reply.Answer != session.Chosen:
			a.given, a.yes, a.took = true, reply.Answer == session.Approved, l.state.Now().Sub(shown)
			if a.yes && p.code {
				a.code, err = readLine(ctx, tty, "one-time code: ", dots)
				if err == nil && a.code == "" {
					err = &CancelledError{By: "no one-time code"}
				}
				if err != nil {
					return answered{}, err
				}
			}
			return a, nil
		}
		a.took = l.state.Now().Sub(shown)
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
)

func (p page) options() session.AskOptions {
	o := session.AskOptions{Challenge: p.typed, Guard: p.least, Others: []rune{keyWord}, Hint: "e: deny, message"}
	if p.edited {
		o.Others, o.Hint = append(o.Others, keyInstead), o.Hint+"  i: deny, suggest"
	}
	if len(p.calls) > 1 {
		o.Others, o.Hint = append(o.Others, keyCalls), o.Hint+"  c: choose calls"
	}
	return o
}

// below is what stands under the page: what it comes after, and what a yes would allow of several
// calls.
func (p page) below(denied []string) string {
	var b strings.Builder
	if p.after != "" {
		b.WriteString(p.after + "\n")
	}
	if len(p.calls) < 2 {
		return b.String()
	}
	b.WriteString("answers ")
	for i, id := range p.calls {
		word := "yes"
		if slices.Contains(denied, id) {
			word = "NO"
		}
		fmt.Fprintf(&b, " %d:%s", i+1, word)
	}
	return b.String() + "\n"
}

// say reads what belongs to a key. It reports whether that is the answer; else the question is put
// again.
func (p page) say(ctx context.Context, tty *os.File, key rune, a *answered) (done bool, err error) {
	switch key {
	case keyWord:
		a.message, err = readLine(ctx, tty, "message (Enter: deny, Esc: back):  ", letters)
		a.given = a.message != ""
	case keyInstead:
		a.instead, err = readLine(ctx, tty, "suggest (Enter: deny and offer this command, Esc: back):  ", letters)
		a.given = a.instead != ""
	case keyCalls:
		var line string
		if line, err = readLine(ctx, tty, "numbers of the calls to deny (Enter; none: all run):  ", letters); err == nil {
			a.denied = p.chosen(line)
		}
	}
	return a.given, err
}

// chosen are the calls that a line names by their numbers.
func (p page) chosen(line string) []string {
	var ids []string
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(p.calls) && !slices.Contains(ids, p.calls[n-1]) {
			ids = append(ids, p.calls[n-1])
		}
	}
	return ids
}

// Phrase returns the words that only this user's real prompts show, made when they are first
// needed. They stand in the state directory, which no fence reaches.
func (l *Launcher) Phrase() (string, error) {
	return approval.LoadPhrase(l.state.Phrase(), l.state.Random)
}

// Page returns a question as it is shown, under the phrase.
func (l *Launcher) Page(payload []byte, width int, full bool) (render.Page, error) {
	phrase, err := l.Phrase()
	return render.Render(payload, render.Options{Width: width, Full: full, Phrase: phrase}), err
}
