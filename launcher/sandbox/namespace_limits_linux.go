//go:build amd64 || arm64

package sandbox

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// Some numbers the kernel keeps for each namespace, and the child of Strong may set those of its
// own: exact, for root too, and free. What a kernel does not have, or a container does not let us
// set, the watchdog holds alone.

// ceilings are these numbers. The one of processes is above the limit, so that the watchdog, which
// ends the run and tells why, sees more than the limit; the kernel has it for each pid namespace
// since Linux 6.14, and takes none below 301. The others refuse at the limit itself.
var ceilings = []struct {
	limit Limit
	file  string
	value func(Limits) uint64
}{
	{LimitProcesses, "/proc/sys/kernel/pid_max",
		func(l Limits) uint64 { return above(l.Processes, reservedPids+companions) }},
	{LimitInotify, "/proc/sys/user/max_inotify_instances",
		func(l Limits) uint64 { return l.Inotify }},
	{LimitWatches, "/proc/sys/user/max_inotify_watches",
		func(l Limits) uint64 { return l.Watches }},
}

const (
	reservedPids = 300 // RESERVED_PIDS of the kernel: numbers below are given once only
	// what is in the namespaces besides the command: the init, the anchor, the supervisor
	companions = 3
)

// above leaves room between what the watchdog ends a run for and what the kernel refuses.
func above(limit, more uint64) uint64 {
	if limit == 0 {
		return 0
	}
	return min(limit+limit/8+more, 1<<22)
}

// ceilingAt is the register that says how the first of the ceilings was taken.
const ceilingAt = registerCount - 7

// lower sets the ceilings, in a /proc that can still be written.
func (b *builder) lower(l *steps) {
	a := &b.setup.arena
	for i, c := range ceilings {
		if v := c.value(b.profile.Limits); v != 0 {
			text := strconv.FormatUint(v, 10)
			l.add("open "+c.file, unix.SYS_OPENAT, atCwd, a.text(c.file),
				unix.O_WRONLY|unix.O_CLOEXEC).kept(registerCount - 1).anyway()
			l.add("write "+c.file, unix.SYS_WRITE, 0, a.text(text),
				uintptr(len(text))).with(registerCount-1, 0).kept(uint8(ceilingAt + i)).anyway()
			l.add("close "+c.file, unix.SYS_CLOSE, 0).with(registerCount-1, 0).anyway()
		}
	}
}

// lowered writes into the receipt which ceilings the kernel took: the child has left the answers in
// the memory that it shared.
func (b *builder) lowered() {
	if b.level != Strong {
		return
	}
	for i, c := range ceilings {
		v := c.value(b.profile.Limits)
		if v == 0 || b.setup.registers[ceilingAt+i] != uintptr(len(strconv.FormatUint(v, 10))) {
			continue
		}
		held := false
		for j := range b.receipt.Bounds {
			if at := &b.receipt.Bounds[j]; at.Limit == c.limit {
				held = true
				if at.By == ByWatchdog {
					at.By = ByNamespace
				}
			}
		}
		if !held {
			b.receipt.Bounds = append(b.receipt.Bounds, Bound{c.limit, v, ByNamespace, true})
		}
	}
}
