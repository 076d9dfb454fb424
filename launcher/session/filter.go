package session

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// filterTable is what passes from a command to a person's terminal. What no row names does not
// pass: new sequences keep coming, and one that writes the clipboard or makes the terminal type
// must not be the first. Verdicts:
//
//	pass    always
//	ui      while the command has the alternate screen or reads keys one by one: what the terminal
//	        then types is for the command, and what comes late is thrown away before the shell can
//	        read it. The answers are of fixed forms, with no text of the command's choosing
//	drop    never; rows that drop are there for the reason
//
// In a sequence, N matches any parameters; a third field is what resets it when the run ends with
// it on.
//
//go:embed filter.txt
var filterTable string

// A passage is a row of filterTable.
type passage struct {
	ui      bool
	restore string
}

// passages is what filterTable says. It is read when a command writes its first sequence, not at
// every start.
var passages = sync.OnceValues(readFilter)

// readFilter returns the rows, and of the CSI without prefix those final bytes that always pass and
// leave nothing to take back.
func readFilter() (rows map[string]passage, simple [128]bool) {
	rows = map[string]passage{}
	for line := range strings.Lines(filterTable) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), "   # ")
		at := max(strings.Index(line, " pass"), strings.Index(line, " ui"))
		if at < 0 {
			continue
		}
		name, rest := line[:at], strings.Fields(line[at:])
		kind, what, _ := strings.Cut(strings.TrimRight(name, " "), " ")
		p := passage{ui: rest[0] == "ui", restore: takesBack(strings.Join(rest[1:], " "))}
		prefix := strings.TrimRight(what,
			"@ABCDEFGHIJKLMNOPQRSTUVWXYZ`abcdefghijklmnopqrstuvwxyz{|}~")
		if kind != "CSI" || what == prefix {
			rows[kind+" "+what] = p
			continue
		}
		for _, final := range what[len(prefix):] {
			rows["CSI "+prefix+string(final)] = p
		}
	}
	for c := range simple {
		p, ok := rows["CSI "+string(rune(c))]
		simple[c] = ok && p == passage{}
	}
	return rows, simple
}

// takesBack spells a restoring sequence.
func takesBack(text string) string {
	r := strings.NewReplacer("ESC", "\x1b", "CSI ", "\x1b[", "^O", "\x0f", " ESC8", "\x1b8", "CSI",
		"\x1b[")
	if rest, ok := strings.CutPrefix(text, "OSC "); ok {
		return "\x1b]" + rest + "\x1b\\"
	}
	return strings.ReplaceAll(r.Replace(text), "\x1b7 ", "\x1b7")
}

// The bounds of what is kept of an unfinished sequence. Real ones are far below.
const (
	maxControl = 256
	maxText    = 4 << 10
)

// A Filter is between a command and a person's terminal. It removes sequences that write the
// clipboard, make the terminal type, or name it, and those that only full-screen programs need; the
// transcript has everything. Sequences may be cut anywhere between two calls.
type Filter struct {
	// Keys reports whether the command reads keys one by one; nil is never.
	Keys func() bool

	state filterState
	last  byte // of a string
	// of an unfinished sequence, its beginning included; of a string that is dropped, nothing
	seq     []byte
	part    []byte // of an unfinished character
	out     []byte
	on      map[string]string // what the run has switched on, by what takes it back
	full    bool              // the alternate screen
	queries int               // that have passed
}

type filterState uint8

const (
	inText filterState = iota
	inEscape
	inCSI
	inOSC
	inString    // dropped up to its end
	inOSCEsc    // ESC in an OSC
	inStringEsc // ESC in a string that is dropped
)

// Pass returns what of p may reach the terminal. It may be p itself, and is good until the next
// call.
func (f *Filter) Pass(p []byte) []byte {
	if f.state == inText && len(f.part) == 0 && plain(p) == len(p) {
		return p
	}
	f.out = f.out[:0]
	for len(p) > 0 {
		if f.state == inText && len(f.part) == 0 {
			n := plain(p)
			f.out = append(f.out, p[:n]...)
			if p = p[n:]; len(p) == 0 {
				break
			}
			if p[0] >= utf8.RuneSelf {
				p = p[f.character(p):]
				continue
			}
			if n := simple(p); n > 0 {
				f.out = append(f.out, p[:n]...)
				p = p[n:]
				continue
			}
		} else if f.state == inText {
			p = p[f.character(p):]
			continue
		}
		f.step(p[0])
		p = p[1:]
	}
	return f.out
}

