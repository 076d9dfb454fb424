//go:build amd64 || arm64

package sandbox

import (
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// An attempt is what is to be built. Where it cannot be had, another one with less follows.
type attempt struct {
	profile  Profile
	command  Command
	landlock landlock
	level    Level
	prepared *Prepared // at Strong
	silent   bool      // answer no calls: there is another listener above us
	trial    bool      // exit instead of executing

	failure    error // why Strong, tried before, is not to be had
	unanswered error // why the network that was asked for is not to be had
}

// again starts the attempt again at a level. The calls to be answered stay the same.
func (a attempt) again(level Level) *builder {
	a.level = level
	return &builder{attempt: a}
}

// A builder turns an attempt into the processes that build the sandbox. All its descriptors are
// closed when it is done.
type builder struct {
	attempt
	hidden []string // resolved names
	kept   []string // resolved names of what is read-only in a writable tree
	once   once     // of the exec, with Profile.OneProgram

	mediation
	domains
	numbers
	setup   setup
	group   *group // control groups of the run, or nil
	closing []int

	receipt Receipt
	process *Process // since the fork
}

// A mediation is how the broker comes to its listener.
type mediation struct {
	grants *broker.Profile // see mediated
	// asking is the socket that the listener comes through: the launcher's end and the child's;
	// then numbers that the child uses for what it sends.
	asking []int
	// unviewed: the shared directories were to be a view, and no one can answer for them
	unviewed bool
	giving   once // of the message by which the child hands the listener over, with Hosts
	starting once // of its own exec, where the broker is asked about every other one
}

// The domains are the rulesets of Landlock.
type domains struct {
	files *ruleset // the child's
	scope *ruleset // the supervisor's, which only keeps signals in
}

// The numbers by which the processes know something.
type numbers struct {
	exe  int // the descriptor of the program's file in the child; -1 when it goes by name
	exec int // the first step in the child's steps that executes the program
	// at Strong with terminals: the supervisor's descriptor of the other side of the name of the
	// command's own
	master int
}

// own takes charge of a descriptor. It is moved out of the range that the child's own descriptors
// take.
func (b *builder) own(fd int) (int, error) {
	if least := len(b.command.Files); fd < least {
		moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, least)
		unix.Close(fd)
		if err != nil {
			return -1, err
		}
		fd = moved
	}
	b.closing = append(b.closing, fd)
	return fd, nil
}

func (b *builder) keep(fd int) {
	for i, c := range b.closing {
		if c == fd {
			b.closing = append(b.closing[:i], b.closing[i+1:]...)
			return
		}
	}
}

func (b *builder) release(fd int) {
	b.keep(fd)
	unix.Close(fd)
}

func (b *builder) close() {
	b.prepared.Release()
	if b.grants != nil && b.grants.Guard != nil && (b.process == nil || b.process.broker == nil) {
		b.grants.Guard.Spares.Close()
	}
	if b.setup.memory != nil {
		unix.Munmap(b.setup.memory)
	}
	for _, fd := range b.closing {
		unix.Close(fd)
	}
	runtime.KeepAlive(b.command)
	runtime.KeepAlive(b.profile)
}

func (b *builder) scopesSignals() bool {
	return b.landlock.handled().scoped&unix.LANDLOCK_SCOPE_SIGNAL != 0
}
