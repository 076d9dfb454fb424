package canonical

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A SyntaxError says at which byte a text is no longer the one spelling of a value, and why.
type SyntaxError struct {
	Offset int
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("canonical: byte %d: %s", e.Offset, e.Reason)
}

// Parse reads the one spelling of a value: for every text that it accepts, [Append] of the result
// returns the same bytes. The result consists of nil, bool, int64, uint64 (only above 2^63-1),
// string (its original bytes, which need not be UTF-8), []any and map[string]any. Any other text is
// a *[SyntaxError]. The result shares no memory with text.
func Parse(text []byte) (any, error) {
	p := parser{text: text}
	return p.all()
}

// Check accepts exactly what [Parse] accepts, and builds no value.
func Check(text []byte) error {
	p := parser{text: text, check: true}
	_, err := p.all()
	return err
}

type parser struct {
	text  []byte
	at    int
	buf   []byte // reused to spell a string again
	check bool   // values are not kept
}

func (p *parser) all() (any, error) {
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) {
		return nil, p.fail("text after the value")
	}
	return v, nil
}

func (p *parser) fail(reason string) error { return &SyntaxError{Offset: p.at, Reason: reason} }

// peek returns the next byte, or 0 at the end: canonical text contains no NUL.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// accept skips c if it is next.
func (p *parser) accept(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) (any, error) {
	if depth > MaxDepth {
		return nil, p.fail("nested too deeply")
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"' && p.check:
		_, _, err := p.quoted()
		return nil, err
	case c == '"':
		return p.string()
	case c == '-' || c >= '0' && c <= '9':
		return p.integer()
	}
	for _, l := range [...]struct {
		text  string
		value any
	}{{"true", true}, {"false", false}, {"null", nil}} {
		if bytes.HasPrefix(p.text[p.at:], []byte(l.text)) {
			p.at += len(l.text)
			return l.value, nil
		}
	}
	return nil, p.fail("not the start of a value")
}

func (p *parser) array(depth int) (any, error) {
	p.at++
	list := []any{}
	if p.accept(']') {
		return list, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.check {
			list = append(list, v)
		}
		if p.accept(']') {
			return list, nil
		}
		if !p.accept(',') {
			return nil, p.fail("expected ',' or ']'")
		}
	}
}

func (p *parser) object(depth int) (any, error) {
	p.at++
	fields := map[string]any{}
	if p.accept('}') {
		return fields, nil
	}
	for last, first := "", true; ; first = false {
		start := p.at
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		if !first && compareKeys(last, key) >= 0 {
			p.at = start
			return nil, p.fail("key repeated or out of order")
		}
		last = key
		if !p.accept(':') {
			return nil, p.fail("expected ':'")
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.check {
			fields[key] = v
		}
		if p.accept('}') {
			return fields, nil
		}
		if !p.accept(',') {
			return nil, p.fail("expected ',' or '}'")
		}
	}
}

func (p *parser) integer() (any, error) {
	start := p.at
	p.accept('-')
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	digits := string(p.text[start:p.at])
	if c := p.peek(); c == '.' || c == 'e' || c == 'E' {
		return nil, p.fail("not an integer")
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil &&
		strconv.FormatInt(n, 10) == digits {
		return n, nil
	}
	if n, err := strconv.ParseUint(digits, 10, 64); err == nil &&
		strconv.FormatUint(n, 10) == digits {
		return n, nil
	}
	p.at = start
	return nil, p.fail("not the one spelling of a 64-bit integer")
}

func (p *parser) string() (string, error) {
	raw, s, err := p.quoted()
	if s != "" || err != nil {
		return s, err
	}
	return string(raw[1 : len(raw)-1]), nil
}

// quoted reads a string. It returns the text in unescaped if it differs from what is between the
// quotes. A string without a backslash is checked byte by byte; one with a backslash is spelled
// again and compared, so this rule and AppendString cannot drift apart.
func (p *parser) quoted() (raw []byte, unescaped string, err error) {
	start := p.at
	if !p.accept('"') {
		return nil, "", p.fail("expected a string")
	}
	escaped := false
	for p.at < len(p.text) && p.text[p.at] != '"' {
		switch c := p.text[p.at]; {
		case c == '\\':
			escaped = true
			p.at++ // an escaped quote does not end the string
		case !plain[c]:
			return nil, "", p.fail("raw control or non-ASCII byte in a string")
		}
		p.at++
	}
	if !p.accept('"') {
		p.at = len(p.text)
		return nil, "", p.fail("string does not end")
	}
	raw = p.text[start:p.at]
	if !escaped {
		return raw, "", nil
	}
	s, ok := unescape(raw[1 : len(raw)-1])
	if ok {
		p.buf = AppendString(p.buf[:0], s)
		ok = bytes.Equal(p.buf, raw)
	}
	if !ok {
		p.at = start
		return nil, "", p.fail("not the one spelling of a string")
	}
	return raw, s, nil
}

// unescape returns the bytes that an escaped string represents; ok is false if it represents none.
func unescape(raw []byte) (s string, ok bool) {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		if i+1 == len(raw) {
			return "", false
		}
		if c, found := shortEscape(raw[i+1]); found {
			out = append(out, c)
			i += 2
			continue
		}
		u, found := unit(raw[i:])
		if !found {
			return "", false
		}
		i += 6
		low, paired := unit(raw[i:])
		switch r := utf16.DecodeRune(rune(u), rune(low)); {
		case paired && r != utf8.RuneError:
			out = utf8.AppendRune(out, r)
			i += 6
		case u >= 0xdc80 && u <= 0xdcff:
			out = append(out, byte(u))
		case utf16.IsSurrogate(rune(u)):
			return "", false
		default:
			out = utf8.AppendRune(out, rune(u))
		}
	}
	return string(out), true
}

func shortEscape(c byte) (byte, bool) {
	switch c {
	case '"', '\\':
		return c, true
	case 'b':
		return '\b', true
	case 't':
		return '\t', true
	case 'n':
		return '\n', true
	case 'f':
		return '\f', true
	case 'r':
		return '\r', true
	}
	return 0, false
}

// unit reads \uxxxx at the start of raw.
func unit(raw []byte) (uint16, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	var u uint16
	for _, c := range raw[2:6] {
		switch {
		case c >= '0' && c <= '9':
			u = u<<4 | uint16(c-'0')
		case c >= 'a' && c <= 'f':
			u = u<<4 | uint16(c-'a'+10)
		default:
			return 0, false
		}
	}
	return u, true
}
