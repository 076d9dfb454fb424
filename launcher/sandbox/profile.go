package sandbox

import (
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/broker/network"
)

// Network says what the child may reach. Its zero value is nothing.
type Network int

// The network modes.
const (
	// Off has no sockets but pairs. A test that talks to itself takes Hosts, with Reach.Localhost.
	Off Network = iota
	// Hosts is what Profile.Reach says, over TCP, on this machine's own connection. The launcher
	// answers for every socket, name and address, so it needs no proxy and nothing of the child.
	// Start refuses when the kernel lets no one answer: see ErrNoAnswers.
	Hosts
	// Full is the machine's network: TCP and UDP over IPv4 and IPv6, nothing else.
	Full
)

// String returns "off", "hosts" or "full".
func (n Network) String() string {
	switch n {
	case Hosts:
		return "hosts"
	case Full:
		return "full"
	}
	return "off"
}

// A Path is a file or directory tree that a rule is about.
type Path struct {
	// Name is its absolute name, symbolic links resolved. It finds the object when File is nil,
	// and says where the object is when a mount is made over it.
	Name string
	// File is the object itself, open in any mode, O_PATH included. A caller that has judged an
	// object passes it here, so that the object judged is the object allowed, whatever is later put
	// under its name.
	File *os.File
	// NoExec withholds the right to execute. It stops a mistake, not an attack: an interpreter
	// or the dynamic loader runs what it can read.
	NoExec bool
	// Optional makes a name that does not exist no error.
	Optional bool
}

// Temporary says what the run has of /tmp, /var/tmp and /dev/shm. Its zero value are directories
// like others, and at Strong an empty /dev/shm.
type Temporary struct {
	// PrivateTmp gives the run private, empty /tmp and /var/tmp, which end with it; trees of the
	// profile in them stay where they are. At Base they are out of reach instead, and the caller
	// points TMPDIR elsewhere.
	PrivateTmp bool
	// View has the run see the machine's own /tmp, /var/tmp and /dev/shm, in which the broker makes
	// and changes entries of the run's workspace and no others. Trees of Write in them stay what
	// they are; the directories themselves are none. With PrivateTmp it means nothing.
	View *broker.View
}

// Parties are those that are asked or told about what the child does. They are not what is allowed.
type Parties struct {
	// with Hosts: who is asked for names; nil is this machine's resolver
	Names network.Resolver
	// with Hosts: where the run asks for names, and the launcher answers; nil is what
	// /etc/resolv.conf names
	Servers []netip.AddrPort
	// Changes are announced before they are made; nil when nothing is kept. Where another program
	// answers the system calls that is lost.
	Changes *broker.Capture
}

// A Profile is what one child may touch. What it does not name is out of reach.
// The zero Profile allows nothing, not even the loader that a dynamic program needs.
type Profile struct {
	List    []Path // trees of which the names may be listed, on every level
	Read    []Path // trees that may be listed, read and executed; a tree above /dev stops there
	Write   []Path // trees that may also be changed: created in, renamed in, deleted from
	Devices []Path // character devices that may be read, written and controlled with ioctl

	// Hide names files and directories that are out of reach although a tree above them is allowed.
	// A name that does not exist is passed over. See CannotHideError for what Base cannot do where
	// another program answers the system calls.
	Hide []string
	// ReadOnly names files and directories below a Write tree that stay as they are, and whose
	// directories cannot be moved away. A name that does not exist is passed over.
	ReadOnly []string

	Temporary
	// Terminals lets the run make terminals of its own (script, ssh -tt, expect), and see no
	// others. At Base it is lost where another program answers the system calls.
	Terminals bool

	Network Network
	Reach   network.Reach // with Hosts: what may be reached
	Parties
	// only the command itself is ever executed: every other exec of the run fails with EACCES, of
	// whatever file
	OneProgram bool
	// the child may trace its own descendants (gdb, strace, leak checkers)
	Debug  bool
	Limits Limits

	Require Level // the least level that is good enough; None counts as Base
	Most    Level // the most to try for; None counts as Strong

	// Must names protections without which the command is not to run, at whatever level. The others
	// may be lost, and are then in the Receipt.
	Must []Protection
}

