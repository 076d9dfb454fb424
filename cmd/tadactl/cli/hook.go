package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/integration/hook/platform"
	"github.com/tada-run/tada-run/integration/quarantine"
	"github.com/tada-run/tada-run/launcher"
)

func (c *ctl) hook() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Answer agent programs that ask before each tool call",
	}
	cmd.AddCommand(c.hookRun(), c.hookInstall(), c.hookUninstall(), c.hookStatus())
	return cmd
}

func (c *ctl) hookRun() *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "run " + platform.Names(),
		Short: "Decide about one tool call, read from standard input",
		Long: "Decide about one tool call, read from standard input as the platform sends it, and\n" +
			"answer as the platform reads it. A command line that is not denied goes on through\n" +
			"tada-run, where it is fenced, recorded and asked about. Whatever goes wrong blocks.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c.status = hookRun(c.home, append([]string{"--wait=" + wait.String()}, args...))
			return nil
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", 0, "how long to wait for a person who has to answer")
	return verb(cmd, "2    the call is blocked; the reason is on standard error, where the agent reads it")
}

// hasHook reports whether this is `tadactl hook run`, as it is registered with the platforms.
func hasHook(argv []string) bool {
	return len(argv) > 3 && argv[1] == "hook" && argv[2] == "run" && argv[3] != "--help" && argv[3] != "-h"
}

// blockStatus is the one exit status that no platform takes for a failure that lets the call run.
const blockStatus = 2

// hookRun is `tadactl hook run ARGS`. It needs no tree of verbs: it is started before every call of an agent.
func hookRun(home string, args []string) int {
	core := &hook.Core{Env: os.Environ()}
	set := pflag.NewFlagSet("hook run", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&home, "home", home, "")
	set.DurationVar(&core.Runner.Wait, "wait", 0, "")
	if err := set.Parse(args); err != nil || set.NArg() != 1 || core.Runner.Wait < 0 {
		return blockUsage(fmt.Sprintf("try: tadactl hook run %s", platform.Names()))
	}
	adapter, known := platform.Named(set.Arg(0))
	if !known {
		return blockUsage(fmt.Sprintf("no platform %q; try: %s", set.Arg(0), platform.Names()))
	}
	var err error
	if core.Runner.Path, err = hook.RunnerPath(); err != nil {
		return blockUsage(fmt.Sprintf("tada-run is not where tadactl is: %v", err))
	}
	if core.Runner.Home = home; home != "" {
		if core.Runner.Home, err = filepath.Abs(home); err != nil {
			return blockUsage(err.Error())
		}
	}
	core.Open = sync.OnceValues(func() (*launcher.Launcher, error) { return openHome(home) })
	core.Quarantine = inQuarantine(core.Open, os.Getenv(quarantine.Variable))
	answer := hook.Serve(context.Background(), adapter, core, os.Stdin, hook.Limit+core.Runner.Wait)
	_, errOut := io.WriteString(os.Stdout, answer.Stdout)
	_, errErr := io.WriteString(os.Stderr, answer.Stderr)
	if errOut != nil || errErr != nil {
		return blockStatus // half an answer would be none, and none lets the call run
	}
	return answer.Status
}

func blockUsage(message string) int {
	fmt.Fprintln(os.Stderr, "tadactl: blocked: "+message)
	return blockStatus
}
