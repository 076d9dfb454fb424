package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/integration/hook/platform"
	"github.com/tada-run/tada-run/integration/quarantine"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/control"
)

func (c *ctl) hook() *cobra.Command {
	cmd := &cobra.Command{Use: "hook"}
	cmd.AddCommand(c.hookRun(), c.hookInstall(), c.hookUninstall(), c.hookStatus())
	return cmd
}

func (c *ctl) hookRun() *cobra.Command {
	var wait time.Duration
	cmd := verb("run "+platform.Names(), cobra.ExactArgs(1), func(_ *cobra.Command,
		args []string) error {
		c.status = hookRun(c.place, append([]string{"--wait=" + wait.String()}, args...))
		return nil
	})
	cmd.Flags().DurationVar(&wait, "wait", 0, "")
	return cmd
}

// hasHook reports whether this is `tadactl hook run`, as it is registered with the platforms.
func hasHook(argv []string) bool {
	return len(argv) > 3 && argv[1] == "hook" && argv[2] == "run" && argv[3] != "--help" &&
		argv[3] != "-h"
}

// blockStatus is the only exit status that no platform takes for a failure that lets the call run.
const blockStatus = 2

// hookRun is `tadactl hook run ARGS`. It does without the tree of verbs, because it is started
// before every call of an agent.
func hookRun(place launcher.Place, args []string) int {
	core := &hook.Core{Env: os.Environ(), Starters: launcher.Starters}
	set := pflag.NewFlagSet("hook run", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&place.State, "home", place.State, "")
	set.DurationVar(&core.Runner.Wait, "wait", 0, "")
	if err := set.Parse(args); err != nil {
		return say(hook.Answer{Status: blockStatus, Stderr: fmt.Sprintf(
			"tadactl: blocked: %v; try: tadactl hook run %s\n"+
				"audit=none: a line that cannot be read names no state "+
				"directory\n", err, platform.Names())})
	}
	core.Open = sync.OnceValues(func() (*launcher.Launcher, error) { return open(place) })
	if launcher.Inside() {
		core.Inside = leftToSession
	}
	core.Quarantine = inQuarantine(os.Getenv(quarantine.Variable))
	adapter, err := hooked(set, &core.Runner, place.State)
	if err != nil {
		return say(hook.Answer{Status: blockStatus, Stderr: core.Refuse(context.Background(),
			set.Arg(0), err) + "\n"})
	}
	return say(hook.Serve(context.Background(), adapter, core, os.Stdin, hook.Limit+
		core.Runner.Wait))
}

// leftToSession returns nil if the session of this process sandboxes what the hook would judge.
func leftToSession() error {
	if os.Getenv(quarantine.Variable) != "" {
		return errors.New("this agent is in quarantine")
	}
	r, err := control.Ask(control.Question{Hook: true}, os.Getenv(control.Variable))
	switch {
	case err != nil:
		return err
	case !r.Run:
		return errors.New(
			"quarantines of this account cannot be seen inside a session, so no call is let " +
				"through; start the agent without --session")
	}
	return nil
}

// hooked returns the platform that the line names, and where the commands of that platform go.
func hooked(set *pflag.FlagSet, r *hook.Runner, home string) (adapter hook.Adapter, err error) {
	adapter, known := platform.Named(set.Arg(0))
	switch {
	case !known || set.NArg() != 1:
		return adapter, fmt.Errorf("no platform %q; try: tadactl hook run %s",
			strings.Join(set.Args(), " "), platform.Names())
	case r.Wait < 0:
		return adapter, fmt.Errorf("--wait=%v is negative", r.Wait)
	}
	if r.Path, err = hook.RunnerPath(); err != nil {
		return adapter, fmt.Errorf("tada-run not found beside tadactl: %w", err)
	}
	if home != "" {
		r.Home, err = filepath.Abs(home)
	}
	return adapter, err
}

// say gives the platform its answer, and returns the exit status.
func say(a hook.Answer) int {
	_, errOut := io.WriteString(os.Stdout, a.Stdout)
	_, errErr := io.WriteString(os.Stderr, a.Stderr)
	if errOut != nil || errErr != nil {
		return blockStatus // half an answer counts as none, and then the call runs
	}
	return a.Status
}
