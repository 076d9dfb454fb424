//go:build amd64 || arm64

package sandbox

import "time"

// lingerTime is how long what a command leaves behind may take to end by itself: a shell does not
// wait for cmd > >(tee log), and the last of its output comes a moment after it. lingerLook is how
// often it is looked for.
const (
	lingerTime = 300 * time.Millisecond
	lingerLook = 2 * time.Millisecond
)

// linger waits a moment for what the command has left behind, and returns the names of what is
// there even then.
func (p *Process) linger(most time.Duration) (names []string) {
	for until := time.Now().Add(most); ; {
		if p.ending() {
			return nil // it is not left behind, it was to end
		}
		if names = p.remains(); len(names) == 0 || time.Now().After(until) {
			return names
		}
		select {
		case <-p.done:
		case <-time.After(lingerLook):
		}
	}
}

// left returns the names of the live processes whose parents have ended: at Strong the init of the
// run has them, at Base this process, where it adopts them.
func (p *Process) left() (names []string) {
	if p.level == Strong {
		for _, pid := range append(childrenOf(p.initPid, itoa(p.initPid)), p.siblings()...) {
			if name, alive := commandName(pid); alive {
				names = append(names, name)
			}
		}
		return names
	}
	for _, pid := range p.offspring() {
		if name, alive := commandName(pid); alive && pid != p.pid && pid != p.guard &&
			!p.another(pid) && sandboxed(pid) {
			names = append(names, name)
		}
	}
	return names
}

// sureLooks is how many looks in a row must find nothing: one that comes while a process forks and
// its parent ends can miss both (proc_pid_task_children(5)).
const sureLooks = 5

// remains is left, and where what is left goes on, surely: a look that misses it would end it.
func (p *Process) remains() (names []string) {
	for look := 1; ; look++ {
		if p.broker.Over() {
			return nil
		}
		if names = p.left(); len(names) > 0 || !p.stays || look == sureLooks {
			return names
		}
		time.Sleep(lingerLook)
	}
}
