//go:build linux || darwin

package session

// A process is what job control needs to know of one.
type process struct {
	pid, parent, group, session int
	terminal                    uint32
	stopped                     bool
}
