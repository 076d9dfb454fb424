package eval

import (
	"path"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// What a command prints reaches the next one also by other ways than descriptor 1: by a name of
// that, such as /dev/stdout, and by a copy of it:
//
//	echo rm -rf x > /dev/stdout | bash
//	{ echo rm -rf x >&3; } 3>&1 | bash
//	echo rm -rf x >&2 |& bash
//
// Which copy of which is not followed: once there has been one, what is printed to another
// descriptor makes all output unknown in which it may be.

// outputTo follows descriptor fd, "" for standard output, to what descriptor n is.
func (w *redirections) outputTo(s *state, fd, n string, was *ioState) {
	standard := fd == "" || fd == "1"
	switch {
	case standard && n != "1":
		s.capture, s.out, was.file, was.moved = false, nil, nil, true
		if w.doubled {
			w.leaks++
		}
	case !standard && n == "1":
		w.doubled = true
	}
}

// outputToName is outputTo for a name that a process has for its own descriptors. ok is false for
// another name.
func (w *redirections) outputToName(s *state, fd string, name Name, was *ioState) (ok bool) {
	if n, own := ownDescriptor(name.key()); own {
		w.outputTo(s, fd, n, was)
		return true
	}
	if w.linked || strings.HasPrefix(name.Text, "/proc/") ||
		!name.Static && strings.HasPrefix(name.Text, "/dev/") {
		w.leaks++ // it may be one
	}
	return false
}

// outputByProgram follows a program that is given the name of a descriptor to print to. One that
// is given it for another purpose, as ln is, may give it another name.
func (w *redirections) outputByProgram(right command.Right) {
	if right == command.Write {
		w.leaks++
	} else {
		w.linked = true
	}
}

// ownDescriptor returns the number of the descriptor that a name stands for in the process that
// opens it.
func ownDescriptor(name string) (n string, ok bool) {
	switch name {
	case "/dev/stdin":
		return "0", true
	case "/dev/stdout":
		return "1", true
	case "/dev/stderr":
		return "2", true
	}
	dir, n := path.Split(name)
	switch dir {
	case "/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/":
		return n, n != "" && strings.Trim(n, "0123456789") == ""
	}
	return "", false
}

// gathered is what runs have printed. leaks is their number before.
func (w *environment) gathered(ws worlds, leaks int) *stream {
	out := oneOutput(ws)
	if w.leaks == leaks {
		return out
	}
	return &stream{from: worse(out.origin(), Unknown),
		why: "something is printed by another descriptor or name, which may be the same"}
}
