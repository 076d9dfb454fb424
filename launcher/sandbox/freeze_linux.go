//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// freezeRounds bounds how often Freeze looks for processes that were made while it stopped others.
// A stopped parent makes none, so a few are enough for all but a bomb.
const freezeRounds = 8

// Freeze stops everything that the command has started, and the command itself. A parent stops
// before its children are asked to, so that no shell notices that its job stopped and takes the
// terminal back; Thaw goes the other way.
func (p *Process) Freeze() {
	p.mu.Lock()
	p.frozen = true
	p.mu.Unlock()
	p.freeze()
}

// Thaw lets everything go on that Freeze stopped, and also what stopped by itself; not while Hold
// is in force.
func (p *Process) Thaw() {
	p.mu.Lock()
	p.frozen = false
	held := p.held
	p.mu.Unlock()
	if !held {
		p.thaw()
	}
}

// Hold is Freeze until Release, whoever else lets the command go on meanwhile. It may be called
// again, for what was made or continued since. It reports false if something may still run: where
// too many processes are made, or at Base those that have left the tree are not this process's.
func (p *Process) Hold() bool {
	p.mu.Lock()
	p.held = true
	p.mu.Unlock()
	return p.freeze() && (p.level == Strong || adopts())
}

// Release ends Hold. What Freeze has stopped stays so.
func (p *Process) Release() {
	p.mu.Lock()
	p.held = false
	frozen := p.frozen
	p.mu.Unlock()
	if !frozen {
		p.thaw()
	}
}

// freeze reports whether there was an end of what had to be stopped.
func (p *Process) freeze() bool {
	t := treeWatch{sibling: p.sibling}
	stopped := map[int]uint64{}
	for range freezeRounds {
		fresh := false
		for _, s := range byAge(t.members(p.pid, p.guard, samples())) {
			if stopped[s.pid] != s.born {
				stopped[s.pid], fresh = s.born, true
				signalOne(s, unix.SIGSTOP)
				awaitStop(s)
			}
		}
		if !fresh {
			return true
		}
	}
	return false
}

func (p *Process) thaw() {
	t := treeWatch{sibling: p.sibling}
	list := byAge(t.members(p.pid, p.guard, samples()))
	for i := len(list) - 1; i >= 0; i-- {
		signalOne(list[i], unix.SIGCONT)
	}
}

// How often Freeze looks whether one process has stopped. A stop comes when a processor gets to it,
// which beside many others takes a while; to a process that waits for a dead disk it never comes,
// so there it waits for some 20 ms only.
const (
	stopLooks = 20_000
	diskLooks = 200
)

// awaitStop returns when the process has stopped, or when it takes too long. The signal only
// requests a stop; a shell that waits for a job wakes up for it, and on a busy machine still looks
// at the job before it stops.
func awaitStop(s sample) {
	onDisk := 0
	for range stopLooks {
		text, err := os.ReadFile(proc.Dir(s.pid) + "stat")
		now, ok := parseStat(text)
		if err != nil || !ok || now.born != s.born || !now.runnable {
			return
		}
		if now.onDisk {
			onDisk++
		}
		if onDisk > diskLooks {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// byAge sorts the older before the younger: a parent is older than its children.
func byAge(list []sample) []sample {
	slices.SortStableFunc(list, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.born, b.born), cmp.Compare(a.pid, b.pid))
	})
	return list
}

// signalOne signals the process that was seen, and not one that has its number by now.
func signalOne(s sample, sig unix.Signal) {
	fd, err := unix.PidfdOpen(s.pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	text, err := os.ReadFile(proc.Dir(s.pid) + "stat")
	if err != nil {
		return
	}
	if now, ok := parseStat(text); ok && now.born == s.born {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}
