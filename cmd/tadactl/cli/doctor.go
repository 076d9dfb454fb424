package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

func (c *ctl) doctor() *cobra.Command {
	var attacks bool
	cmd := verb(&cobra.Command{
		Use:  "doctor",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if attacks {
				return c.attack(cmd.Context())
			}
			l, dir, err := c.openHere()
			if err != nil {
				return err
			}
			ignored := map[string]string{}
			for _, n := range ignoredVariables(os.LookupEnv) {
				ignored[n.name] = n.say
			}
			r := sandbox.Probe()
			if r.Level == sandbox.None {
				c.status = exit.Failed
			}
			approvals := "ok"
			if err := l.CompareStore(cmd.Context()); err != nil {
				approvals, c.status = strings.TrimPrefix(err.Error(), "approval: "),
					launcher.ExitOf(err)
			}
			kept := l.UndoState(dir)
			if c.json {
				return c.printJSON(map[string]any{
					"approvals": approvals, "undo": kept,
					"version": launcher.Version(), "home": l.Home().Dir,
					"policy": l.Policy().Digest(), "tier": launcher.Tier,
					"level": r.Level.String(), "kernel": r.Kernel, "landlock": r.Landlock,
					"errata": r.Errata, "findings": r.Findings, "lost": r.Lost,
					"ignored": ignored, "remote": l.RemoteState(),
					"environment": l.NotReceived(),
				})
			}
			fmt.Fprintf(c.out,
				"tada-run %s, kernel %s\nstate    %s\nlevel    %s\n"+
					"tier     %s: only the commands are sandboxed, not the agent that proposes "+
					"them\n         %s: tada-run --session -- AGENT sandboxes the "+
					"agent as well\n\n",
				launcher.Version(), r.Kernel, l.Home().Dir, r.Level, launcher.Tier,
				launcher.TierSession)
			for _, f := range r.Findings {
				mark := "ok     "
				if !f.OK {
					mark = "MISSING"
				}
				fmt.Fprintf(c.out, "%s  %-24s %s\n", mark, f.Name, f.Detail)
				if f.Fix != "" {
					fmt.Fprintf(c.out, "%9sfix: %s\n", "", f.Fix)
				}
			}
			c.printUndoState(kept)
			if approvals != "ok" {
				fmt.Fprintf(c.out, "FAILED   %-24s %s\n", "approvals", approvals)
			}
			c.printRemote(l.RemoteState())
			if removed := l.NotReceived(); removed != "" {
				fmt.Fprintf(c.out, "NOTE     %-24s %s\n", "environment", removed)
			}
			for _, name := range slices.Sorted(maps.Keys(ignored)) {
				fmt.Fprintf(c.out, "IGNORED  %-24s %s\n", name, ignored[name])
			}
			for _, l := range r.Lost {
				fmt.Fprintf(c.out, "MISSING  %-24s %s\n", l.Protection, l.Why)
			}
			return nil
		},
	})
	cmd.Flags().BoolVar(&attacks, "attack", false, "")
	return cmd
}

func (c *ctl) printUndoState(u launcher.UndoState) {
	if !u.Works {
		fmt.Fprintf(c.out, "MISSING  %-24s %s\n", "undo", u.Why)
		return
	}
	where := "here what is removed is copied, up to undo.file"
	if u.Place != "" {
		where = "what is removed here goes to " + inert(u.Place)
	}
	fmt.Fprintf(c.out, "ok       %-24s %s kept for %s, %s of %s; %s\n", "undo",
		audit.Plural(u.Runs, "run"), u.Keep, sizeText(u.Bytes), sizeText(u.Quota), where)
}

// printRemote says that the state directory may be on another machine's disk.
func (c *ctl) printRemote(kind string) {
	if kind == "" {
		return
	}
	fmt.Fprintf(c.out, "NOTE     %-24s on %s, which may be another machine's disk: the record is "+
		"as safe as its locks and its fsync, and starts wait for it\n", "state", kind)
}

// sizeText is a number of bytes for a person.
func sizeText(n int64) string {
	for _, unit := range []string{"bytes", "KiB", "MiB"} {
		if n < 10<<10 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n >>= 10
	}
	return fmt.Sprintf("%d GiB", n)
}
