//go:build amd64 || arm64

package broker

import (
	"iter"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// customers lists everything that answers calls, and why the kernel cannot decide these alone. Each
// has its own table of the calls that it answers and how. No two answer the same call.
var customers = []struct {
	name, why string
	calls     iter.Seq[uint32] // their numbers
	rules     func(p *Profile, answered bool) []seccomp.Rule
	open      func(p *Profile, r *run) customer // nil when the profile has nothing for it
}{
	{
		"sockets", "the address is behind a pointer, and a host has a name",
		socketNumbers, socketRules, openSockets,
	},
	{
		"requests", "a descriptor of the launcher's is handed out",
		requestNumbers, requestRules, openRequests,
	},
	{
		"scheduling", "the number may be of another process of the user",
		schedulingNumbers, schedulingRules, openScheduling,
	},
	{
		"metadata", "Landlock has no right for it, and the path is behind a pointer",
		metadataNumbers, metadataRules, openMetadata,
	},
	{
		"starts", "whose a host is depends on the program that a process executes",
		startNumbers, startRules, openStarts,
	},
	{
		"files", "no right of Landlock's is for own entries, and the path is behind a pointer",
		fileNumbers, fileRules, openFiles,
	},
	{
		"watches", "Landlock has no right for them, and the path is behind a pointer",
		watchNumbers, watchRules, openWatches,
	},
	{
		"objects", "System V objects have numbers and keys that all programs share",
		objectNumbers, objectRules, openObjects,
	},
}

// maxCall is above all numbers of system calls.
const maxCall = 512

// Mediated reports whether the profile has calls answered one by one.
func (p *Profile) Mediated() bool {
	return p.Shared && len(p.Write) > 0 || p.Guard != nil || p.View != nil ||
		p.Terminals || p.Network != nil || p.Request != nil || p.Changes != nil
}

// Rules are what the filter of the run says of the calls that the broker answers, and of those that
// are refused when it cannot (answered is false). They come after rules that refuse some arguments
// of the same calls, and before those that refuse a call whatever its arguments are.
func (p *Profile) Rules(answered bool) (list []seccomp.Rule) {
	for _, c := range customers {
		list = append(list, c.rules(p, answered)...)
	}
	return list
}

// A Broker answers the system calls of one run.
type Broker struct {
	listener  seccomp.Listener
	customers [maxCall]customer // by the number of the call
	opened    []customer
	trees     *trees
	files     *files         // nil without a view, a guard and terminals
	log       *connectionLog // nil without a network

	end struct { // of the listener
		sync.Mutex
		over, closed bool
	}
}

// Open takes what a run has handed over. Lookups of names in a network of the run's own are
// answered from now on, calls from Serve on. Member reports whether a process is of the run.
func Open(p *Profile, h Handed, member func(pid int) bool) *Broker {
	b := &Broker{listener: seccomp.Listener(h.Listener), trees: openTrees(p)}
	if p.Network != nil {
		b.log = newConnectionLog()
	}
	_ = b.listener.SyncWakeUp() // an older kernel: answers only take longer
	b.files = newFiles(p, b.trees, member)
	r := &run{trees: b.trees, files: b.files, member: member, log: b.log, lookups: h.Lookups,
		first: h.First}
	r.changes = newCapture(p, b.files)
	r.starts = newStarts(p, b.trees, h.First)
	for _, c := range customers {
		opened := c.open(p, r)
		if opened == nil {
			continue
		}
		b.opened = append(b.opened, opened)
		for nr := range c.calls {
			b.customers[nr] = opened
		}
	}
	return b
}

// Close ends what is under way. Serve does so by itself.
func (b *Broker) Close() {
	for _, c := range b.opened {
		c.close() // before the number of the listener is another's
	}
	b.end.Lock()
	defer b.end.Unlock()
	b.end.over, b.end.closed = hungUp(b.listener), true
	unix.Close(int(b.listener))
	b.trees.close()
}

// Over reports whether no process of the run is left. The kernel knows at once, and misses none:
// a process keeps the filter of the run, and hands it down, until it ends.
func (b *Broker) Over() bool {
	if b == nil {
		return false
	}
	b.end.Lock()
	defer b.end.Unlock()
	return b.end.over || !b.end.closed && hungUp(b.listener)
}

func hungUp(l seccomp.Listener) bool {
	poll := []unix.PollFd{{Fd: int32(l)}}
	n, err := unix.Poll(poll, 0)
	return n > 0 && err == nil && poll[0].Revents&unix.POLLHUP != 0
}

// Serve answers calls until there is no process left that could make one.
func (b *Broker) Serve() {
	defer b.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	asCaller(b.serve) // without: each call fails with ENOSYS once the listener is closed
}

func (b *Broker) serve() {
	for {
		if !seccomp.ReceiveEnds() && !b.comes() {
			return
		}
		c := &call{listener: b.listener}
		if c.listener.Receive(&c.Notification) != nil {
			if hungUp(b.listener) {
				return
			}
			continue // the caller was killed in between
		}
		b.answer(c)
	}
}

// comes waits for a call, and reports whether there is one or may be: not when the last process has
// ended.
func (b *Broker) comes() bool {
	poll := []unix.PollFd{{Fd: int32(b.listener), Events: unix.POLLIN}}
	_, err := unix.Poll(poll, -1)
	return err == unix.EINTR || err == nil && poll[0].Revents&unix.POLLIN != 0
}

// answer gives a call to its customer. A call that has none is refused: the filter asked about more
// than is answered.
func (b *Broker) answer(c *call) {
	if nr := c.Nr; nr >= 0 && nr < maxCall && b.customers[nr] != nil {
		b.customers[nr].answer(c)
		return
	}
	c.reply(unix.ENOSYS)
}

// Traffic returns what the run did with the network, once it has ended, and what it was refused in
// shared directories. It waits a moment for the kernel's last reports, and for the end of what the
// run had in these directories for itself.
func (b *Broker) Traffic() Traffic {
	var t Traffic
	if b == nil {
		return t
	}
	if b.log != nil {
		t = b.log.close()
	}
	if b.files != nil {
		b.files.awaitEnd()
		t.Denied, t.MoreDenied = b.files.told.all()
	}
	return t
}

// Settle returns when what the launcher made in the trees for the run is gone. It waits only a
// moment, and not at all while the run goes on.
func (b *Broker) Settle() {
	if b.Over() && b.files != nil {
		b.files.awaitEnd()
	}
}

// Changed returns a channel on which something arrives when Since has more than before; nil, which
// never has anything, without a network.
func (b *Broker) Changed() <-chan struct{} {
	if b == nil || b.log == nil {
		return nil
	}
	return b.log.changed
}

// Since returns what the run has done with the network so far, after its first n connections. Only
// Traffic has the amounts.
func (b *Broker) Since(n int) []Connection {
	if b == nil || b.log == nil {
		return nil
	}
	return b.log.since(n)
}
