//go:build linux && (amd64 || arm64)

package sandbox

import (
	"cmp"
	"slices"
)

// A filter is written as a list of rules and compiled to the classic BPF that seccomp takes. Nothing here knows what is
// forbidden or why; that is the table in rules_linux.go.

// A verdict is what the kernel does with a call that a rule matches: allow, killProcess, or the errno that the call returns.
type verdict uint32

const (
	allow       verdict = 0x7fff0000
	killProcess verdict = 0x80000000
)

func errno[E ~uintptr](e E) verdict { return 0x00050000 | verdict(e) }

// A test is a condition on one argument. Only the low 32 bits are looked at, because for the arguments tested the kernel itself takes an int:
// a filter that compares 64 bits is passed by setting a bit that the kernel then drops. The exception is a number that the kernel does not take at all.
type test struct {
	arg   int
	mask  uint32 // 0 stands for all ones
	value uint32
	high  bool // the upper 32 bits instead
	any   bool // true: some bit of value is set in the argument; false: argument & mask == value
}

// A rule gives a verdict to one system call when all tests hold. The first rule that matches decides.
type rule struct {
	nr      uint32
	tests   []test
	verdict verdict
}

// An insn is one BPF instruction, laid out as struct sock_filter.
type insn struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// The few operations needed: load a word of struct seccomp_data, mask it, compare, jump, return.
const (
	opLoad = 0x20 // BPF_LD | BPF_W | BPF_ABS
	opAnd  = 0x54 // BPF_ALU | BPF_AND | BPF_K
	opJeq  = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	opJge  = 0x35 // BPF_JMP | BPF_JGE | BPF_K
	opJset = 0x45 // BPF_JMP | BPF_JSET | BPF_K
	opJump = 0x05 // BPF_JMP | BPF_JA
	opRet  = 0x06 // BPF_RET | BPF_K

	offNr   = 0
	offArch = 4
	offArgs = 16
)

// compile returns the program for rules, which it sorts, on the architecture arch. Another architecture's call is killed before its number is looked at,
// because the numbers mean other calls there (int 0x80). So are numbers from tooHigh on, when it is not zero (x32).
//
// The number is searched by halves: the kernel tries the program with every number there is when it is installed, and later runs it at every call that has a test.
func compile(arch, tooHigh uint32, rules []rule) []insn {
	p := append(make(program, 0, 4*len(rules)+16),
		insn{code: opLoad, k: offArch},
		insn{code: opJeq, k: arch, jt: 1},
		insn{code: opRet, k: uint32(killProcess)},
		insn{code: opLoad, k: offNr},
	)
	if tooHigh != 0 {
		p = append(p, insn{code: opJge, k: tooHigh, jf: 1}, insn{code: opRet, k: uint32(killProcess)})
	}
	slices.SortStableFunc(rules, func(a, b rule) int { return cmp.Compare(a.nr, b.nr) })
	p.search(rules)
	return p
}

// A program is one being written.
type program []insn

// search appends the code that finds the rules of a call among rules, which are sorted by number.
func (p *program) search(rules []rule) {
	half := len(rules) / 2
	for half > 0 && rules[half-1].nr == rules[half].nr {
		half--
	}
	if len(rules) == 0 || rules[len(rules)-1].nr == rules[0].nr || len(rules) <= leaf {
		p.list(rules)
		return
	}
	if half == 0 { // the first call has more than half of them
		half = slices.IndexFunc(rules, func(r rule) bool { return r.nr != rules[0].nr })
	}
	at := p.when(opJge, rules[half].nr)
	p.search(rules[half:])
	p.here(at)
	p.search(rules[:half])
}

// leaf is how many rules are tried one after the other. To install a program takes the kernel more than a tenth of a microsecond for each
// instruction, at every start, so a program is short first: the rules of a leaf share what they return.
const leaf = 6

// list appends the code that tries the rules one after the other, those with tests first, as their code is long and a comparison jumps no more than 255 instructions.
func (p *program) list(rules []rule) {
	var plain []rule
	for len(rules) > 0 {
		n := 1
		for n < len(rules) && rules[n].nr == rules[0].nr {
			n++
		}
		if call := rules[:n]; len(call[0].tests) == 0 {
			plain = append(plain, call[0])
		} else {
			at := p.when(opJeq, call[0].nr)
			for _, r := range call {
				p.rule(r)
			}
			if len(call[n-1].tests) > 0 {
				*p = append(*p, insn{code: opRet, k: uint32(allow)})
			}
			p.here(at)
		}
		rules = rules[n:]
	}
	first := len(*p)
	for _, r := range plain {
		*p = append(*p, insn{code: opJeq, k: r.nr})
	}
	*p = append(*p, insn{code: opRet, k: uint32(allow)})
	returns := len(*p)
	for i, r := range plain {
		at := slices.Index((*p)[returns:], insn{code: opRet, k: uint32(r.verdict)})
		if at < 0 {
			at = len(*p) - returns
			*p = append(*p, insn{code: opRet, k: uint32(r.verdict)})
		}
		(*p)[first+i].jt = uint8(returns + at - (first + i) - 1)
	}
}

// when begins code that runs if the comparison with k holds, and is passed over otherwise, up to where the caller says here.
func (p *program) when(code uint16, k uint32) (at int) {
	*p = append(*p, insn{code: code, k: k})
	return len(*p) - 1
}

// here ends what when began. A comparison itself jumps no more than 255 instructions; farther takes a jump of its own.
func (p *program) here(at int) {
	length := len(*p) - at - 1
	if length <= 255 {
		(*p)[at].jf = uint8(length)
		return
	}
	(*p)[at].jt = 1
	*p = slices.Insert(*p, at+1, insn{code: opJump, k: uint32(length)})
}

// rule appends the code of r. When a test fails it falls out of its own end.
func (p *program) rule(r rule) {
	begin := len(*p)
	for _, t := range r.tests {
		word := uint32(offArgs + 8*t.arg) // the low word: both architectures are little-endian
		if t.high {
			word += 4
		}
		*p = append(*p, insn{code: opLoad, k: word})
		if t.mask != 0 {
			*p = append(*p, insn{code: opAnd, k: t.mask})
		}
		code := uint16(opJeq)
		if t.any {
			code = opJset
		}
		*p = append(*p, insn{code: code, k: t.value})
	}
	*p = append(*p, insn{code: opRet, k: uint32(r.verdict)})
	for at := begin; at < len(*p); at++ {
		if code := (*p)[at].code; code == opJeq || code == opJset {
			(*p)[at].jf = uint8(len(*p) - at - 1)
		}
	}
}
