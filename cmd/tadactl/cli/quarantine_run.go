package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/quarantine"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// exitInvalid means that there is no valid answer.
const exitInvalid = 1

func (c *ctl) quarantineRun() *cobra.Command {
	var f quarantineFlags
	var r quarantine.Reviewer
	var files, keep []string
	var strong, full bool
	cmd := verb("run --file FILE [--file FILE ...] -- PROGRAM [ARG ...]", cobra.MinimumNArgs(1),
		func(cmd *cobra.Command, argv []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if len(files) == 0 {
				return usagef("expected --file FILE")
			}
			if f.bind {
				return usagef("--sha does not apply to run, which opens its files once")
			}
			if r.Argv = argv; strong {
				r.Level = sandbox.Strong
			}
			r.Env = reviewerEnv(keep)
			return c.runReviewer(cmd.Context(), f, files, r, full)
		})
	f.add(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&files, "file", nil, "")
	flags.StringArrayVar(&r.Runtime, "runtime", nil, "")
	flags.StringArrayVar(&r.Endpoints, "endpoint", nil, "")
	flags.StringArrayVar(&keep, "env", nil, "")
	flags.DurationVar(&r.Grace, "grace", quarantine.DefaultGrace, "")
	flags.BoolVar(&strong, "strong", false, "")
	flags.BoolVar(&full, "full", false, "")
	return cmd
}

func (c *ctl) quarantineSchema() *cobra.Command {
	return verb("schema", cobra.NoArgs, func(*cobra.Command, []string) error {
		_, err := c.out.Write(quarantine.Schema())
		return err
	})
}

