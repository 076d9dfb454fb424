package seccomp

import (
	"cmp"
	"slices"
)

// A Verdict is what the kernel does with a call that a rule matches: one of Allow, Kill and Ask, or
// the error number that the call returns (see Errno).
type Verdict uint32

// The verdicts that are no error.
const (
	Allow Verdict = 0x7fff0000
	Kill  Verdict = 0x80000000 // the whole process
	Ask   Verdict = 0x7fc00000 // the listener answers (seccomp_unotify(2), Linux 5.0)
)

// Errno is the verdict by which a call fails with e.
func Errno[E ~uintptr](e E) Verdict { return 0x00050000 | Verdict(e) }

// A Test is a condition on one argument. Only the low 32 bits are tested, because for the arguments
// tested the kernel itself takes an int: a filter that compares 64 bits is passed by setting a bit
// that the kernel then drops. The exception is a number that the kernel does not take at all.
type Test struct {
	Arg   int
	Mask  uint32 // 0 means all ones
	Value uint32
	High  bool // the upper 32 bits instead
	Any   bool // true: some bit of Value is set in the argument; false: argument & Mask == Value
}

// Arg holds when an argument has a value.
func Arg(n int, value uint32) Test { return Test{Arg: n, Value: value} }

// High holds when the upper half of an argument has a value.
func High(n int, value uint32) Test { return Test{Arg: n, Value: value, High: true} }

// Bits holds when an argument has one of the bits set.
func Bits(n int, bits uint32) Test { return Test{Arg: n, Value: bits, Any: true} }

// Masked holds when an argument has a value after the other bits are cleared.
func Masked(n int, mask, value uint32) Test { return Test{Arg: n, Mask: mask, Value: value} }

// A Rule gives a verdict to one system call when all tests hold. The first rule that matches
// decides.
type Rule struct {
	Nr      uint32
	Tests   []Test
	Verdict Verdict
}

// On is a rule.
func On(nr uint32, v Verdict, tests ...Test) Rule { return Rule{nr, tests, v} }

// An Instruction is one of BPF, laid out as struct sock_filter.
type Instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// A Program is what the kernel runs at each system call.
type Program []Instruction

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

// compile returns the program for rules, which it sorts, on the architecture arch. Another
// architecture's call is killed before its number is looked at, because the numbers mean other
// calls there (int 0x80). So are numbers from tooHigh on, when it is not zero (x32). Above newest,
// unless that is zero, the kernel seems to have no such call (ENOSYS).
//
// The number is searched by halves: the kernel tries the program with every number when it is
// installed, and later runs it at every call that has a test.
func compile(arch, tooHigh, newest uint32, rules []Rule) Program {
	p := append(make(Program, 0, 4*len(rules)+16),
		Instruction{code: opLoad, k: offArch},
		Instruction{code: opJeq, k: arch, jt: 1},
		Instruction{code: opRet, k: uint32(Kill)},
		Instruction{code: opLoad, k: offNr},
	)
	if tooHigh != 0 {
		p = append(p, Instruction{code: opJge, k: tooHigh, jf: 1})
		p = append(p, Instruction{code: opRet, k: uint32(Kill)})
	}
	if newest != 0 {
		const noSuchCall = 38 // ENOSYS
		p = append(p, Instruction{code: opJge, k: newest + 1, jf: 1})
		p = append(p, Instruction{code: opRet, k: uint32(Errno(uintptr(noSuchCall)))})
	}
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(a.Nr, b.Nr) })
	p.search(rules)
	return p
}

// search appends the code that finds the rules of a call among rules, which are sorted by number.
func (p *Program) search(rules []Rule) {
	half := len(rules) / 2
	for half > 0 && rules[half-1].Nr == rules[half].Nr {
		half--
	}
	if len(rules) == 0 || rules[len(rules)-1].Nr == rules[0].Nr || len(rules) <= leaf {
		p.list(rules)
		return
	}
	if half == 0 { // the first call has more than half of them
		half = slices.IndexFunc(rules, func(r Rule) bool { return r.Nr != rules[0].Nr })
	}
	at := p.when(opJge, rules[half].Nr)
	p.search(rules[half:])
	p.here(at)
	p.search(rules[:half])
}

// leaf is how many rules are tried one after the other. To install a program takes the kernel more
// than a tenth of a microsecond for each instruction, at every start, so a program is short first:
// the rules of a leaf share what they return.
const leaf = 6

// list appends the code that tries the rules one after the other, those with tests first, as their
// code is long and a comparison jumps no more than 255 instructions.
func (p *Program) list(rules []Rule) {
	var plain []Rule
	for len(rules) > 0 {
		n := 1
		for n < len(rules) && rules[n].Nr == rules[0].Nr {
			n++
		}
		if call := rules[:n]; len(call[0].Tests) == 0 {
			plain = append(plain, call[0])
		} else {
			at := p.when(opJeq, call[0].Nr)
			for _, r := range call {
				p.rule(r)
			}
			if len(call[n-1].Tests) > 0 {
				*p = append(*p, Instruction{code: opRet, k: uint32(Allow)})
			}
			p.here(at)
		}
		rules = rules[n:]
	}
	first := len(*p)
	for _, r := range plain {
		*p = append(*p, Instruction{code: opJeq, k: r.Nr})
	}
	*p = append(*p, Instruction{code: opRet, k: uint32(Allow)})
	returns := len(*p)
	for i, r := range plain {
		at := slices.Index((*p)[returns:], Instruction{code: opRet, k: uint32(r.Verdict)})
		if at < 0 {
			at = len(*p) - returns
			*p = append(*p, Instruction{code: opRet, k: uint32(r.Verdict)})
		}
		(*p)[first+i].jt = uint8(returns + at - (first + i) - 1)
	}
}

// when begins code that runs if the comparison with k holds, and is passed over otherwise, up to
// where the caller says here.
func (p *Program) when(code uint16, k uint32) (at int) {
	*p = append(*p, Instruction{code: code, k: k})
	return len(*p) - 1
}

// here ends what when began. A comparison jumps at most 255 instructions; a longer way takes a
// separate jump.
func (p *Program) here(at int) {
	length := len(*p) - at - 1
	if length <= 255 {
		(*p)[at].jf = uint8(length)
		return
	}
	(*p)[at].jt = 1
	*p = slices.Insert(*p, at+1, Instruction{code: opJump, k: uint32(length)})
}

// rule appends the code of r. When a test fails, its code is left at the end.
func (p *Program) rule(r Rule) {
	begin := len(*p)
	for _, t := range r.Tests {
		word := uint32(offArgs + 8*t.Arg) // the low word: both architectures are little-endian
		if t.High {
			word += 4
		}
		*p = append(*p, Instruction{code: opLoad, k: word})
		if t.Mask != 0 {
			*p = append(*p, Instruction{code: opAnd, k: t.Mask})
		}
		code := uint16(opJeq)
		if t.Any {
			code = opJset
		}
		*p = append(*p, Instruction{code: code, k: t.Value})
	}
	*p = append(*p, Instruction{code: opRet, k: uint32(r.Verdict)})
	for at := begin; at < len(*p); at++ {
		if code := (*p)[at].code; code == opJeq || code == opJset {
			(*p)[at].jf = uint8(len(*p) - at - 1)
		}
	}
}
