//go:build amd64 || arm64

package sandbox

import (
	"slices"
	"time"
)

// lingerTime is how long what a command leaves behind may take to end by itself: a shell does not
// wait for cmd > >(tee log), and the last of its output comes a moment after it. lingerLook is how
// often it is looked for. What runs has up to lingerBusy: on a busy machine a process that is about
// to end waits for a processor for seconds.
const (
	lingerTime = 300 * time.Millisecond
	lingerBusy = 3 * time.Second
	lingerLook = 2 * time.Millisecond
)

// linger waits a moment for what the command has left behind, and returns the names of what is
// there even then. While something of it runs, the moment may last until busy.
func (p *Process) linger(most, busy time.Duration) (names []string) {
	for begin := time.Now(); ; {
		if p.ending() {
			return nil // it is not left behind, it was to end
		}
		pids := p.remains()
		took := time.Since(begin)
		if len(pids) == 0 || took > most && (took > busy || !anyRuns(pids)) {
			return commandNames(pids)
		}
		select {
		case <-p.done:
		case <-time.After(lingerLook):
		}
	}
}

// maxRunning is how many processes are asked whether they run.
const maxRunning = 64

// anyRuns reports whether one of these processes or of their descendants runs, or would if it had a
// processor.
func anyRuns(pids []int) bool {
	for n := 0; n < len(pids) && n < maxRunning; n++ {
		if _, state := commandName(pids[n]); state == 'R' || state == 'D' {
			return true
		}
		pids = append(pids, childrenOf(pids[n], pids[n])...)
	}
	return false
}

func commandNames(pids []int) (names []string) {
	for _, pid := range pids {
		if name, state := commandName(pid); state != 0 {
			names = append(names, name)
		}
	}
	return names
}

// left returns the live processes whose parents have ended: at Strong the init of the run has them,
// at Base this process, where it adopts them.
func (p *Process) left() (pids []int) {
	isDead := func(pid int) bool {
		_, state := commandName(pid)
		return state == 0
	}
	if p.level == Strong {
		return slices.DeleteFunc(append(childrenOf(p.initPid, p.initPid), p.siblings()...), isDead)
	}
	return slices.DeleteFunc(p.offspring(), func(pid int) bool {
		return pid == p.pid || pid == p.guard || p.another(pid) || isDead(pid) || !sandboxed(pid)
	})
}

// sureLooks is how many looks in a row must find nothing: one that comes while a process forks and
// its parent ends can miss both (proc_pid_task_children(5)).
const sureLooks = 5

// remains is left, and where what is left goes on, surely: a look that misses it would end it.
func (p *Process) remains() (pids []int) {
	for look := 1; ; look++ {
		if p.broker.Over() {
			return nil
		}
		if pids = p.left(); len(pids) > 0 || !p.stays || look == sureLooks {
			return pids
		}
		time.Sleep(lingerLook)
	}
}
