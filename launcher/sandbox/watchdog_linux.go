//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// lookEvery is how often the watchdog looks. A bomb makes some thousand processes or a gigabyte in
// that time, which a machine survives; a look at an idle tree costs about a hundredth of it.
const lookEvery = 50 * time.Millisecond

// watch holds the run to the limits that no kernel holds it to. It ends with the run.
func (p *Process) watch(l Limits) {
	if l.Wall > 0 {
		timer := time.AfterFunc(l.Wall, func() { p.End(LimitWall, l.grace()) })
		go func() { <-p.done; timer.Stop() }()
	}
	if l.Memory|l.Processes|l.CPU|l.Inotify == 0 {
		return
	}
	go func() {
		t := treeWatch{sibling: p.sibling}
		pause := time.NewTimer(lookEvery)
		defer pause.Stop()
		for look := 1; ; look++ {
			select {
			case <-p.done:
				return
			case <-pause.C:
			}
			began := time.Now()
			p.reapOrphans(false)
			limit, deadly := p.group.exceeded(l)
			files := l.Inotify > 0 && t.dueForFiles(look)
			if !deadly && (files || p.suspicious(l)) {
				limit = t.exceeded(p, l, files)
				deadly = limit != ""
			}
			switch {
			case deadly && limit == LimitInotify && p.level == Strong: // the kernel refuses more
				p.note(limit)
			case deadly && limit == LimitCPU:
				p.End(limit, l.grace())
				return
			case deadly:
				p.End(limit, 0)
				return
			}
			// On a machine with very many processes a look takes long: then less often.
			pause.Reset(min(max(lookEvery, 10*time.Since(began)), 10*lookEvery))
		}
	}()
}

// suspicious reports whether a look at the tree could find it over a limit: a tree has no more
// threads and no more memory than the machine, of which the kernel tells at once.
func (p *Process) suspicious(l Limits) bool {
	if l.CPU > 0 && p.group.dirs["cpu"] == "" {
		return true
	}
	return l.Processes > 0 && p.group.dirs["pids"] == "" && machineThreads() > l.Processes ||
		l.Memory > 0 && p.group.dirs["memory"] == "" && machineMemory() > l.Memory
}

// machineThreads returns how many processes and threads there are; very many where that cannot be
// told.
func machineThreads() uint64 {
	text, _ := os.ReadFile("/proc/loadavg")
	_, rest, _ := bytes.Cut(text, []byte("/"))
	number, _, _ := bytes.Cut(rest, []byte(" "))
	n, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil {
		return 1 << 63
	}
	return n
}

// machineMemory returns how much memory is in use that could not be given back, files in memory
// included; very much where that cannot be told.
func machineMemory() uint64 {
	text, _ := os.ReadFile("/proc/meminfo")
	var total, available uint64
	for line := range bytes.Lines(text[:min(len(text), 200)]) {
		if f := strings.Fields(string(line)); len(f) > 1 {
			kib, _ := strconv.ParseUint(f[1], 10, 64)
			switch f[0] {
			case "MemTotal:":
				total = kib << 10
			case "MemAvailable:":
				available = kib << 10
			}
		}
	}
	if available == 0 || available > total {
		return 1 << 63
	}
	return total - available
}

// dueForFiles reports whether the descriptors of the tree are looked at now: after half a second,
// then less and less often, at last every four seconds, as long as few are found.
func (t *treeWatch) dueForFiles(look int) bool {
	if look < t.filesAt {
		return false
	}
	t.patience = min(max(2*t.patience, 10), 80)
	t.filesAt = look + t.patience
	return look > 1
}

// exceeded looks at all processes of the tree and returns the limit that they are over together. At
// Strong the tree is what descends from the child, its siblings or the namespace's init, and no
// process leaves that. At Base a process whose parents ended before it was ever seen is missed.
func (t *treeWatch) exceeded(p *Process, l Limits, files bool) Limit {
	members := t.members(p.pid, p.guard, samples())
	var threads, ticks uint64
	for _, s := range members {
		threads += s.threads
		ticks += s.ticks
	}
	const hz = 100 // USER_HZ, the same on every architecture here
	switch {
	case l.Processes > 0 && threads > l.Processes && p.group.dirs["pids"] == "":
		return LimitProcesses
	case l.CPU > 0 && ticks/hz >= l.CPU && p.group.dirs["cpu"] == "":
		return LimitCPU
	case l.Memory > 0 && p.group.dirs["memory"] == "" &&
		overMemory(members, p.inMemory(), l.Memory):
		return LimitMemory
	case files && t.watches(members, l.Inotify, p.level == Strong):
		return LimitInotify
	}
	return ""
}
