package caller

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
)

// maxAncestorsSeen bounds the line of ancestors, which is rarely longer than ten.
const maxAncestorsSeen = 64

// pseudoTerminal is how the name of a terminal with another end begins.
const pseudoTerminal = "ttys"

// Own examines this process, again for each answer, because a process can move after it has
// started. Seatbelt leaves no mark on a process: one in the sandbox is kept from the state
// directory instead. Which processes hold the other end of a terminal cannot be seen, so the
// program that opened it stands for them.
func Own() approval.Caller {
	c := inOrOut("self")
	c.Line = lineOf(os.Getpid())
	if len(c.Line) == 0 {
		c.Peer.Known = false
		return c
	}
	for _, entry := range os.Environ() {
		if mark := approval.AgentMark(entry); mark != "" {
			c.Line[0].Marks = []string{mark}
		}
	}
	own, err := unix.SysctlKinfoProc("kern.proc.pid", os.Getpid())
	device := c.Line[0].Device
	if err != nil || device == "" {
		return c
	}
	c.Peer.Terminal = own.Eproc.Pgid == own.Eproc.Tpgid
	c.Terminal = approval.Terminal{Device: device, Keys: c.Peer.Terminal,
		Pseudo: strings.HasPrefix(device, pseudoTerminal)}
	for i, p := range c.Line {
		if c.Terminal.Pseudo && p.Device != device {
			c.Terminal.Outer = &approval.Holder{Line: c.Line[i:]}
			break
		}
	}
	return c
}

// inOrOut knows only whose process it is.
func inOrOut(string) approval.Caller {
	return approval.Caller{Peer: approval.PeerFacts{Known: true, UID: os.Getuid()},
		Rules: approval.PeerRules{UID: os.Getuid()}}
}

// lineOf returns a process and its ancestors.
func lineOf(pid int) (line []approval.Process) {
	for pid > 0 && len(line) < maxAncestorsSeen {
		k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			break
		}
		line = append(line, processOf(k))
		pid = int(k.Eproc.Ppid)
	}
	return line
}

// processOf is what the kernel tells of a process. Program and environment of another user's
// process cannot be read, and are left out.
func processOf(k *unix.KinfoProc) approval.Process {
	p := approval.Process{PID: int(k.Proc.P_pid),
		Name: unix.ByteSliceToString(k.Proc.P_comm[:]), Device: terminalName(k.Eproc.Tdev)}
	text, err := unix.SysctlRaw("kern.procargs2", p.PID)
	if err != nil {
		return p
	}
	if s, ok := readStart(text); ok {
		p.File, p.Args = s.file, s.args[:min(len(s.args), maxArgs)]
		for _, entry := range s.env {
			if mark := approval.AgentMark(entry); mark != "" {
				p.Marks = append(p.Marks, mark)
			}
		}
	}
	return p
}

// maxArgs is how many arguments are looked at.
const maxArgs = 8

// terminalName is the name of a terminal by its number; "" for none.
func terminalName(device int32) string {
	if device == -1 || device == 0 { // NODEV
		return ""
	}
	name := fmt.Sprintf(pseudoTerminal+"%03d", unix.Minor(uint64(uint32(device))))
	var st unix.Stat_t
	if unix.Stat("/dev/"+name, &st) == nil && st.Rdev == device {
		return name
	}
	return fmt.Sprintf("tty%d:%d", unix.Major(uint64(uint32(device))),
		unix.Minor(uint64(uint32(device))))
}

// ancestorOf is what the kernel tells of a process.
func ancestorOf(pid int) (a ancestor, ok bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return a, false
	}
	at := k.Proc.P_starttime
	return ancestor{name: unix.ByteSliceToString(k.Proc.P_comm[:]),
		started: fmt.Sprintf("%d.%06d", at.Sec, at.Usec), parent: int(k.Eproc.Ppid),
		uid: int(k.Eproc.Ucred.Uid)}, true
}

// sameProgram reports whether a process runs the program of this one.
func sameProgram(pid int) bool {
	text, err := unix.SysctlRaw("kern.procargs2", pid)
	own, badly := os.Executable()
	if err != nil || badly != nil {
		return false
	}
	s, ok := readStart(text)
	its, err := os.Stat(s.file)
	is, badly := os.Stat(own)
	return ok && err == nil && badly == nil && os.SameFile(its, is)
}