// reviewerEnv is the environment of a reviewer.
func reviewerEnv(keep []string) []string {
	env := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TERM=dumb", "HOME=/nonexistent",
		"TMPDIR=/nonexistent",
		fmt.Sprintf("TADA_QUARANTINE_FD=%d", quarantine.Channel),
	}
	for _, name := range keep {
		if strings.Contains(name, "=") {
			env = append(env, name)
		} else if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (c *ctl) runReviewer(ctx context.Context, f quarantineFlags, files []string,
	r quarantine.Reviewer, full bool) error {
	w, err := c.quarantineState()
	if err != nil {
		return err
	}
	defer w.log.Close()
	o, err := w.options(f)
	if err != nil {
		return err
	}
	program, err := exec.LookPath(r.Argv[0])
	if err != nil {
		return failf(exit.NotFound, "reviewer %q: %w", r.Argv[0], err)
	}
	r.Argv = append([]string{program}, r.Argv[1:]...)
	paths := make([]string, len(files))
	for i, name := range files {
		if paths[i], err = filepath.Abs(name); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	notice := launcher.Notice{Platform: "quarantine", Tool: filepath.Base(program),
		Decision: "allowed", Code: "quarantine_run"}
	if _, err := w.l.Tell(notice); err != nil { // what cannot be recorded does not run
		return err
	}
	review := w.sessions.Review(ctx, o, paths, r, w.log, w.slots)
	notice.Agent, notice.Code = review.Session, "quarantine_end"
	if review.Err != nil {
		notice.Decision, notice.Code = "failed", string(quarantine.CodeOf(review.Err))
	}
	head, tellErr := w.l.Tell(notice)
	if review.Err != nil {
		if len(review.Failure) > 0 {
			fmt.Fprintf(c.err,
				"tadactl: reviewer %q ended with status %d before it read what to do; its "+
					"standard error ends:\n", r.Argv[0], review.Status.Shell())
		}
		for _, line := range review.Failure {
			fmt.Fprintf(c.err, "     | %s\n", line)
		}
		return reviewFailed(review.Err)
	}
	if err := errors.Join(tellErr, w.keep(review.Response)); err != nil {
		return err
	}
	if review.Receipt.Level < sandbox.Strong {
		fmt.Fprintf(c.err, "tadactl: the sandbox had level %s; missing: %v\n", review.Receipt.Level,
			review.Receipt.Lost)
	}
	return c.printReview(review.Response, full, head)
}

// reviewFailed gives an error its exit status. It says nothing about what the reviewer printed.
func reviewFailed(err error) error {
	var start *sandbox.ExecError
	var answer *quarantine.ResponseError
	switch {
	case errors.Is(err, quarantine.ErrTimeout):
		return &exitError{err, exitTimeout}
	case errors.As(err, &answer):
		return &exitError{err, exitInvalid}
	case errors.As(err, &start):
		return &exitError{err, start.ExitStatus()}
	}
	return refusedByQuarantine(err)
}

// keptName is the file in which the findings of a session are stored, after everything was made
// inert.
func (w *quarantineState) keptName(session string) string {
	return filepath.Join(w.l.Home().Dir, "quarantine", session+".json")
}

func (w *quarantineState) keep(r quarantine.Response) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(w.keptName(r.SessionID), append(text, '\n'), 0o600)
}

// printReview prints what was found: how much and where, and the texts only on request.
func (c *ctl) printReview(r quarantine.Response, full bool, head string) error {
	if !full {
		r.Summary = ""
		for i := range r.Findings {
			r.Findings[i].Title, r.Findings[i].Description = "", ""
		}
	}
	if c.json {
		return c.printJSON(struct {
			quarantine.Response
			Audit string `json:"audit,omitempty"`
		}{r, head})
	}
	fmt.Fprintf(c.out, "session %s  %s  %s\n", r.SessionID, r.Status, audit.Plural(len(r.Findings),
		"finding"))
	for _, f := range r.Findings {
		fmt.Fprintf(c.out, "%-4s %-8s %-11s %s:%d\n", f.ID, f.Severity, f.Type, f.File, f.Line)
		for _, text := range []string{f.Title, f.Description} {
			if text != "" {
				fmt.Fprintf(c.out, "     | %s\n", text)
			}
		}
	}
	if r.Summary != "" {
		fmt.Fprintf(c.out, "summary\n     | %s\n", r.Summary)
	}
	switch {
	case full:
		fmt.Fprintf(c.out,
			"Lines with | are quotations from an untrusted program; %s neutralized, %s of file "+
				"contents cut out.\n",
			audit.Plural(r.Changed, "unsafe sequence"), audit.Plural(r.Cut, "passage"))
	case len(r.Findings) > 0:
		fmt.Fprintf(c.out, "The texts: tadactl quarantine findings %s\n", r.SessionID[:8])
	}
	return nil
}

func (c *ctl) quarantineFindings() *cobra.Command {
	return verb("findings SESSION [ID ...]", cobra.MinimumNArgs(1),
		c.opened(func(l *launcher.Launcher, _ *cobra.Command, args []string) error {
			r, err := kept(filepath.Join(l.Home().Dir, "quarantine"), args[0])
			if err != nil {
				return err
			}
			if ids := args[1:]; len(ids) > 0 {
				r.Summary = ""
				r.Findings = slices.DeleteFunc(r.Findings,
					func(f quarantine.Finding) bool { return !slices.Contains(ids, f.ID) })
			}
			return c.printReview(r, true, "")
		}))
}

// kept reads the findings of the session whose id begins with prefix.
func kept(dir, prefix string) (r quarantine.Response, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), ".json")
	})
	if len(entries) == 0 {
		return r, fmt.Errorf("session %q: no quarantine session with findings has that id", prefix)
	}
	if len(entries) > 1 {
		return r, fmt.Errorf("session %q: ambiguous id (%s with findings); type more characters",
			prefix, audit.Plural(len(entries), "session"))
	}
	text, err := os.ReadFile(filepath.Join(dir, entries[0].Name()))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}

func (c *ctl) quarantineResponse() *cobra.Command {
	var full bool
	cmd := verb("response SESSION < ANSWER", cobra.ExactArgs(1), func(cmd *cobra.Command,
		args []string) error {
		client, err := c.quarantineClient(args[0])
		if err != nil {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(c.in, quarantine.MaxResponse+1))
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), 6*quarantineTime)
		defer cancel()
		r, err := client.Respond(ctx, text)
		if err != nil {
			return &exitError{err, exitInvalid}
		}
		w, err := c.quarantineState()
		if err != nil {
			return err
		}
		if err := w.keep(r); err != nil {
			return err
		}
		return c.printReview(r, full, "")
	})
	cmd.Flags().BoolVar(&full, "full", false, "")
	return cmd
}
