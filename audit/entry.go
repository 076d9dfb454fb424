package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
)

// MaxLine is the longest line that Append writes, newline included. Linux passes no single argument
// above 128 KiB (MAX_ARG_STRLEN in execve(2)) and JSON spells a byte with at most six, so every
// possible command line fits.
const MaxLine = 1 << 20

// genesis is hashed to the prev of the first entry.
const genesis = "autopoiesis:audit:genesis"

// timeLayout is UTC with a fixed number of digits, so that text order is time order.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// A stamp is a time as the log spells it; the zero stamp is before all others.
type stamp [len(timeLayout)]byte

func stampOf(t time.Time) stamp {
	var buf [40]byte // AppendFormat needs room for nanoseconds on its way
	return stamp(t.UTC().AppendFormat(buf[:0], timeLayout))
}

func (s stamp) String() string { return string(s[:]) }

func (s stamp) before(t stamp) bool { return bytes.Compare(s[:], t[:]) < 0 }

func (s stamp) time() time.Time {
	t, err := time.Parse(timeLayout, s.String())
	if err != nil {
		return time.Time{}
	}
	return t
}

// A Hash is the SHA-256 of one line without its newline.
type Hash [sha256.Size]byte

// Genesis returns the prev of the first entry.
func Genesis() Hash { return sha256.Sum256([]byte(genesis)) }

// String returns 64 lower-case hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// An Entry is one line of the log.
type Entry struct {
	Seq  int64     // 0 for the first
	Time time.Time // UTC, microseconds
	Kind string
	Body []byte // canonical JSON object
	Prev Hash
	Hash Hash // of this line: the prev of the next entry

	Line   int64 // line number in the file, from 1; 0 from Append
	Offset int64 // of the line's first byte
}

// appendLine writes the one spelling of an entry, without newline.
func appendLine(dst []byte, kind string, body []byte, prev Hash, seq int64, at stamp) []byte {
	dst = append(dst, `{"body":`...)
	dst = append(dst, body...)
	dst = append(dst, `,"kind":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","prev":"`...)
	dst = hex.AppendEncode(dst, prev[:])
	dst = append(dst, `","seq":`...)
	dst = strconv.AppendInt(dst, seq, 10)
	dst = append(dst, `,"time":"`...)
	dst = append(dst, at[:]...)
	return append(dst, `"}`...)
}

// fields are slices of one line.
type fields struct {
	body, kind, prev, time []byte
	seq                    int64
}

// splitLine splits a line into its five members. Because keys are sorted, the body comes first, and
// it is the only part without a fixed shape. So reading from the end needs no parser, and nothing
// inside a body can be mistaken for a member. splitLine checks neither the body nor the digits of
// prev.
func splitLine(line []byte) (f fields, ok bool) {
	rest, ok := bytes.CutSuffix(line, []byte(`"}`))
	if !ok {
		return f, false
	}
	if rest, f.time, ok = cutTail(rest, `,"time":"`, len(timeLayout)); !ok || !validTime(f.time) {
		return f, false
	}
	n := len(rest)
	for n > 0 && rest[n-1]-'0' <= 9 {
		n--
	}
	var digits []byte
	if rest, digits, ok = cutTail(rest, `","seq":`, len(rest)-n); !ok {
		return f, false
	}
	if f.seq, ok = parseSeq(digits); !ok {
		return f, false
	}
	if rest, f.prev, ok = cutTail(rest, `","prev":"`, 2*sha256.Size); !ok {
		return f, false
	}
	for n = len(rest); n > 0 && kindByte(rest[n-1]); n-- {
	}
	if rest, f.kind, ok = cutTail(rest, `,"kind":"`, len(rest)-n); !ok || !validKind(f.kind) {
		return f, false
	}
	f.body, ok = bytes.CutPrefix(rest, []byte(`{"body":`))
	return f, ok
}

// cutTail removes the last n bytes of b and the label before them.
func cutTail(b []byte, label string, n int) (before, tail []byte, ok bool) {
	if n < 0 || len(b) < n+len(label) {
		return nil, nil, false
	}
	at := len(b) - n
	if string(b[at-len(label):at]) != label {
		return nil, nil, false
	}
	return b[:at-len(label)], b[at:], true
}

func parseSeq(d []byte) (int64, bool) {
	if len(d) == 0 || len(d) > 18 || d[0] == '0' && len(d) > 1 {
		return 0, false
	}
	var n int64
	for _, c := range d {
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func isHex(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'f')
	})
}

func kindByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
}

func validKind(k []byte) bool {
	if len(k) == 0 || len(k) > 32 {
		return false
	}
	return !slices.ContainsFunc(k, func(c byte) bool { return !kindByte(c) })
}

// validTime checks the shape and the ranges. It accepts the 31st of a shorter month: only a forger
// writes one, and the order of times still holds.
func validTime(t []byte) bool {
	const shape = "0000-00-00T00:00:00.000000Z"
	if len(t) != len(shape) {
		return false
	}
	for i := range t {
		if shape[i] == '0' {
			if t[i]-'0' > 9 {
				return false
			}
		} else if t[i] != shape[i] {
			return false
		}
	}
	two := func(i int) byte { return (t[i]-'0')*10 + t[i+1] - '0' }
	return two(5)-1 < 12 && two(8)-1 < 31 && two(11) < 24 && two(14) < 60 && two(17) < 60
}

func parseHash(b []byte) (h Hash, ok bool) {
	if len(b) != 2*sha256.Size || !isHex(b) {
		return h, false
	}
	_, err := hex.Decode(h[:], b)
	return h, err == nil
}

// entry builds an Entry that owns its bytes.
func (f fields) entry(hash Hash, offset, line int64) Entry {
	prev, _ := parseHash(f.prev)
	return Entry{
		Seq: f.seq, Time: stamp(f.time).time(), Kind: string(f.kind), Body: bytes.Clone(f.body),
		Prev: prev, Hash: hash, Offset: offset, Line: line,
	}
}

var errNoObject = errors.New("not an object")

// checkObject accepts the one spelling of an object. With a second spelling of the same value, two
// parsers could read one hashed line differently.
func checkObject(b []byte) error {
	if len(b) == 0 || b[0] != '{' {
		return errNoObject
	}
	return canonical.Check(b)
}
