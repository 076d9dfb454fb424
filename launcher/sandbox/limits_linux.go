//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// bounds prepares what holds the run to its limits, and writes it into the receipt.
func (b *builder) bounds() error {
	l := b.profile.Limits
	bound := func(limit Limit, value uint64, by Means, tree bool) {
		if value != 0 {
			b.receipt.Bounds = append(b.receipt.Bounds, Bound{limit, value, by, tree})
		}
	}
	bound(LimitWall, uint64(l.Wall.Milliseconds()), ByTimer, true)
	bound(LimitAddressSpace, l.AddressSpace, ByRlimit, false)
	bound(LimitFileSize, l.FileSize, ByRlimit, false)
	bound(LimitFiles, l.Files, ByRlimit, false)
	bound(LimitCPU, l.CPU*1000, ByRlimit, false)
	bound(LimitInotify, l.Inotify, ByWatchdog, true)
	if b.group = (&group{}); l.Grouped && l.Memory|l.Processes|l.CPU != 0 {
		b.group = newGroup(l)
	}
	if len(b.group.dirs) > 0 {
		for _, dir := range b.group.unique() {
			fd, err := unix.Open(filepath.Join(dir, "cgroup.procs"), unix.O_WRONLY|unix.O_CLOEXEC,
				0)
			if err == nil {
				fd, err = b.own(fd)
			}
			if err != nil {
				b.group.remove()
				b.group = &group{}
				break
			}
			b.group.procs = append(b.group.procs, fd)
		}
	}
	for _, c := range controllers {
		by := ByWatchdog
		if b.group.dirs[c.name] != "" {
			by = ByCgroup
		}
		value := c.set(l)
		if c.limit == LimitCPU {
			value *= 1000
		}
		bound(c.limit, value, by, true)
	}
	return nil
}

// joinGroup moves the child into its groups, which its descendants cannot leave: they cannot write
// to any. A group that does not take it is no reason to stop here, because whether it did is looked
// at from outside (see joined).
func (b *builder) joinGroup(l *steps) {
	if b.group == nil {
		return
	}
	self := b.setup.arena.text("0")
	for _, fd := range b.group.procs {
		l.add("join control group", unix.SYS_WRITE, uintptr(fd), self, 1).anyway()
	}
}

// joined corrects the receipt when the kernel did not put the child where it was to be.
func (b *builder) joined(p *Process) {
	if b.group == nil || len(b.group.dirs) == 0 {
		return
	}
	text, _ := os.ReadFile(proc.Dir(p.pid) + "cgroup")
	if strings.Count(string(text),
		"/"+filepath.Base(b.group.unique()[0])+"\n") >= len(b.group.procs) {
		return
	}
	b.group.remove()
	b.group = &group{}
	for i := range b.receipt.Bounds {
		if b.receipt.Bounds[i].By == ByCgroup {
			b.receipt.Bounds[i].By = ByWatchdog
		}
	}
}

// memoryFiles are the options of a file system in memory that is private to the run: what is in it
// no process holds, so it has a bound of its own.
func (b *builder) memoryFiles(options string) uintptr {
	if n := b.profile.Limits.Memory; n != 0 {
		options += ",size=" + strconv.FormatUint(n, 10)
	}
	return b.setup.arena.text(options)
}

// processLimit returns what RLIMIT_NPROC is to be, or 0. Inside a user namespace the kernel counts
// what is in it; outside it counts all that the user runs, which is nothing to bound a run by. It
// never holds root to it.
func (b *builder) processLimit() uint64 {
	if b.level != Strong || os.Geteuid() == 0 {
		return 0
	}
	return above(b.profile.Limits.Processes, companions)
}
