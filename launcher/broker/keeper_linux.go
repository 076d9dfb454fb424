//go:build amd64 || arm64

package broker

import "golang.org/x/sys/unix"

// A keeper keeps what a call is about before the broker makes it, or returns why the call is
// refused.
type keeper interface {
	// keepsEntry is for one that goes.
	keepsEntry(c *call, dir int, in, name string) error
	// keepsMoved is for one that gets another place, where it replaces what is there or is
	// exchanged with it.
	keepsMoved(c *call, dir int, in, name string, to int, toIn, toName string, both bool) error
	// keepsContent is for a file that is opened for writing, by a handle of what is opened. Slow
	// says that there is time to copy much.
	keepsContent(c *call, at int, name string, st *unix.Statx_t, slow bool) error
}

// lax is the keeper where nothing is refused: changes are only announced.
type lax struct{}

func (lax) keepsEntry(*call, int, string, string) error { return nil }

func (lax) keepsMoved(*call, int, string, string, int, string, string, bool) error { return nil }

func (lax) keepsContent(*call, int, string, *unix.Statx_t, bool) error { return nil }