// A Command is what to start. Nothing of the caller's reaches the child except what is listed here.
type Command struct {
	// Path is the program, absolute or relative to Dir; PATH is not searched.
	Path string
	// Exe is the program as the caller opened and judged it; when set, it is what runs. A script
	// ("#!") is still opened by name, because the kernel hands its interpreter a name: then Path
	// must be set too.
	Exe *os.File
	// Argv is the argument list, Argv[0] included. Env is the whole environment.
	Argv, Env []string
	// Dir is the working directory as an open directory; nil is the caller's own.
	Dir *os.File
	// Files are the child's descriptors 0, 1, 2 ...; a nil one is closed, unless it is in Inherit.
	// No other descriptor is inherited.
	Files []*os.File
	// Inherit are descriptors of this process that the child gets under the same number. What they
	// lead to is not looked at.
	Inherit []int
	// TTY is which of Files becomes the controlling terminal of the child's session. It is used
	// when HasTTY is set, so that the zero Command has no terminal.
	TTY    int
	HasTTY bool
	// Scripts are files of code whose text was judged: see broker.Script. Where the kernel lets no
	// one answer, they are opened by name.
	Scripts []broker.Script
	// Request is a descriptor of this process that every process in the sandbox may ask for; see
	// broker.RequestSocket. Where the kernel lets no one answer, it is inherited only.
	Request *os.File
}

// ErrUnsupported is returned when this system cannot give the least level asked for.
var ErrUnsupported = errors.New("no sandbox on this system")

// ErrNoAnswers is wrapped by the error of Start when hosts are named and the kernel lets no one
// answer for them: below another program that answers calls, it allows no second one. The modes
// that are left are Off and Full.
var ErrNoAnswers = errors.New("connections cannot be limited to hosts here")

// ErrCannotHide is wrapped by every CannotHideError.
var ErrCannotHide = errors.New("cannot be hidden at this level")

// A CannotHideError is returned by Start when the reached level cannot take Path out of the tree
// Root: Landlock can only allow, so everything in a writable tree stays in it, and another program
// answers the system calls here, or Path is Root. A caller starts again with Require: Strong, or
// refuses.
type CannotHideError struct {
	Path, Root string
	Level      Level
}

func (e *CannotHideError) Error() string {
	return fmt.Sprintf("%q is inside the writable tree %q and %v", e.Path, e.Root, ErrCannotHide)
}

// Unwrap returns ErrCannotHide.
func (e *CannotHideError) Unwrap() error { return ErrCannotHide }

// A SetupError is returned by Start when a step of building the sandbox failed; nothing has run.
type SetupError struct {
	Step string // the step, as it would be written in a manual page: "mount proc"
	Err  error  // the kernel's answer, a syscall.Errno
}

func (e *SetupError) Error() string { return fmt.Sprintf("sandbox: %s: %v", e.Step, e.Err) }

// Unwrap returns the kernel's answer.
func (e *SetupError) Unwrap() error { return e.Err }

// An ExecError is returned by Start when the sandbox stood and the program could not be executed.
type ExecError struct {
	Path string
	Err  error // a syscall.Errno
}

func (e *ExecError) Error() string { return fmt.Sprintf("execute %q: %v", e.Path, e.Err) }

// Unwrap returns the kernel's answer.
func (e *ExecError) Unwrap() error { return e.Err }

// ExitStatus returns what a shell exits with: 127 when the program was not found, 126 when it was
// found and is not executable.
func (e *ExecError) ExitStatus() int {
	if errors.Is(e.Err, os.ErrNotExist) {
		return 127
	}
	return 126
}
