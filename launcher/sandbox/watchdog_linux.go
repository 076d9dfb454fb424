//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func itoa(n int) string { return strconv.Itoa(n) }

// lookEvery is how often the watchdog looks. A bomb makes some thousand processes or a gigabyte in that time, which a machine survives;
// a look at an idle tree costs about a hundredth of it.
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
			p.bury(false)
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

// note remembers that the kernel refused more than a limit allows.
func (p *Process) note(limit Limit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reached == "" {
		p.reached = limit
	}
}

// suspicious reports whether a look at the tree could find it over a limit: a tree has no more threads and no more memory than the machine, of
// which the kernel tells at once.
func (p *Process) suspicious(l Limits) bool {
	if l.CPU > 0 && p.group.dirs["cpu"] == "" {
		return true
	}
	return l.Processes > 0 && p.group.dirs["pids"] == "" && machineThreads() > l.Processes ||
		l.Memory > 0 && p.group.dirs["memory"] == "" && machineMemory() > l.Memory
}

// machineThreads returns how many processes and threads there are; very many where that cannot be told.
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

// machineMemory returns how much memory is in use that nobody could give back, files in memory included; very much where that cannot be told.
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

// dueForFiles reports whether the descriptors of the tree are looked at now: after half a second, then less and less often, at last every four seconds, as long as few are found.
func (t *treeWatch) dueForFiles(look int) bool {
	if look < t.filesAt {
		return false
	}
	t.patience = min(max(2*t.patience, 10), 80)
	t.filesAt = look + t.patience
	return look > 1
}

// End ends the run because it ran into limit: SIGTERM to the command's group, and SIGKILL to everything when grace is over, or at once when that
// is not more than 0. It does not wait. Status.Exceeded then says limit; the first End counts.
func (p *Process) End(limit Limit, grace time.Duration) {
	p.mu.Lock()
	if p.exceeded == "" && !p.ended {
		p.exceeded = limit
	}
	p.mu.Unlock()
	if grace <= 0 {
		p.Kill()
		return
	}
	_ = p.SignalGroup(unix.SIGTERM)
	_ = p.SignalGroup(unix.SIGCONT) // a stopped process does not take the other
	timer := time.AfterFunc(grace, p.Kill)
	go func() { <-p.done; timer.Stop() }()
}

// A sample is what /proc/PID/stat says of one process, as far as it matters here.
type sample struct {
	pid, parent, session int
	threads              uint64
	ticks                uint64 // processor time, its reaped children's too, in 1/100 s
	born                 uint64
	runnable             bool // not stopped, and not at its end
	onDisk               bool // it waits in the kernel, where no signal reaches it
}

// A treeWatch remembers who belonged to the tree: who has left its parents and its session is found again by that.
type treeWatch struct {
	known   map[int]uint64
	sibling func(sample) bool // of the command; nil for none

	filesAt, patience int // when descriptors are looked at next, in looks
}

// exceeded looks at all processes of the tree and returns the limit that they are over together. At Strong the tree is what descends from
// the child, its siblings or the namespace's init, and nobody gets out of that. At Base a process whose parents ended before it was ever seen is missed.
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
	case l.Memory > 0 && p.group.dirs["memory"] == "" && overMemory(members, p.inMemory(), l.Memory):
		return LimitMemory
	case files && t.watches(members, l.Inotify, p.level == Strong):
		return LimitInotify
	}
	return ""
}

// members returns those of all that are in the tree of child and guard, without the guard and its companions: these have the launcher's memory, and run
// nothing. An orphan is a child of one of them, the namespace's init, and so belongs.
func (t *treeWatch) members(child, guard int, all []sample) []sample {
	parents := make(map[int]sample, len(all))
	for _, s := range all {
		parents[s.pid] = s
	}
	belongs := func(s sample) bool {
		for range len(all) {
			if s.pid == child || s.session == child || s.parent == guard || t.known[s.pid] == s.born && s.born != 0 || t.sibling != nil && t.sibling(s) {
				return true
			}
			next, ok := parents[s.parent]
			if !ok {
				return false
			}
			s = next
		}
		return false
	}
	known := make(map[int]uint64)
	var list []sample
	for _, s := range all {
		if s.pid != guard && (s.parent != guard || s.pid == child) && belongs(s) {
			known[s.pid] = s.born
			list = append(list, s)
		}
	}
	t.known = known
	return list
}

// samples looks at every process.
func samples() []sample {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var list []sample
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		text, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // gone
		}
		if s, ok := parseStat(text); ok {
			list = append(list, s)
		}
	}
	return list
}

// parseStat reads /proc/PID/stat. The name in it is the process's own choice and may hold anything but a NUL: what counts stands behind the last parenthesis.
func parseStat(text []byte) (s sample, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 1 || end < open {
		return s, false
	}
	f := strings.Fields(string(text[end+1:]))
	if len(f) < 20 {
		return s, false
	}
	number := func(text string) uint64 { n, _ := strconv.ParseUint(text, 10, 64); return n }
	s.pid = int(number(strings.TrimSpace(string(text[:open]))))
	s.parent, s.session = int(number(f[1])), int(number(f[3]))
	s.ticks = number(f[11]) + number(f[12]) + number(f[13]) + number(f[14])
	s.threads, s.born = number(f[17]), number(f[19])
	s.runnable, s.onDisk = !strings.Contains("TtZX", f[0]), f[0] == "D"
	return s, s.pid > 0
}

// sums adds up two lines like "RssAnon: 12 kB" of one file of each process, in bytes.
func sums(members []sample, file, own, shared string) (a, b uint64) {
	for _, s := range members {
		text, _ := os.ReadFile("/proc/" + itoa(s.pid) + "/" + file)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 2 || f[0] != own && f[0] != shared {
				continue
			}
			kib, _ := strconv.ParseUint(f[1], 10, 64)
			if f[0] == own {
				a += kib << 10
			} else {
				b += kib << 10
			}
		}
	}
	return a, b
}

// dissolve removes the run's control groups and says in s which limit it ran into. SIGKILL has been sent to all that is in them, so that only the
// end of dying is waited for; what takes longer is left to the next launcher to remove.
func (p *Process) dissolve(s *Status) {
	if p.group != nil {
		switch limit, deadly := p.group.exceeded(Limits{}); {
		case limit == "" || p.exceeded != "":
		case deadly:
			p.exceeded = limit
		default:
			p.reached = limit
		}
		for range 50 {
			if p.group.kill(); p.group.remove() {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	s.Exceeded, s.Reached = p.exceeded, p.reached
}
