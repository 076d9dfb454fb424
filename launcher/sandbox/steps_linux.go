//go:build amd64 || arm64

package sandbox

import (
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A step is one system call that a forked process makes before it executes its program. Everything
// it needs was prepared before the fork, because after it there is no Go runtime: no allocation, no
// stack growth, no locks.
type step struct {
	nr   uintptr
	args [6]uintptr

	// The outcome that lets the next step begin. By default: no error.
	expect outcome
	// with results: the only good result; with fails: the only good errno; with tolerates: an errno
	// that is as good as none
	value uintptr

	// when not 0: the call is made once for each bit that is set, with the number of the bit added
	// to args[into]
	each uint64

	keep uint8 // 1..len(registers): where the result is kept
	from uint8 // 1..len(registers): the register that replaces args[into]
	into uint8

	what string // for the SetupError
}

type outcome uint8

const (
	succeeds  outcome = iota // any result but an error
	tolerates                // an error is as good when it is value
	results                  // value is the only good result
	fails                    // the call must be refused with value: a proof
	ignores                  // whatever
)

// Steps are what one forked process does, in order.
type steps []step

// add appends a step and returns it to be refined; the pointer is good until the next add.
func (l *steps) add(what string, nr uintptr, args ...uintptr) *step {
	s := step{nr: nr, what: what}
	copy(s.args[:], args)
	*l = append(*l, s)
	return &(*l)[len(*l)-1]
}

// or accepts errno as well as success.
func (s *step) or(e syscall.Errno) *step { s.expect, s.value = tolerates, uintptr(e); return s }

// must demands one result.
func (s *step) must(result uintptr) *step { s.expect, s.value = results, result; return s }

// refused demands that the kernel refuses with e.
func (s *step) refused(e syscall.Errno) *step { s.expect, s.value = fails, uintptr(e); return s }

// anyway goes on whatever happens.
func (s *step) anyway() *step { s.expect = ignores; return s }

// forEach makes the call once for each bit of set, with its number added to argument into.
func (s *step) forEach(set uint64, into uint8) *step { s.each, s.into = set, into; return s }

// kept stores the result in a register.
func (s *step) kept(register uint8) *step { s.keep = register; return s }

// with takes argument into from a register.
func (s *step) with(register, into uint8) *step { s.from, s.into = register, into; return s }

const registerCount = 195

// text returns the address of s as the kernel wants strings. A plan keeps what is allocated here
// reachable through arena, because an integer does not.
func (a *arena) text(s string) uintptr {
	b := make([]byte, len(s)+1)
	copy(b, s)
	a.held = append(a.held, unsafe.Pointer(&b[0]))
	return uintptr(unsafe.Pointer(&b[0]))
}

// An arena keeps memory alive and in place that only integers point to. Go moves stacks and nothing
// else, so what is allocated on the heap stays where it is for as long as it is held.
type arena struct{ held []unsafe.Pointer }

// hold keeps what p points to and returns its address.
func hold[T any](a *arena, p *T) uintptr {
	a.held = append(a.held, unsafe.Pointer(p))
	return uintptr(unsafe.Pointer(p))
}

// pointers returns the address of a NULL-terminated array of strings, for execve.
func (a *arena) pointers(list []string) (uintptr, error) {
	p, err := syscall.SlicePtrFromStrings(list)
	if err != nil {
		return 0, err
	}
	return hold(a, &p[0]), nil
}

// atCwd is AT_FDCWD as an argument.
const atCwd = ^uintptr(99)

// sameObject is a step number that is no system call: it compares what args[0] (a *unix.Stat_t that
// an earlier step filled) says of the object with args[1] (what it must be).
const sameObject = ^uintptr(0)

// perform makes the steps in order. It returns the number of steps on success, and
// otherwise the one that failed and its errno.
//
//go:nosplit
//go:norace
func (l steps) perform(registers *[registerCount]uintptr) (int, uintptr) {
	for i := range l {
		s := &l[i]
		args := s.args
		if s.from != 0 {
			args[s.into%6] = registers[s.from%registerCount]
		}
		var r uintptr
		var e syscall.Errno
		if s.each != 0 {
			for bit := uintptr(0); bit < 64 && e == 0; bit++ {
				if s.each>>bit&1 != 0 {
					args[s.into%6] = s.args[s.into%6] + bit
					_, _, e = syscall.RawSyscall6(s.nr, args[0], args[1], args[2], args[3],
						args[4], args[5])
				}
				if s.expect == ignores {
					e = 0
				}
			}
		} else if s.nr == sameObject {
			a, b := (*unix.Stat_t)(*(*unsafe.Pointer)(unsafe.Pointer(&args[0]))),
				(*unix.Stat_t)(*(*unsafe.Pointer)(unsafe.Pointer(&args[1])))
			if a.Dev != b.Dev || a.Ino != b.Ino {
				e = unix.ESTALE
			}
		} else {
			r, _, e = syscall.RawSyscall6(s.nr, args[0], args[1], args[2], args[3], args[4],
				args[5])
		}
		registers[s.keep%registerCount] = r
		switch s.expect {
		case succeeds:
			if e != 0 {
				return i, uintptr(e)
			}
		case tolerates:
			if e != 0 && uintptr(e) != s.value {
				return i, uintptr(e)
			}
		case results:
			if e != 0 || r != s.value {
				return i, uintptr(e)
			}
		case fails:
			if uintptr(e) != s.value {
				return i, uintptr(e)
			}
		}
	}
	return len(l), 0
}

// closeBut closes every descriptor but those in keep.
func (l *steps) closeBut(keep ...int) {
	slices.Sort(keep)
	first := 0
	for _, fd := range keep {
		if first < fd {
			l.add("close files", unix.SYS_CLOSE_RANGE, uintptr(first), uintptr(fd-1))
		}
		first = max(first, fd+1)
	}
	l.add("close files", unix.SYS_CLOSE_RANGE, uintptr(first), ^uintptr(0)>>32)
}
