//go:build amd64 || arm64

package broker

import (
	"os"
	"path"
	"slices"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/pathguard/proc"
)

// Why a rule for some programs does not count for a caller.
const (
	notLed   = "it is a package registry, and what a package tool starts does not have it"
	notGiven = "the command line names it for another program"
)

// mayUse refuses what is allowed to some programs, unless the caller is one of them.
func (n *sockets) mayUse(c *call, v network.Verdict) network.Verdict {
	isLead := func(r network.Rule) bool { return r.Lead }
	led := slices.ContainsFunc(v.Rules, isLead)
	switch {
	case !v.OK || v.Rules == nil, led && n.leads(c), n.starts.uses(c, v.Rules):
		return v
	case led:
		return network.Verdict{Host: v.Host, Why: notLed}
	}
	return network.Verdict{Host: v.Host, Why: notGiven}
}

// leads reports whether a caller is a program that the command line itself starts: it is the first
// process of the run, or all programs between the two start others. A process whose parent is gone
// has no known origin, and neither has a program that the run may write. The caller waits, and a
// parent that is still the same after it was examined has lived in between.
func (n *sockets) leads(c *call) bool {
	pid := threadGroup(int(c.PID))
	if program, err := os.Readlink(c.process() + "exe"); n.first == nil || err != nil ||
		n.trees.makes(program) {
		return false
	}
	for range maxLead {
		if pid == n.first() {
			return c.waits()
		}
		parent := parentOf(pid)
		program, err := os.Readlink(proc.Dir(parent) + "exe")
		if parent <= 1 || err != nil || n.trees.makes(program) ||
			!slices.Contains(n.starters, path.Base(program)) || parentOf(pid) != parent {
			return false
		}
		pid = parent
	}
	return false
}
