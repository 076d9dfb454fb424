package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/live"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

func (c *ctl) attach() *cobra.Command {
	var take bool
	var idle time.Duration
	cmd := verb("attach [ID]", cobra.MaximumNArgs(1), func(cmd *cobra.Command,
		args []string) error {
		out, ok := c.out.(*os.File)
		if !ok || !term.IsTerminal(int(out.Fd())) || !term.IsTerminal(int(c.in.Fd())) {
			return usagef("attach needs a terminal; without one: tadactl replay --follow")
		}
		l, err := c.open()
		if err != nil {
			return err
		}
		prefix := append(args, "")[0]
		if prefix == "" {
			if prefix, err = newestSession(l); err != nil {
				return err
			}
		}
		conn, id, err := l.Live().Dial(prefix)
		if gone := (*live.UnreachableError)(nil); errors.As(err, &gone) && gone.Alone && !take {
			return c.lookOn(cmd.Context(), id)
		}
		if err != nil {
			return err
		}
		defer conn.Close()
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		end, err := session.Attach(ctx, session.Attachment{
			Conn: conn, In: c.in, Out: out, View: &mirrorView{m: play.NewMirror(80, 24)},
			Take: take, Idle: idle,
			Answer: func(ctx context.Context, id string) error {
				tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
				if err != nil {
					return err
				}
				defer tty.Close()
				return l.AnswerAt(ctx, tty, id)
			},
		})
		if err != nil {
			return err
		}
		return c.attached(id, end)
	})
	keys := strings.TrimPrefix(session.KeyHelp(), "Ctrl-] and: ")
	cmd.Long = "KEYS\n  Ctrl-] " + strings.ReplaceAll(keys, ", ", "\n  Ctrl-] ")
	cmd.Flags().BoolVar(&take, "take", false, "")
	cmd.Flags().DurationVar(&idle, "idle", 0, "")
	return cmd
}

// lookOn shows a run that is not a session, as it goes on. It reads the transcript, so that
// commands need no attach server, which they would have to wait for at their start.
func (c *ctl) lookOn(ctx context.Context, id string) error {
	s, err := c.recording(c.open, []string{id})
	if err != nil {
		return err
	}
	defer s.transcript.Close()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	o := play.Options{In: c.in, Settings: play.Settings{
		Follow: true, Title: id, Live: func() bool { return audit.Recording(s.transcript) },
	}}
	o.Out, _ = c.out.(*os.File)
	return unproven(play.Run(ctx, s.transcript, o))
}

// newestSession is the running session that began last.
func newestSession(l *launcher.Launcher) (string, error) {
	runs, err := l.Open(nil)
	if err != nil {
		return "", err
	}
	for _, r := range slices.Backward(runs) {
		if r.Session && r.State == past.Running {
			return r.ID, nil
		}
	}
	return "", failf(1, "no session is running; try: tada-run --session")
}

// attached reports how it ended.
func (c *ctl) attached(id string, end session.Ended) error {
	switch {
	case end.Lost && end.Last != nil:
		return failf(1, "session %q: %s", id, end.Last.Message)
	case end.Lost:
		return failf(1,
			"session %q refused the connection, or its launcher was killed; try: tadactl sessions",
			id)
	case end.Detached:
		fmt.Fprintf(c.out, "%s  detached; still running\n", id)
	default:
		fmt.Fprintf(c.out, "%s  ended with status %d\n", id, end.Status)
	}
	return nil
}

// A mirrorView draws a session from a model. Its status line shows who is in control.
type mirrorView struct {
	m      *play.Mirror
	status wire.Status
	ask    string
	notice string
	drawn  bool
}

// paint brings the terminal up to date.
func (v *mirrorView) paint() []byte {
	v.m.Bar, v.m.Keys = v.bar(), v.status.You && !v.status.Frozen
	p := v.m.Paint()
	if !v.drawn {
		v.drawn = true
		return append(v.m.Enter(), p...)
	}
	return p
}

func (v *mirrorView) bar() string {
	s := v.status
	state := "no one has control"
	switch {
	case s.Frozen:
		state = "FROZEN"
	case s.You:
		state = "You are in control"
	case s.Driver == "person": // at the terminal that started it
		state = "owner has control"
	case s.Driver != "":
		state = s.Driver + " has control"
	}
	if s.Private {
		state += ", private"
	}
	text := v.ask
	if text == "" {
		text = v.notice
	}
	if text == "" {
		text = "Ctrl-] for keys"
	}
	return fmt.Sprintf(" %s | %s | %s | %s", state, text, s.Tier, s.Command)
}

// Redraw begins with a blank screen of the session's size.
func (v *mirrorView) Redraw(p []byte) []byte {
	v.m.Reset(v.status.Cols, v.status.Rows)
	return v.Output(p)
}

// Output draws.
func (v *mirrorView) Output(p []byte) []byte {
	_, _ = v.m.Write(p)
	return v.paint()
}

// Status shows who is in control.
func (v *mirrorView) Status(s wire.Status) []byte {
	if v.status.ID != "" && s.Driver != v.status.Driver || s.Frozen != v.status.Frozen {
		v.notice = ""
	}
	v.status = s
	v.m.SetSize(s.Cols, s.Rows)
	return v.paint()
}

// Notice shows in the status line what happened.
func (v *mirrorView) Notice(n wire.Notice) []byte {
	v.notice = n.Message
	switch {
	case n.Code == wire.CodeAnswered:
		v.notice = ""
	case n.Code == wire.CodeSummary && n.Summary != nil:
		v.notice = summaryLine(n.Summary)
	}
	return v.paint()
}

// summaryLine is a hand-back in one line, for the person who confirms it.
func summaryLine(r *wire.Report) string {
	var words []string
	text := audit.Plural(len(r.Commands), "command")
	for _, c := range r.Commands {
		line := c.Line
		if c.Status != nil {
			line += fmt.Sprintf(" (%d)", *c.Status)
		}
		words = append(words, line)
	}
	if len(words) > 0 {
		text += ": " + strings.Join(words, "; ")
	}
	if len(r.Files) > 0 {
		text += "; files changed: " + strings.Join(r.Files, " ")
	} else {
		text += "; no files changed"
	}
	if r.Dir != r.DirWas {
		text += "; now in " + r.Dir
	}
	return text
}

// Resize draws for another size.
func (v *mirrorView) Resize(cols, rows int) []byte {
	v.m.Resize(cols, rows)
	return v.paint()
}

// Ask shows a question in the status line, before what was there.
func (v *mirrorView) Ask(question string) []byte {
	v.ask = question
	if question != "" && v.notice != "" && strings.HasSuffix(question, "y/n") {
		v.ask = question + " " + v.notice
	}
	return v.paint()
}

// Leave restores the terminal.
func (v *mirrorView) Leave() []byte { return v.m.Leave() }

// Resume takes over the terminal again, without the notice of the question for which it was left.
func (v *mirrorView) Resume() []byte {
	v.drawn, v.notice = false, ""
	v.m.Forget()
	return v.paint()
}

// Size reserves a row for the status line.
func (v *mirrorView) Size(cols, rows int) (int, int) { return cols, max(1, rows-1) }
