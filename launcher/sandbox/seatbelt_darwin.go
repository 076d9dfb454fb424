package sandbox

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// sandboxExec is Apple's program that enters Seatbelt and becomes another one. Nothing else is
// tried: without it, nothing runs.
const sandboxExec = "/usr/bin/sandbox-exec"

// A Process is a started command.
type Process = beltProcess

// rssUnit is how many bytes a unit of ru_maxrss is.
const rssUnit = 1

// Held is a command that waits to be let go, in a sandbox that is known and not entered yet.
type Held struct {
	start   beltStart
	receipt Receipt
}

// Begin finds out what Seatbelt is to be told of a command. Nothing of it runs.
func Begin(p Profile, c Command) (*Held, error) {
	h := &Held{receipt: Receipt{Level: Base, Kernel: kernel(), Profile: p.Digest()}}
	program, err := programName(c)
	if err != nil {
		return nil, err
	}
	named, err := p.onDisk()
	if err != nil {
		return nil, err
	}
	if c.HasTTY { // its modes are read and set through it
		terminal, err := kernelName(c.Files[c.TTY])
		if err != nil {
			return nil, err
		}
		named.Devices = append(named.Devices, Path{Name: terminal})
	}
	text, lost, err := seatbelt(named, program)
	if err != nil {
		return nil, err
	}
	h.receipt.Lost = lost
	dir := ""
	if c.Dir != nil {
		if dir, err = kernelName(c.Dir); err != nil {
			return nil, err
		}
	}
	if c.Path, err = calledName(c, program); err != nil {
		return nil, err
	}
	h.start, err = enterBelt(sandboxExec, text, dir, c)
	return h, err
}

// calledName is the name by which the program is executed: the one that it is called by, which
// tells some programs what to do, if that leads to it.
func calledName(c Command, program string) (string, error) {
	called, err := os.Stat(c.Path)
	judged, badly := os.Stat(program)
	if badly != nil {
		return "", &ExecError{Path: program, Err: badly}
	}
	if err := unix.Access(program, unix.X_OK); err != nil {
		return "", &ExecError{Path: program, Err: err}
	}
	if err != nil || !os.SameFile(called, judged) {
		return program, nil
	}
	return c.Path, nil
}

// Go lets the command run.
func (h *Held) Go() (*Process, Receipt, error) {
	process, err := h.start.start()
	return process, h.receipt, err
}

// Cancel does nothing: nothing was started.
func (*Held) Cancel() {}

// Start is Begin and Go.
func Start(p Profile, c Command) (*Process, Receipt, error) {
	held, err := Begin(p, c)
	if err != nil {
		return nil, Receipt{Level: Base, Kernel: kernel(), Profile: p.Digest()}, err
	}
	return held.Go()
}

// A Prepared is namespaces that were made ahead; there are none on this system.
type Prepared struct{}

// Prepare returns nil.
func Prepare(Network) *Prepared { return nil }

// Begin is the function.
func (*Prepared) Begin(p Profile, c Command) (*Held, error) { return Begin(p, c) }

// Release does nothing.
func (*Prepared) Release() {}

// Remembered returns Base where the program is that enters the sandbox.
func Remembered(string) Level {
	if _, err := os.Stat(sandboxExec); errors.Is(err, os.ErrNotExist) {
		return None
	}
	return Base
}

// sessionOf returns the processes of a session, its leader among them while it is there.
func sessionOf(leader int) (pids []int) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil
	}
	for _, k := range list {
		pid := int(k.Proc.P_pid)
		if session, err := unix.Getsid(pid); err == nil && session == leader && pid > 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}
