package cli

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A checkup is what doctor finds out.
type checkup struct {
	sandbox   sandbox.Report
	approvals string // "ok", or what is wrong with the store
	undo      launcher.UndoState
	remote    string            // the kind of file system, if it may be on another machine's disk
	removed   string            // variables that commands do not receive
	ignored   map[string]string // variables that have no effect, and what to use instead
	wrong     []wrong
}

// examine looks at everything. It sets the exit status.
func (c *ctl) examine(ctx context.Context, l *launcher.Launcher, dir string) checkup {
	h := checkup{sandbox: sandbox.Probe(), approvals: "ok", undo: l.UndoState(dir),
		remote: l.Home().Remote(), removed: l.NotReceived(), ignored: map[string]string{}}
	if h.sandbox.Level == sandbox.None {
		c.status = exit.Failed
	}
	if err := l.CompareStore(ctx); err != nil {
		h.approvals, c.status = strings.TrimPrefix(err.Error(), "approval: "), launcher.ExitOf(err)
	}
	for _, n := range ignoredVariables(os.LookupEnv) {
		h.ignored[n.name] = n.say
	}
	h.wrong = append(h.missing(), faults(l, dir, h.approvals, h.undo)...)
	for _, name := range slices.Sorted(maps.Keys(h.ignored)) {
		h.wrong = append(h.wrong, wrong{name + " is set and has no effect: " + h.ignored[name],
			"unset " + name})
	}
	return h
}

// missing is what the kernel does not do here.
func (h checkup) missing() (list []wrong) {
	const more = "tadactl doctor --verbose"
	for _, f := range h.sandbox.Findings {
		if !f.OK {
			list = append(list, wrong{f.Name + " does not work here: " + f.Detail,
				cmp.Or(f.Fix, more)})
		}
	}
	if h.sandbox.Level == sandbox.None {
		return append(list, wrong{"commands are not sandboxed on this machine", more})
	}
	return append(list, lost(h.sandbox, more)...)
}

// facts are what a program reads.
func (h checkup) facts(l *launcher.Launcher) map[string]any {
	r := h.sandbox
	return map[string]any{
		"approvals": h.approvals, "undo": h.undo, "wrong": append([]wrong{}, h.wrong...),
		"version": launcher.Version(), "home": l.Home().Dir,
		"policy": l.Policy().Digest(), "tier": launcher.Tier,
		"level": r.Level.String(), "kernel": r.Kernel, "landlock": r.Landlock,
		"errata": r.Errata, "findings": r.Findings, "lost": r.Lost,
		"ignored": h.ignored, "remote": h.remote, "environment": h.removed,
	}
}
