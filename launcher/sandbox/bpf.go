//go:build linux && (amd64 || arm64)

package sandbox

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
// a filter that compares 64 bits is passed by setting a bit that the kernel then drops.
type test struct {
	arg   int
	mask  uint32 // 0 stands for all ones
	value uint32
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

// The few operations needed: load a word of struct seccomp_data, mask it, compare, return.
const (
	opLoad = 0x20 // BPF_LD | BPF_W | BPF_ABS
	opAnd  = 0x54 // BPF_ALU | BPF_AND | BPF_K
	opJeq  = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	opJge  = 0x35 // BPF_JMP | BPF_JGE | BPF_K
	opJset = 0x45 // BPF_JMP | BPF_JSET | BPF_K
	opRet  = 0x06 // BPF_RET | BPF_K

	offNr   = 0
	offArch = 4
	offArgs = 16
)

// compile returns the program for rules on the architecture arch. Another architecture's call is killed before its number is looked at,
// because the numbers mean other calls there (int 0x80). So are numbers from tooHigh on, when it is not zero (x32).
func compile(arch, tooHigh uint32, rules []rule) []insn {
	p := append(make([]insn, 0, 4*len(rules)+16),
		insn{code: opLoad, k: offArch},
		insn{code: opJeq, k: arch, jt: 1},
		insn{code: opRet, k: uint32(killProcess)},
		insn{code: opLoad, k: offNr},
	)
	if tooHigh != 0 {
		p = append(p, insn{code: opJge, k: tooHigh, jf: 1}, insn{code: opRet, k: uint32(killProcess)})
	}
	for _, r := range rules {
		at := len(p)
		p = r.compile(append(p, insn{code: opJeq, k: r.nr}))
		p[at].jf = uint8(len(p) - at - 1)
	}
	return append(p, insn{code: opRet, k: uint32(allow)})
}

// compile appends to p the code of r behind the comparison of the number. When a test fails it falls out of its own
// end with the number loaded again, ready for the next rule.
func (r rule) compile(p []insn) []insn {
	if len(r.tests) == 0 {
		return append(p, insn{code: opRet, k: uint32(r.verdict)})
	}
	begin := len(p)
	for _, t := range r.tests {
		p = append(p, insn{code: opLoad, k: uint32(offArgs + 8*t.arg)}) // the low word: both architectures are little-endian
		if t.mask != 0 {
			p = append(p, insn{code: opAnd, k: t.mask})
		}
		code := uint16(opJeq)
		if t.any {
			code = opJset
		}
		p = append(p, insn{code: code, k: t.value})
	}
	p = append(p, insn{code: opRet, k: uint32(r.verdict)})
	for at := begin; at < len(p); at++ {
		if p[at].code == opJeq || p[at].code == opJset { // a failing test jumps to the reload at the end
			p[at].jf = uint8(len(p) - at - 1)
		}
	}
	return append(p, insn{code: opLoad, k: offNr})
}
