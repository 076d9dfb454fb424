//go:build !linux && !darwin

package session

import (
	"context"
	"os"
	"syscall"
)

// A Session relays on Linux only; elsewhere none can be opened.
type Session struct{}

// Open returns ErrUnsupported.
func Open(Stdio, PTY, Tap) (*Session, error) { return nil, ErrUnsupported }

// Hold returns ErrUnsupported.
func Hold(Stdio, Tap, func([]byte)) (*Session, error) { return nil, ErrUnsupported }

// Peers returns ErrUnsupported.
func Peers() (ours, theirs *os.File, err error) { return nil, nil, ErrUnsupported }

// Attach returns ErrUnsupported.
func Attach(context.Context, Attachment) (Ended, error) { return Ended{}, ErrUnsupported }

// Stopped returns false.
func Stopped(int) bool { return false }

// ChildFiles returns no files.
func (*Session) ChildFiles() [3]*os.File { return [3]*os.File{} }

// TTY returns -1.
func (*Session) TTY() int { return -1 }

// Size returns 80 by 24.
func (*Session) Size() (cols, rows int) { return 80, 24 }

// HasTerminal returns false.
func (*Session) HasTerminal() bool { return false }

// Started does nothing.
func (*Session) Started() {}

// Hidden returns false.
func (*Session) Hidden() bool { return false }

// Modes returns nothing.
func (*Session) Modes() (LineModes, bool) { return 0, false }

// Aside calls f.
func (*Session) Aside(f func()) { f() }

// Failed returns nil, which is never ready.
func (*Session) Failed() <-chan struct{} { return nil }

// Err returns ErrUnsupported.
func (*Session) Err() error { return ErrUnsupported }

// Settle does nothing.
func (*Session) Settle(context.Context) {}

// Suspend returns ErrUnsupported.
func (*Session) Suspend(syscall.Signal) error { return ErrUnsupported }

// Ended returns ErrUnsupported.
func (*Session) Ended(context.Context) error { return ErrUnsupported }

// Restore does nothing.
func (*Session) Restore() {}

// Bytes returns nil.
func (*Session) Bytes() map[Stream]int64 { return nil }

// EndBy returns: the caller should exit with ExitStatus(sig).
func EndBy(syscall.Signal) {}

// Ask returns ErrUnsupported.
func Ask(context.Context, *os.File, func(width int, full bool) string, AskOptions) (Reply, error) {
	return Reply{}, ErrUnsupported
}

// ReadKey returns nothing.
func ReadKey(context.Context, int) (key byte, ok bool) { return 0, false }
