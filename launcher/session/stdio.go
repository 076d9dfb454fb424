package session

import (
	"errors"
	"fmt"
	"os"
)

// Stdio is the caller's standard input, output and error. A nil file is a closed descriptor,
// and stays closed for the child.
//
// A Go program never sees its own descriptors 0, 1 and 2 closed: the runtime opens /dev/null
// for reading and writing in their place before main (runtime/fds_unix.go), and subprocess
// libraries open it in the same way for "no input". Such a descriptor is passed on as
// /dev/null; only a caller that knows better can pass nil.
type Stdio struct{ In, Out, Err *os.File }

func (s Stdio) files() [3]*os.File { return [3]*os.File{s.In, s.Out, s.Err} }

// PTY says when the child gets a terminal.
type PTY int

const (
	Auto PTY = iota // a descriptor that is a terminal for the caller is one for the child
	// output and error are a terminal whatever the caller has; input that is no terminal stays what
	// it is
	Always
	Never // no terminal at all: terminals become pipes
)

// String returns the mode as the flag --pty spells it.
func (m PTY) String() string {
	switch m {
	case Always:
		return "always"
	case Never:
		return "never"
	default:
		return "auto"
	}
}

// Stream names where bytes of the child come from.
type Stream int

const (
	Screen Stream = iota // the private terminal: output, error and echo in the order of the screen
	// descriptor 1 through a pipe; descriptor 2 too when both are one open file
	Stdout
	Stderr // descriptor 2 through a separate pipe
)

// String returns "screen", "stdout" or "stderr".
func (s Stream) String() string {
	switch s {
	case Screen:
		return "screen"
	case Stdout:
		return "stdout"
	default:
		return "stderr"
	}
}

// Person is the author of keys typed at the caller's own terminal.
const Person = "person"

// A Tap is where every byte goes before it is passed on. The session calls it from one
// goroutine at a time and keeps no reference to p after the call; the tap must copy what it
// keeps. The first error stops all relays, for good: what cannot be recorded is not shown.
type Tap interface {
	Output(stream Stream, p []byte) error // before the caller can see p
	Input(author string, p []byte) error  // before the child can read p
	Resize(cols, rows int) error          // before the child can learn the size
}

// Enough is what [Tap.Output] returns when it took no more than that many bytes of p: they are
// shown, and the rest is dropped. It is not a failure; the relay continues to read, so that the
// child is not delayed.
type Enough int

func (n Enough) Error() string { return fmt.Sprintf("%d bytes are enough", int(n)) }

var (
	// ErrUnsupported is returned by everything here on systems other than Linux and macOS.
	ErrUnsupported = errors.New("terminals are relayed on Linux and macOS only")
	// ErrCut is returned by Ended when its context ended before the output did: something
	// still held the child's output open, or the caller did not read.
	ErrCut = errors.New("output was cut off before its end")
)