// simple returns the length of the sequence at the beginning of p when it is one of those that
// always pass and need nothing, as colours are.
func simple(p []byte) int {
	if len(p) < 3 || p[0] != 0x1b || p[1] != '[' {
		return 0
	}
	for i := 2; i < min(len(p), maxControl); i++ {
		if c := p[i]; c >= utf8.RuneSelf {
			return 0 // some terminals obey it
		} else if c < '0' || c > ';' {
			if _, simple := passages(); simple[c] {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// plain returns how many bytes at the beginning of p are text that nothing has to be known of:
// ASCII without ESC, ENQ and shifts.
func plain(p []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(p); i += 8 {
		x := binary.LittleEndian.Uint64(p[i:])
		esc, enq, shift := x^0x1b*ones, x^0x05*ones, x^0x0e*ones
		if (x|(esc-ones)&^esc|(enq-ones)&^enq|(shift-ones)&^shift)&highs != 0 {
			break
		}
	}
	for ; i < len(p); i++ {
		if c := p[i]; c >= utf8.RuneSelf || c == 0x1b || c == 0x05 || c == 0x0e {
			break
		}
	}
	return i
}

// character takes one character that is not ASCII, and returns how many bytes of p it took.
// Controls of 8 bits, whether UTF-8 spells them or a byte does that is no UTF-8, become the sign
// for what cannot be shown: some terminals obey them.
func (f *Filter) character(p []byte) int {
	kept := len(f.part)
	whole := append(f.part, p[:min(len(p), utf8.UTFMax-kept)]...)
	if !utf8.FullRune(whole) {
		f.part = whole
		return len(whole) - kept
	}
	r, size := utf8.DecodeRune(whole)
	f.part = f.part[:0]
	if r != utf8.RuneError && (r < 0x80 || r > 0x9f) || size > 1 && r == utf8.RuneError {
		f.out = append(f.out, whole[:size]...)
		return max(size-kept, 0)
	}
	f.out = append(f.out, "\ufffd"...)
	if size < kept { // the bytes kept after it may begin a character
		f.part = append(f.part, whole[size:kept]...)
		return 0
	}
	return max(size-kept, 0)
}

// step takes one byte.
func (f *Filter) step(c byte) {
	switch {
	case c == 0x18 || c == 0x1a: // CAN, SUB: ends everything
		f.state, f.seq = inText, f.seq[:0]
		f.out = append(f.out, c)
	case f.state == inText:
		switch c {
		case 0x1b:
			f.begin()
		case 0x05: // ENQ: the answerback
		case 0x0e:
			f.switchOn("\x0f")
			f.out = append(f.out, c)
		default:
			f.out = append(f.out, c)
		}
	case f.state == inOSC || f.state == inString:
		before := f.last
		f.last = c
		switch {
		case before == 0xc2 && c == 0x9c: // ST of 8 bits, which nothing that passes has in it
			f.state, f.seq = inText, f.seq[:0]
		case c == 0x07 && f.state == inOSC:
			f.endOSC()
		case c == 0x07:
			// only an OSC ends with it; a terminal that thinks otherwise shows the rest as text, we
			// never do
		case c == 0x1b:
			f.state += inOSCEsc - inOSC
		case f.state == inOSC:
			if f.seq = append(f.seq, c); len(f.seq) > maxText || c < ' ' || c == 0x7f {
				f.state, f.seq = inString, f.seq[:0]
			}
		}
	case f.state == inOSCEsc || f.state == inStringEsc:
		if c == '\\' {
			if f.state == inOSCEsc {
				f.endOSC()
			}
			f.state = inText
			return
		}
		f.begin() // another sequence ends the string, unheard
		f.step(c)
	case c == 0x1b:
		f.begin()
	case c < ' ': // obeyed at once, in the midst of a sequence
		if c != 0x05 {
			f.out = append(f.out, c)
		}
	case c >= 0x7f:
		if c > 0x7f {
			f.state, f.seq = inText, f.seq[:0]
		}
	default:
		f.sequence(c)
	}
}

func (f *Filter) begin() { f.state, f.seq, f.last = inEscape, append(f.seq[:0], 0x1b), 0 }

// sequence takes one more byte of a sequence.
func (f *Filter) sequence(c byte) {
	f.seq = append(f.seq, c)
	switch {
	case len(f.seq) > maxControl:
		f.state = inText
	case f.state == inEscape && len(f.seq) == 2 && c == '[':
		f.state = inCSI
	case f.state == inEscape && len(f.seq) == 2 && c == ']':
		f.state = inOSC
	case f.state == inEscape && len(f.seq) == 2 && strings.IndexByte("PX^_", c) >= 0:
		f.state = inString
	case f.state == inEscape && c >= '0':
		f.state = inText
		f.let("ESC " + strings.ReplaceAll(string(f.seq[1:2]), " ", "SP"))
	case f.state == inCSI && c >= '@':
		f.state = inText
		f.endCSI()
	}
}

// let passes the sequence as it is when name has a row for it.
func (f *Filter) let(name string) bool {
	rows, _ := passages()
	p, ok := rows[name]
	if !ok || p.ui && !f.inUse() {
		return false
	}
	f.out = append(f.out, f.seq...)
	if p.restore != "" {
		f.switchOn(p.restore)
	} else if p.ui {
		f.queries++
	}
	return true
}

// inUse reports whether the command uses the terminal as a full-screen program does.
func (f *Filter) inUse() bool { return f.full || f.Keys != nil && f.Keys() }

func (f *Filter) switchOn(restore string) {
	if f.on == nil {
		f.on = map[string]string{}
	}
	f.on[restore] = restore
}

func (f *Filter) endCSI() {
	body := string(f.seq[2 : len(f.seq)-1])
	final := string(f.seq[len(f.seq)-1:])
	prefix := body[:len(body)-len(strings.TrimLeft(body, "<=>?"))]
	digits := body[len(prefix):]
	params := strings.TrimRight(digits, " !\"#$%&'()*+,-./")
	between := digits[len(params):]
	if strings.Trim(params, "0123456789:;") != "" {
		return
	}
	switch {
	case between == "" && (final == "h" || final == "l") && (prefix == "" || prefix == "?"):
		f.modes(prefix, strings.Split(params, ";"), final)
	case final == "t" && prefix+between == "":
		f.let("CSI t" + params)
	default:
		f.let("CSI " + prefix + between + final)
	}
}

// modes passes those of several modes that may.
func (f *Filter) modes(prefix string, list []string, final string) {
	var kept []string
	for _, mode := range list {
		n, err := strconv.Atoi(mode)
		if err != nil {
			continue
		}
		mode = strconv.Itoa(n)
		rows, _ := passages()
		p, ok := rows["MODE "+prefix+mode]
		if !ok || p.ui && final == "h" && !f.inUse() {
			continue
		}
		kept = append(kept, mode)
		if back := "\x1b[" + prefix + mode + p.restore; p.restore == "" {
		} else if p.restore == final {
			delete(f.on, back)
		} else {
			f.switchOn(back)
		}
		if prefix == "?" && (n == 47 || n == 1047 || n == 1049) {
			f.full = final == "h"
		}
	}
	if len(kept) > 0 {
		f.out = append(append(f.out, "\x1b["+prefix...), strings.Join(kept, ";")+final...)
	}
}

// endOSC passes a whole OSC, ended as it should be.
func (f *Filter) endOSC() {
	f.state = inText
	text := f.seq[2:]
	number, rest, _ := bytes.Cut(text, []byte(";"))
	name := "OSC " + string(number)
	if sub, _, ok := bytes.Cut(rest, []byte(";")); ok && string(number) == "9" {
		name += ";" + string(sub)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || r >= 0x80 && r <= 0x9f {
			return
		}
		i += size
	}
	f.seq = append(f.seq, 0x1b, '\\')
	f.let(name)
}

// End returns what gives the terminal back as it was, as far as the command has used it. An
// unfinished sequence is dropped, an unfinished character becomes the sign for what cannot be
// shown.
func (f *Filter) End() []byte {
	var back []string
	for restore := range f.on {
		back = append(back, restore)
	}
	slices.Sort(back)
	if len(f.part) > 0 {
		back = slices.Insert(back, 0, "\ufffd")
	}
	f.state, f.seq, f.part, f.full = inText, nil, nil, false
	f.on = nil
	return []byte(strings.Join(back, ""))
}

// Asked reports whether the terminal was asked for something, the answer to which may still come.
func (f *Filter) Asked() bool { return f.queries > 0 }
