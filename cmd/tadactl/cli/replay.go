package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/export"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

func (c *ctl) sessions() *cobra.Command {
	var w wanted
	last, all := 30, false
	cmd := verb("sessions", cobra.NoArgs, c.reads(func(l *launcher.Launcher, cmd *cobra.Command,
		_ []string) error {
		if last < 0 {
			return usagef("--last %d is negative; try: --last 30", last)
		}
		if all || (c.json || w.since+w.until != "") && !cmd.Flags().Changed("last") {
			last = -1
		}
		list, more, err := w.page(l, last)
		if err == nil {
			err = c.sayMissing(l)
		}
		if err != nil {
			return err
		}
		c.sayUnknown(&w.touched)
		if c.json {
			return c.printJSON(list)
		}
		for _, r := range list {
			status := r.State
			exit, known := r.Exit()
			switch {
			case known:
				status = fmt.Sprintf("exit %d", exit)
			case r.State == past.Running && r.Session:
				status = "session"
			}
			mark := ""
			if r.State == past.Running && r.Background {
				status, mark = "background", "  (to end it: tadactl kill "+r.ID+")"
			}
			if r.Paused && r.State == past.Running {
				status = "stopped" // until the freeze of its machine ends
			}
			if r.Unproven != "" {
				mark = "  UNPROVEN (" + inert(r.Unproven) + ")"
			}
			fmt.Fprintln(c.out, c.row(fmt.Sprintf("%s  %s  %-9s  %s%s", r.ID,
				r.Began.Local().Format(time.DateTime), status,
				briefly(r), shortChanges(r)+mark)))
		}
		c.sayMore(more, "older runs are", "tadactl sessions --all")
		return nil
	}))
	w.flags(cmd)
	cmd.Flags().IntVarP(&last, "last", "n", last, "")
	cmd.Flags().BoolVar(&all, "all", false, "")
	cmd.MarkFlagsMutuallyExclusive("last", "all")
	return cmd
}

// briefly is the command of a run as a list shows it.
func briefly(r past.Run) string { return brief(cmp.Or(r.Inside, r.Command)) }

// shortChanges are those of a run, behind its command.
func shortChanges(r past.Run) string {
	if text := r.RunChanges.String(); text != "" {
		return "  (" + text + ")"
	}
	return ""
}

// sayMore says that a list is only the newest part of what there is.
func (c *ctl) sayMore(more bool, what, all string) {
	if more {
		fmt.Fprintf(c.err, "tadactl: %s not listed; all: %s\n", what, all)
	}
}

// A recording is a session that was named on the command line.
type recording struct {
	launcher   *launcher.Launcher
	id         string
	transcript io.ReadSeekCloser
}

// recording opens the session whose id begins with the argument, or the newest.
func (c *ctl) recording(open opening, args []string) (*recording, error) {
	l, err := open()
	if err != nil {
		return nil, err
	}
	id, err := l.Session(append(args, "")[0])
	if err != nil {
		return nil, err
	}
	f, err := l.Transcript(id)
	if err != nil {
		return nil, err
	}
	return &recording{l, id, f}, nil
}

// title names the session, with what it changed.
func (s *recording) title() string {
	if r, err := s.launcher.Past(s.id); err == nil && r.RunChanges.String() != "" {
		return s.id + "  " + r.RunChanges.String()
	}
	return s.id
}

// markLabels are the entries of the log that a viewer wants to jump to, by the beginning of their
// kind, and whether the rest of the kind says more.
var markLabels = []struct {
	kind, label string
	more        bool
}{
	{"exec.start", "started", false}, {"exec.left", "left running", false}, {"exec.end", "ended",
		false}, {"approval.", "approval", true}, {"ctl.", "control", true},
}

// marks are the log entries about the session, from its first on, and about the approval that it
// ran on.
func (s *recording) marks() ([]play.Mark, error) {
	r, err := s.launcher.Past(s.id)
	if errors.Is(err, state.ErrNoSuch) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []play.Mark
	for e, err := range s.launcher.About(r) {
		var bad *audit.BadEntry
		if errors.As(err, &bad) {
			continue // set apart, or found by verify
		} else if err != nil {
			return list, err
		}
		var body map[string]any
		if json.Unmarshal(e.Body, &body) == nil {
			list = appendMark(list, e, body, r.Began)
		}
	}
	return list, nil
}

// appendMark adds the mark of an entry, if it has one. An entry from before the session is placed
// at its start.
func appendMark(list []play.Mark, e audit.Entry, body map[string]any, began time.Time) []play.Mark {
	for _, m := range markLabels {
		rest, ok := strings.CutPrefix(e.Kind, m.kind)
		if !ok {
			continue
		}
		words := []string{m.label}
		if m.more {
			words = append(words, rest)
		}
		for _, name := range []string{"decision", "outcome", "command", "by", "approver", "lost"} {
			if w, _ := body[name].(string); w != "" {
				words = append(words, w)
			}
		}
		return append(list, play.Mark{At: max(0, e.Time.Sub(began)), Label: strings.Join(words,
			" ")})
	}
	return list
}

func (c *ctl) replay() *cobra.Command {
	var o play.Options
	cmd := verb("replay [ID]", cobra.MaximumNArgs(1), func(cmd *cobra.Command,
		args []string) error {
		if !(o.Speed > 0) { // NaN too
			return usagef("--speed %v must be above 0; try: --speed 2, or --no-wait", o.Speed)
		}
		s, err := c.recording(c.openToRead, args)
		if err != nil {
			return err
		}
		defer s.transcript.Close()
		if c.json {
			return unproven(export.JSON(c.out, s.transcript))
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM,
			syscall.SIGHUP)
		defer stop()
		o.In, o.Title = c.in, s.title()
		if o.Marks, err = s.marks(); err != nil {
			return unproven(err)
		}
		if audit.Recording(s.transcript) {
			o.Live = func() bool { return audit.Recording(s.transcript) }
		}
		var screen bool
		if o.Out, screen = c.out.(*os.File); screen {
			screen = term.IsTerminal(int(o.Out.Fd())) && term.IsTerminal(int(o.In.Fd()))
		}
		if o.Follow && o.Live != nil && !screen {
			live := audit.Follow(ctx, s.transcript, func() bool { return !o.Live() })
			return c.left(ctx, play.Text(ctx, c.out, live, play.TextOptions{}))
		}
		if o.Out == nil {
			return c.left(ctx, play.Text(ctx, c.out, s.transcript, play.TextOptions{}))
		}
		return c.left(ctx, play.Run(ctx, s.transcript, o))
	})
	cmd.Long = "KEYS\n" + play.Keys()
	cmd.Flags().Float64Var(&o.Speed, "speed", 1, "")
	cmd.Flags().DurationVar(&o.Idle, "idle", 2*time.Second, "")
	cmd.Flags().DurationVar(&o.From, "from", 0, "")
	cmd.Flags().BoolVar(&o.Follow, "follow", false, "")
	cmd.Flags().BoolVar(&o.NoWait, "no-wait", false, "")
	return cmd
}

// interrupted is the exit status of a replay that its reader ended with a signal, like that of a
// program ended with Ctrl-C.
const interrupted = 130

// left is unproven for a replay: that its reader ended it is not reported.
func (c *ctl) left(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		c.status = interrupted
		return nil
	}
	return unproven(err)
}

// unproven gives the exit status of tampering to a transcript that does not verify.
func unproven(err error) error {
	var bad *audit.BadEntry
	if errors.As(err, &bad) && !bad.Torn {
		return &exitError{err, exit.Tampered}
	}
	return err
}
