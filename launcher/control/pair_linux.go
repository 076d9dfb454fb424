package control

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A Pair is the socket on which those inside a session ask, and the end of it that the
// session's program gets.
type Pair struct {
	ours   int      // the end that is read here
	theirs *os.File // the end that the program inherits
	closed sync.Once
}

// NewPair makes the pair.
func NewPair() (*Pair, error) {
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	return &Pair{ours: p[0], theirs: os.NewFile(uintptr(p[1]), "outside")}, nil
}

// HandDown gives the command its end, and says under which number.
func (p *Pair) HandDown(c *sandbox.Command) {
	c.Request = p.theirs
	c.Env = append(slices.DeleteFunc(slices.Clone(c.Env), func(kv string) bool {
		return strings.HasPrefix(kv, Variable+"=")
	}), fmt.Sprintf("%s=%d", Variable, len(c.Files)))
	c.Files = append(c.Files, p.theirs)
}

// Close closes both ends, once.
func (p *Pair) Close() {
	if p == nil {
		return
	}
	p.closed.Do(func() {
		p.theirs.Close()
		unix.Close(p.ours)
	})
}
