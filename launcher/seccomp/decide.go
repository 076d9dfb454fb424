package seccomp

import "fmt"

// A Call is what a program sees of a system call: struct seccomp_data without the instruction
// pointer.
type Call struct {
	Nr, Arch uint32
	Args     [6]uint64
}

func (c Call) word(offset uint32) uint32 {
	switch {
	case offset == offNr:
		return c.Nr
	case offset == offArch:
		return c.Arch
	case offset >= offArgs && offset < offArgs+48 && offset%4 == 0:
		return uint32(c.Args[(offset-offArgs)/8] >> (offset % 8 * 8))
	}
	panic(fmt.Sprintf("load at %d", offset))
}

// Decide runs the program as the kernel does. Tests compare what it returns with what a table says.
func (p Program) Decide(c Call) Verdict {
	var a uint32
	for pc := 0; ; pc++ {
		i := p[pc]
		jump := false
		switch i.code {
		case opLoad:
			a = c.word(i.k)
			continue
		case opAnd:
			a &= i.k
			continue
		case opRet:
			return Verdict(i.k)
		case opJump:
			pc += int(i.k)
			continue
		case opJeq:
			jump = a == i.k
		case opJge:
			jump = a >= i.k
		case opJset:
			jump = a&i.k != 0
		default:
			panic(fmt.Sprintf("instruction %d: code %#x", pc, i.code))
		}
		if jump {
			pc += int(i.jt)
		} else {
			pc += int(i.jf)
		}
	}
}
