package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/launcher"
)

// A Door is what the process was started with. The place is a parameter of tests; see the Door
// of tada-run for the reason.
type Door struct {
	Argv []string
	launcher.Place
}

// Main runs the command line argv and returns the exit status.
func Main(argv []string) int { return Run(Door{Argv: argv}) }

// Run is the body of the program; see [Main].
func Run(d Door) int {
	if hasHook(d.Argv) { // an agent waits for this one before each call: it is told before the tree of verbs is made
		return hookRun(d.Place, d.Argv[3:])
	}
	c := &ctl{place: d.Place, in: os.Stdin, out: os.Stdout, err: os.Stderr}
	root := c.command()
	if len(d.Argv) > 0 {
		root.SetArgs(d.Argv[1:])
	}
	if cmd, err := root.ExecuteC(); err != nil {
		return c.report(err, cmd.CommandPath())
	}
	return c.status
}

// A ctl is one run of the program: what its flags say, and where it reads and prints.
type ctl struct {
	place    launcher.Place
	named    bool // the place, by --home
	json     bool
	paranoid bool        // of tamper: read every protected file
	status   int         // the exit status when no verb failed
	doubts   []audit.Gap // what of the log is not proven, once it was read
	in       *os.File
	out      io.Writer
	err      io.Writer
}

// command is the whole tree of verbs.
func (c *ctl) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "tadactl",
		Short:         "Answer, replay and verify what tada-run does",
		Version:       launcher.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.PersistentFlags().StringVar(&c.place.State, "home", c.place.State, "use this state directory instead of ~/.tada")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		c.named = cmd.Flags().Changed("home")
		return checkFlags(cmd)
	}
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print JSON")
	root.SetHelpFunc(c.help)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(
		c.check(), c.pending(), c.show(), c.approve(), c.deny(), c.grants(),
		c.inbox(), c.watch(), c.approvals(), c.key(), c.exportRequest(), c.sign(),
		c.sessions(), c.attach(), c.kill(), c.replay(), c.export(), c.log(), c.audit(), c.gc(), c.policy(), c.config(), c.tamper(), c.doctor(),
	)
	root.AddCommand(c.man(), c.completion(), c.hook(), c.quarantine(), c.mcp(), c.shell())
	c.complete(root)
	return root
}

// exitStatus begins the part of a verb's manual that tells its exit statuses.
const exitStatus = "EXIT STATUS\n"

// verb completes a command: its manual ends with its exit statuses, and wrong arguments are a usage
// error, which cobra would not tell from a failure.
func verb(cmd *cobra.Command, statuses ...string) *cobra.Command {
	for _, s := range []string{"2    wrong usage", "78   configuration or state refused", "125  tadactl itself failed"} {
		number, _, _ := strings.Cut(s, " ")
		if !slices.ContainsFunc(statuses, func(own string) bool { return strings.HasPrefix(own, number+" ") }) {
			statuses = append(statuses, s)
		}
	}
	cmd.Long = strings.TrimSpace(strings.TrimSpace(cmd.Long) + "\n\n" + exitStatus + "  0    done\n  " + strings.Join(statuses, "\n  "))
	if args := cmd.Args; args != nil {
		cmd.Args = func(cmd *cobra.Command, words []string) error {
			err := args(cmd, words)
			if err == nil {
				return nil
			}
			what := "missing or extra argument" // cobra counts them: "accepts 1 arg(s), received 0"
			if strings.HasPrefix(err.Error(), "invalid argument") {
				what = err.Error()
			}
			return &usageError{fmt.Errorf("%s; usage: %s", what, cmd.UseLine())}
		}
	}
	return cmd
}

// manual is what a verb is for, and its exit statuses.
func manual(cmd *cobra.Command) (about, statuses string) {
	about, statuses, _ = strings.Cut(cmd.Long, exitStatus)
	return cmp.Or(strings.TrimSpace(about), cmd.Short+"."), statuses
}

// help prints the help of cmd. cobra calls it too for a name that none of the verbs below cmd has:
// a slip such as "audit verfy" must not look to a script as if the record had been verified.
func (c *ctl) help(cmd *cobra.Command, _ []string) {
	if name := cmd.Flags().Arg(0); name != "" && cmd.HasSubCommands() {
		c.status = c.report(&usageError{fmt.Errorf("unknown command %q for %q", name, cmd.CommandPath())}, cmd.CommandPath())
		return
	}
	fmt.Fprint(c.out, help(cmd))
}

// help is what --help prints.
func help(cmd *cobra.Command) string {
	about, statuses := manual(cmd)
	text := about + "\n\n" + cmd.UsageString()
	if statuses != "" {
		text += "\n" + exitStatus + statuses + "\n"
	}
	return text
}

// A usageError is answered with exit status 2.
type usageError struct{ error }

// An exitError ends the program with a status of its own after a line was printed.
type exitError struct {
	error
	status int
}

// report prints err of the verb called path as one line, and returns its exit status.
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
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		return exit.status
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintf(c.err, "tadactl: try: %s --help\n", path)
		return launcher.ExitUsage
	}
	var bad *audit.BadEntry
	if errors.As(err, &bad) && !bad.Torn {
		return launcher.ExitTampered
	}
	return launcher.ExitOf(err)
}

// printJSON prints v on one line.
func (c *ctl) printJSON(v any) error {
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// open returns the launcher of the state directory.
func (c *ctl) open() (*launcher.Launcher, error) { return c.openBy(launcher.Place.Open) }

func (c *ctl) openBy(by func(launcher.Place) (*launcher.Launcher, error)) (*launcher.Launcher, error) {
	_, err := os.Stat(c.place.State)
	l, openErr := unpacking(by(c.place))
	if c.named && openErr == nil && errors.Is(err, os.ErrNotExist) { // a slip would read as an empty record
		fmt.Fprintf(c.err, "tadactl: created the state directory %q: there was none\n", c.place.State)
	}
	return l, openErr
}

// openHere is open, with the current directory.
func (c *ctl) openHere() (*launcher.Launcher, string, error) {
	l, err := c.open()
	if err != nil {
		return nil, "", err
	}
	dir, err := here()
	return l, dir, err
}

// here is the current directory.
func here() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("the current directory is gone (%w); try: cd /", err)
	}
	return dir, nil
}

// open returns the launcher of a place, which can also read packed transcripts.
func open(p launcher.Place) (*launcher.Launcher, error) { return unpacking(p.Open()) }

func unpacking(l *launcher.Launcher, err error) (*launcher.Launcher, error) {
	if err != nil {
		return nil, err
	}
	return l.Unpacking(audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}), nil
}
