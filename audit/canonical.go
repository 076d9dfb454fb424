package audit

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the recursion over hostile input; the deepest body in use
// nests five levels.
const maxDepth = 64

var (
	errSyntax = errors.New("not canonical JSON")
	errOrder  = errors.New("object keys are not sorted and unique")
	errDepth  = errors.New("nested too deep")
)

// checkObject accepts exactly the objects that Python's
//
//	json.dumps(v, sort_keys=True, separators=(',', ':'), ensure_ascii=True)
//
// writes for values without floats, and nothing else. A second spelling of
// the same value would let two parsers read one hashed line differently.
func checkObject(b []byte) error {
	c := checker{b: b}
	if len(b) == 0 || b[0] != '{' {
		return errSyntax
	}
	if err := c.value(0); err != nil {
		return err
	}
	if c.i != len(b) {
		return errSyntax
	}
	return nil
}

type checker struct {
	b []byte
	i int
}

func (c *checker) peek() byte {
	if c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

func (c *checker) word(w string) error {
	if !bytes.HasPrefix(c.b[c.i:], []byte(w)) {
		return errSyntax
	}
	c.i += len(w)
	return nil
}

func (c *checker) value(depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	switch c.peek() {
	case '{':
		return c.object(depth)
	case '[':
		return c.array(depth)
	case '"':
		return c.str()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	}
	return c.integer()
}

func (c *checker) object(depth int) error {
	c.i++
	if c.peek() == '}' {
		c.i++
		return nil
	}
	var last []byte
	for first := true; ; first = false {
		at := c.i
		if err := c.str(); err != nil {
			return err
		}
		key := c.b[at+1 : c.i-1]
		if !first && !keyLess(last, key) {
			return errOrder
		}
		last = key
		if c.peek() != ':' {
			return errSyntax
		}
		c.i++
		if err := c.value(depth + 1); err != nil {
			return err
		}
		more, err := c.more('}')
		if !more {
			return err
		}
	}
}

func (c *checker) array(depth int) error {
	c.i++
	if c.peek() == ']' {
		c.i++
		return nil
	}
	for {
		if err := c.value(depth + 1); err != nil {
			return err
		}
		more, err := c.more(']')
		if !more {
			return err
		}
	}
}

func (c *checker) more(end byte) (bool, error) {
	switch c.peek() {
	case ',':
		c.i++
		return true, nil
	case end:
		c.i++
		return false, nil
	}
	return false, errSyntax
}

// integer reads what fits in 63 bits: jq and JavaScript already lose digits
// past 2^53, and nothing here counts that far.
func (c *checker) integer() error {
	neg := c.peek() == '-'
	if neg {
		c.i++
	}
	at := c.i
	var n uint64
	for c.i < len(c.b) && c.b[c.i]-'0' <= 9 {
		if c.i-at == 19 {
			return errSyntax
		}
		n = n*10 + uint64(c.b[c.i]-'0')
		c.i++
	}
	switch {
	case c.i == at, c.b[at] == '0' && (neg || c.i > at+1), n > math.MaxInt64:
		return errSyntax
	}
	return nil
}

func (c *checker) str() error {
	if c.peek() != '"' {
		return errSyntax
	}
	b, i := c.b, c.i+1
	for i < len(b) {
		// Python's ensure_ascii escapes all outside ' ' to '~', DEL included.
		i += plainRun(b[i:], highBits)
		if i < len(b) && b[i] == '"' {
			c.i = i + 1
			return nil
		}
		n := escapeLen(b[i:])
		if n == 0 {
			return errSyntax
		}
		i += n
	}
	return errSyntax
}

// escapeLen returns the length of the one canonical escape at the start of
// b, or 0. A surrogate may stand alone only as U+DC80 to U+DCFF, Python's
// surrogateescape for a byte that is not UTF-8.
func escapeLen(b []byte) int {
	if len(b) < 2 || b[0] != '\\' {
		return 0
	}
	switch b[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2
	}
	u, ok := hex4(b)
	switch {
	case !ok:
		return 0
	case u < 0x20:
		if u == '\b' || u == '\f' || u == '\n' || u == '\r' || u == '\t' {
			return 0
		}
	case u < 0x7f:
		return 0
	case u >= 0xd800 && u <= 0xdbff:
		if lo, ok := hex4(b[6:]); ok && lo >= 0xdc00 && lo <= 0xdfff {
			return 12
		}
		return 0
	case u >= 0xdc00 && u <= 0xdfff:
		if u < 0xdc80 || u > 0xdcff {
			return 0
		}
	}
	return 6
}

// hex4 reads \uXXXX in lower case.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var u rune
	for _, d := range b[2:6] {
		switch {
		case d >= '0' && d <= '9':
			u = u<<4 | rune(d-'0')
		case d >= 'a' && d <= 'f':
			u = u<<4 | rune(d-'a'+10)
		default:
			return 0, false
		}
	}
	return u, true
}

// keyLess orders two keys, still escaped, by code point as Python does.
func keyLess(a, b []byte) bool {
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return bytes.Compare(a, b) < 0
	}
	return bytes.Compare(decodeKey(a), decodeKey(b)) < 0
}

// decodeKey unescapes a checked string into UTF-8 that also spells lone
// surrogates, so that byte order is code point order.
func decodeKey(s []byte) []byte {
	var out []byte
	short := map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\'}
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		n := escapeLen(s[i:])
		switch u, _ := hex4(s[i:]); {
		case n == 2:
			out = append(out, short[s[i+1]])
		case n == 12:
			lo, _ := hex4(s[i+6:])
			out = utf8.AppendRune(out, 0x10000+(u-0xd800)<<10+(lo-0xdc00))
		case u >= 0xd800 && u <= 0xdfff:
			out = append(out, 0xe0|byte(u>>12), 0x80|byte(u>>6)&0xbf, 0x80|byte(u)&0xbf)
		default:
			out = utf8.AppendRune(out, u)
		}
		i += n
	}
	return out
}

// appendString writes s as a canonical string; a byte that is not UTF-8
// becomes U+DC80 to U+DCFF as in Python's surrogateescape.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch at := strings.IndexByte("\"\\\b\f\n\r\t", s[i]); {
		case at >= 0:
			dst = append(dst, '\\', "\"\\bfnrt"[at])
		case r < 0x7f && r >= 0x20:
			dst = append(dst, s[i])
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, `\u%04x`, 0xdc00+int(s[i]))
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, hi, lo)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		i += n
	}
	return append(dst, '"')
}
