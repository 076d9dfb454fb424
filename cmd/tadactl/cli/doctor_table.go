package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
)

// printHealth prints everything that doctor looked at, a row for each.
func (c *ctl) printHealth(l *launcher.Launcher, h checkup) {
	r := h.sandbox
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
	c.printUndoState(h.undo)
	if h.approvals != "ok" {
		fmt.Fprintf(c.out, "FAILED   %-24s %s\n", "approvals", h.approvals)
	}
	c.printRemote(h.remote)
	if h.removed != "" {
		fmt.Fprintf(c.out, "NOTE     %-24s %s\n", "environment", h.removed)
	}
	for _, name := range slices.Sorted(maps.Keys(h.ignored)) {
		fmt.Fprintf(c.out, "IGNORED  %-24s %s\n", name, h.ignored[name])
	}
	for _, l := range r.Lost {
		fmt.Fprintf(c.out, "MISSING  %-24s %s\n", l.Protection, l.Why)
	}
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
