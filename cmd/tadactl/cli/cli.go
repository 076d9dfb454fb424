package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/launcher"
)

// A Door is what the process was started with. Only tests set the place; see the Door of tada-run
// for the reason.
type Door struct {
	Argv []string
	launcher.Place
}

// Main runs the command line argv and returns the exit status.
func Main(argv []string) int { return Run(Door{Argv: argv}) }

// Run is the body of the program; see [Main].
func Run(d Door) int {
	if hasHook(d.Argv) {
		// an agent waits for this before each call, so it runs before the tree of verbs is made
		return hookRun(d.Place, d.Argv[3:])
	}
	c := &ctl{place: d.Place, in: os.Stdin, out: os.Stdout, err: os.Stderr}
	root := c.command(d.Argv)
	if len(d.Argv) > 0 {
		root.SetArgs(d.Argv[1:])
	}
	if slices.ContainsFunc(d.Argv, func(word string) bool {
		return strings.HasPrefix(word, cobra.ShellCompRequestCmd)
	}) {
		c.complete(root)
	}
	if cmd, err := root.ExecuteC(); err != nil {
		return c.report(err, cmd.CommandPath())
	}
	return c.status
}

// command is the whole tree of verbs, for the command line argv.
func (c *ctl) command(argv []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "tadactl",
		Version:       launcher.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.PersistentFlags().StringVar(&c.place.State, "home", c.place.State, "")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		c.named = cmd.Flags().Changed("home")
		return checkFlags(cmd)
	}
	root.PersistentFlags().BoolVar(&c.json, "json", false, "")
	root.PersistentFlags().BoolVar(&c.place.Plain, "plain", false, "")
	root.SetHelpFunc(c.help)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(
		c.check(), c.pending(), c.show(), c.approve(), c.deny(), c.grants(),
		c.inbox(), c.console(), c.watch(), c.approvals(), c.key(), c.exportRequest(), c.sign(),
		c.sessions(), c.attach(), c.kill(), c.replay(), c.export(), c.log(), c.audit(), c.gc(),
		c.diff(), c.undo(), c.redo(),
		c.policy(), c.config(), c.tamper(), c.doctor(), c.statusVerb(), c.demo(), c.fleet(argv),
	)
	root.AddCommand(c.man(), c.completion(), c.setup(), c.hook(), c.quarantine(), c.mcp(),
		c.shell())
	topic := c.topic()
	root.AddCommand(topic)
	root.SetHelpCommand(topic)
	describe(root)
	return root
}
