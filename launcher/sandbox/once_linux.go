//go:build amd64 || arm64

package sandbox

import (
	"crypto/rand"
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// With Profile.OneProgram the filter refuses every execve and execveat but one: the child's own,
// which carries a number of 64 random bits in its sixth argument. The kernel takes three and five
// arguments of these calls and never looks at the sixth; a filter does. The registers are cleared
// by the exec (ELF_PLAT_INIT, start_thread), the filter cannot be read back without CAP_SYS_ADMIN,
// and nothing that runs before the exec is the program's; so the program cannot know the number,
// and to guess it takes 2^63 calls.
//
// Landlock alone does not do it: what can be read, the loader executes, and a file in memory
// (memfd_create) is no file that it has rules for.

// A once is the number that one call carries. The zero once is none: then every exec is like any
// other.
type once struct{ bits uint64 }

func newOnce() (once, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return once{}, &SetupError{"random number", err}
	}
	return once{binary.LittleEndian.Uint64(b[:]) | 1}, nil // not 0, which means none
}

// rules come before all others.
func (o once) rules() []seccomp.Rule {
	if o.bits == 0 {
		return nil
	}
	tests := o.tests()
	var list []seccomp.Rule
	for _, nr := range []uint32{unix.SYS_EXECVE, unix.SYS_EXECVEAT} {
		list = append(list, seccomp.On(nr, seccomp.Allow, tests...),
			seccomp.On(nr, seccomp.Errno(unix.EACCES)))
	}
	return list
}

// tests hold for the call that carries the number.
func (o once) tests() []seccomp.Test {
	return []seccomp.Test{seccomp.Arg(5, uint32(o.bits)), seccomp.High(5, uint32(o.bits>>32))}
}

// mark puts the number into a step.
func (o once) mark(s *step) *step {
	s.args[5] = uintptr(o.bits)
	return s
}
