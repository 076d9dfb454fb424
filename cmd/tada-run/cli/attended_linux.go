package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// attended starts a session and is its first client: this terminal, or these pipes, control it
// until it ends, another client takes control, or this one leaves. It returns the session's exit
// status.
func attended(argv []string, place launcher.Place) (int, error) {
	ours, theirs, err := session.Peers()
	if err != nil {
		return 0, err
	}
	// Until the session is attached to, no one handles these signals: this process would end, and
	// the session go on.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGQUIT)
	id, status, err := hatch(argv, theirs)
	theirs.Close()
	if err != nil || id == "" {
		return status, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	inv, err := parseArgs(argv)
	if err != nil {
		return 0, err
	}
	inv.at(place)
	v := &rawView{id: id, person: isTerminal(os.Stdin) && isTerminal(os.Stdout)}
	end, err := session.Attach(ctx, session.Attachment{Conn: ours, In: os.Stdin, Out: os.Stdout,
		View: v, Starter: true, Answer: answerer(inv)})
	switch {
	case err != nil:
		return 0, err
	case end.Lost:
		fmt.Fprintf(os.Stderr,
			"tada-run: session %s was killed with everything in it; try: tadactl replay "+
				"%s\n", id, id)
		return session.ExitStatus(syscall.SIGKILL), nil
	case end.Detached:
		fmt.Fprintf(os.Stderr,
			"tada-run: detached; session %s is still running; try: tadactl attach --take "+
				"%s\n", id, id)
		return 0, nil
	case end.Signal != 0:
		session.EndBy(syscall.Signal(end.Signal))
	}
	return end.Status, nil
}

// answerer lets the person who started a session answer the questions from inside. If an agent
// started it, no question is asked on its terminal.
func answerer(inv *invocation) func(context.Context, string) error {
	if typed(inv, os.Environ()) || !isTerminal(os.Stdin) || !isTerminal(os.Stderr) {
		return nil
	}
	return func(ctx context.Context, id string) error {
		l, err := inv.place.Open()
		if err != nil {
			return err
		}
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer tty.Close()
		return l.AnswerAt(ctx, tty, id)
	}
}

// A rawView passes the program's bytes on unchanged: this is the terminal on which the program was
// started, and the program does on it what it would do without us. Messages of the session are on
// lines of their own: in words for a person, as one JSON object on standard error for a program.
type rawView struct {
	id     string
	person bool
	cols   int
	news   []byte // stays on the screen until it is drawn again for another reason

	filter session.Filter

	alternate bool   // the program shows its alternate screen
	tail      []byte // of the output, too short for a whole switch
}

// Redraw shows the screen again, if there is one.
func (v *rawView) Redraw(p []byte) []byte {
	if !v.person {
		return nil
	}
	p = append(v.Output(p), v.news...)
	v.news = nil
	return p
}

// Output passes through. It notes switches to the alternate screen and back, because a person who
// leaves a full-screen program wants her own screen back.
func (v *rawView) Output(p []byte) []byte {
	const most = len(toAlternate) - 1 // of a switch that is not whole yet
	across := append(v.tail, p[:min(len(p), most)]...)
	v.follow(across)
	v.follow(p)
	if len(p) >= most {
		across = p
	}
	v.tail = append([]byte(nil), across[max(0, len(across)-most):]...)
	if v.person {
		// All keys go to the session while it is shown, so the terminal's answers to its programs
		// do too.
		v.filter.Keys = func() bool { return true }
		p = v.filter.Pass(p)
	}
	return p
}

// follow notes the last switch in p. All output passes here, and nearly none has one; searching in
// this direction is the fast way to see that.
func (v *rawView) follow(p []byte) {
	if !bytes.Contains(p, []byte(toAlternate[:len(toAlternate)-1])) {
		return
	}
	if on, off := bytes.LastIndex(p, []byte(toAlternate)),
		bytes.LastIndex(p, []byte(fromAlternate)); on != off {
		v.alternate = on > off
	}
}

const (
	toAlternate   = "\x1b[?1049h"
	fromAlternate = "\x1b[?1049l" // restores the cursor too, so only use it on the alternate screen
)

// Status shows nothing: notices do.
func (v *rawView) Status(wire.Status) []byte { return nil }

// Notice shows what happened. Each refused key would be a line; the take-over already said who is
// in control.
func (v *rawView) Notice(n wire.Notice) []byte {
	if !v.person {
		if b, err := json.Marshal(struct {
			Event   string `json:"event"`
			Session string `json:"session"`
			wire.Notice
		}{"takeover", v.id, n}); err == nil {
			fmt.Fprintf(os.Stderr, "%s\n", b)
		}
		return nil
	}
	if n.Code == wire.CodeRefused {
		return []byte("\a")
	}
	text := "[tada-run: " + n.Message + "]"
	if r := n.Summary; r != nil {
		text += fmt.Sprintf(" [commands: %d; files changed: %d; now in %s]", len(r.Commands),
			len(r.Files), r.Dir)
	}
	v.news = v.overlay(text)
	return v.news
}

// overlay writes text over the first line of the screen, and changes nothing else.
func (v *rawView) overlay(text string) []byte {
	line := []rune(inertLine(text))
	if v.cols > 0 && len(line) > v.cols {
		line = line[:v.cols]
	}
	return fmt.Appendf(nil, "\x1b7\x1b[H\x1b[0;7m%s\x1b[0m\x1b[K\x1b8", string(line))
}

// Resize has nothing to draw.
func (v *rawView) Resize(int, int) []byte { return nil }

// Ask shows a line over the first one of the screen, and removes it.
func (v *rawView) Ask(question string) []byte {
	return v.overlay(question)
}

// Leave restores the terminal as a shell expects it, whatever the program had set.
func (v *rawView) Leave() []byte {
	if !v.person {
		return nil
	}
	back := "\x1b[?1;66;1000;1002;1003;1004;1005;1006;1015;2004l\x1b>\x1b[?25h\x1b[?7h\x1b[0m"
	if v.alternate {
		back = fromAlternate + "\r\n" + back
	}
	return append(v.filter.End(), back...)
}

// Resume clears what the question left; the screen is drawn again, without the notice of the
// question.
func (v *rawView) Resume() []byte {
	v.news = nil
	return []byte("\x1b[0m\x1b[H\x1b[2J")
}

// Size is the whole terminal.
func (v *rawView) Size(cols, rows int) (int, int) {
	v.cols = cols
	return cols, rows
}

// inertLine keeps only characters with a glyph.
func inertLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}
