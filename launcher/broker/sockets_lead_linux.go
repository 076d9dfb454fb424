//go:build amd64 || arm64

package broker

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// notLed is why a rule with Lead does not count for a caller.
const notLed = "it is a package registry, and what a package tool starts does not have it"

// maxLead bounds the processes between a caller and the first one of its run.
const maxLead = 64

// leads reports whether a caller is a program that the command line itself starts: it is the first
// process of the run, or only programs that start others stand between the two. A process whose
// parent is gone belongs to nobody, and so does a program that the run may write. The caller waits,
// and a parent that is still the same after it was looked at has lived meanwhile.
func (n *sockets) leads(c *call) bool {
	pid := threadGroup(int(c.PID))
	if program, err := os.Readlink(c.process() + "exe"); n.first == nil || err != nil ||
		n.trees.writable(program) {
		return false
	}
	for range maxLead {
		if pid == n.first() {
			return c.waits()
		}
		parent := parentOf(pid)
		program, err := os.Readlink("/proc/" + strconv.Itoa(parent) + "/exe")
		if parent <= 1 || err != nil || n.trees.writable(program) ||
			!slices.Contains(n.starters, path.Base(program)) || parentOf(pid) != parent {
			return false
		}
		pid = parent
	}
	return false
}

// parentOf returns the parent of a process, or 0.
func parentOf(pid int) int {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(statusField(string(text), "PPid:")))
	return n
}
