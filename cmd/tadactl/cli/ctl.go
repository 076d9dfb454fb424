package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/exit"
)

// A ctl is one run of the program: its flags, and where it reads and prints.
type ctl struct {
	place    launcher.Place
	named    bool // --home was given
	json     bool
	paranoid bool        // of tamper: read every protected file
	status   int         // the exit status if no verb failed
	doubts   []audit.Gap // the unproven parts of the log, once it was read
	in       *os.File
	out      io.Writer
	err      io.Writer
}

// verb makes a verb: how it is called, the arguments that it takes, what it does.
func verb(use string, args cobra.PositionalArgs,
	run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: strictly(args), RunE: run}
}

// strictly makes wrong arguments of a verb a usage error, which cobra would not distinguish from a
// failure.
func strictly(args cobra.PositionalArgs) cobra.PositionalArgs {
	if args == nil {
		return nil
	}
	return func(cmd *cobra.Command, words []string) error {
		err := args(cmd, words)
		if err == nil {
			return nil
		}
		what := "missing or extra argument" // cobra counts them: "accepts 1 arg(s), received 0"
		if strings.HasPrefix(err.Error(), "invalid argument") {
			what = err.Error()
		}
		return usagef("%s; usage: %s", what, cmd.UseLine())
	}
}

// help prints the help of cmd. cobra also calls it for a name that is not a verb of cmd: to a
// script, a typing error such as "audit verfy" must not look as if the record had been verified.
func (c *ctl) help(cmd *cobra.Command, _ []string) {
	if name := cmd.Flags().Arg(0); name != "" && cmd.HasSubCommands() {
		c.status = c.report(usagef("unknown command %q for %q", name,
			cmd.CommandPath()), cmd.CommandPath())
		return
	}
	fmt.Fprint(c.out, help(cmd))
}

// help returns the output of --help.
func help(cmd *cobra.Command) string {
	about, statuses := manual(cmd)
	text := about + "\n\n" + cmd.UsageString()
	if statuses != "" {
		text += "\n" + exitStatus + statuses + "\n"
	}
	return text
}

// A usageError ends with exit status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// An exitError ends the program with a status of its own after a line was printed.
type exitError struct {
	error
	status int
}

func failf(status int, format string, args ...any) error {
	return &exitError{fmt.Errorf(format, args...), status}
}

// report prints err, of the verb called path, as one line, and returns its exit status.
func (c *ctl) report(err error, path string) int {
	line := err.Error()
	var file *approval.FileError
	advised := errors.As(err, &file) && file.Hint != ""
	if f, ok := approval.Explain(err); ok && !advised && !strings.Contains(line, f.Message) {
		line += ": " + f.Message
	}
	fmt.Fprintf(c.err, "tadactl: %s\n", strings.TrimPrefix(line, "approval: "))
	if hint := hintFor(err); hint != "" {
		fmt.Fprintf(c.err, "tadactl: %s\n", hint)
	}
	var usage *usageError
	var failed *exitError
	switch {
	case errors.As(err, &failed):
		return failed.status
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintf(c.err, "tadactl: try: %s --help\n", path)
		return exit.Usage
	}
	if bad, ok := errors.AsType[*audit.BadEntry](err); ok && !bad.Torn {
		return exit.Tampered
	}
	return launcher.ExitOf(err)
}

// printJSON prints v on one line.
func (c *ctl) printJSON(v any) error {
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// say prints v with --json, otherwise the text.
func (c *ctl) say(v any, format string, args ...any) error {
	if c.json {
		return c.printJSON(v)
	}
	_, err := fmt.Fprintf(c.out, format, args...)
	return err
}

// A body is that of a verb that needs the launcher of the state directory.
type body func(l *launcher.Launcher, cmd *cobra.Command, args []string) error

// opened runs a body with what is opened to run and to decide.
func (c *ctl) opened(do body) func(*cobra.Command, []string) error { return do.with(c.open) }

// reads is like opened, for a verb that starts, decides and changes nothing: it is for macOS too.
func (c *ctl) reads(do body) func(*cobra.Command, []string) error { return do.with(c.openToRead) }

func (do body) with(open opening) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		l, err := open()
		if err != nil {
			return err
		}
		return do(l, cmd, args)
	}
}

// outside is like opened, for what a command inside a sandbox may not do. It is refused before the
// state directory is opened.
func (c *ctl) outside(a approval.Action, do body) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := caller.Outside(a); err != nil {
			return err
		}
		return c.opened(do)(cmd, args)
	}
}

// An opening is [ctl.open] or [ctl.openToRead].
type opening func() (*launcher.Launcher, error)

// open returns the launcher of the state directory.
func (c *ctl) open() (*launcher.Launcher, error) { return c.openBy(launcher.Place.Open) }

// openToRead is open for what [ctl.reads] is for.
func (c *ctl) openToRead() (*launcher.Launcher, error) {
	return c.openBy(launcher.Place.OpenToJudge)
}

func (c *ctl) openBy(by func(launcher.Place) (*launcher.Launcher,
	error)) (*launcher.Launcher, error) {
	_, err := os.Stat(c.place.State)
	l, openErr := unpacking(by(c.place))
	if c.named && openErr == nil && errors.Is(err, os.ErrNotExist) {
		// otherwise a typing error would look like an empty record
		fmt.Fprintf(c.err, "tadactl: created the state directory %q: there was none\n",
			c.place.State)
	}
	return l, openErr
}

// openHere is like open, and also returns the current directory.
func (c *ctl) openHere() (*launcher.Launcher, string, error) {
	return openHereBy(c.open)
}

// judgeHere is openHere for a verb that only judges.
func (c *ctl) judgeHere() (*launcher.Launcher, string, error) {
	return openHereBy(c.openToRead)
}

func openHereBy(open opening) (*launcher.Launcher, string, error) {
	l, err := open()
	if err != nil {
		return nil, "", err
	}
	dir, err := here()
	return l, dir, err
}

// here returns the current directory.
func here() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("the current directory is gone (%w); try: cd /", err)
	}
	return dir, nil
}

// open returns the launcher of a place, which can also read packed transcripts and check what
// passkeys have signed.
func open(p launcher.Place) (*launcher.Launcher, error) { return unpacking(p.Open()) }

func unpacking(l *launcher.Launcher, err error) (*launcher.Launcher, error) {
	if err != nil {
		return nil, err
	}
	l.Passkeys = func(partial bool) audit.PasskeyCheck { return &passkey.Record{Partial: partial} }
	return l.Unpacking(audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}), nil
}

// changed gives tampering its exit status.
func changed(err error) error {
	var tampered *audit.TamperError
	var bad *audit.BadEntry
	if errors.As(err, &tampered) || errors.As(err, &bad) {
		return &exitError{err, exit.Tampered}
	}
	return err
}
