package gitmeta

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// A setting is one variable of a configuration file, with the bytes that contain it.
type setting struct {
	section, sub, key string // section and key in lower case
	hasSub            bool
	value             string
	start, end        int
}

// String returns the name as git config prints it.
func (s setting) String() string {
	switch {
	case s.hasSub:
		return s.section + "." + s.sub + "." + s.key
	case s.section == "": // before any section; git reads it, and uses it for nothing
		return s.key
	}
	return s.section + "." + s.key
}

var errConfig = errors.New("not a configuration that git reads")

// A reader reads a configuration file as git's config.c does.
type reader struct {
	text []byte
	at   int
}

const end = -1

// next returns the next byte, with a carriage return before a line feed passed over, and end after
// the last.
func (r *reader) next() int {
	if r.at < len(r.text) && r.text[r.at] == '\r' && r.at+1 < len(r.text) &&
		r.text[r.at+1] == '\n' {
		r.at++
	}
	if r.at >= len(r.text) {
		r.at++
		return end
	}
	r.at++
	return int(r.text[r.at-1])
}

func (r *reader) back() { r.at-- }

func isSpace(c int) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

func isAlpha(c int) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isKey(c int) bool { return isAlpha(c) || c >= '0' && c <= '9' || c == '-' }

// parse returns the settings of a file in their order.
func parse(text []byte) ([]setting, error) {
	r := &reader{text: text}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		r.at = 3
	}
	var list []setting
	var where setting
	for {
		switch c := r.next(); {
		case c == end:
			return list, nil
		case c == '\n' || isSpace(c):
		case c == '#' || c == ';':
			for c != '\n' && c != end {
				c = r.next()
			}
			r.back()
		case c == '[':
			var err error
			if where, err = r.section(); err != nil {
				return nil, err
			}
		case isAlpha(c):
			s := where
			s.start = r.at - 1
			if err := r.variable(&s, c); err != nil {
				return nil, err
			}
			s.end = min(r.at, len(text))
			list = append(list, s)
		default:
			return nil, errConfig
		}
	}
}

// section reads what follows [.
func (r *reader) section() (s setting, err error) {
	var name strings.Builder
	for {
		switch c := r.next(); {
		case c == ']':
			s.section = strings.ToLower(name.String())
			if dot := strings.IndexByte(s.section, '.'); dot >= 0 { // [section.name], the old way
				s.section, s.sub, s.hasSub = s.section[:dot], s.section[dot+1:], true
			}
			return s, nil
		case isKey(c) || c == '.':
			name.WriteByte(byte(c))
		case isSpace(c):
			s.section, s.hasSub = strings.ToLower(name.String()), true
			s.sub, err = r.subsection()
			return s, err
		default:
			return s, errConfig
		}
	}
}

// subsection reads a quoted name and the closing bracket.
func (r *reader) subsection() (string, error) {
	c := r.next()
	for isSpace(c) {
		c = r.next()
	}
	if c != '"' {
		return "", errConfig
	}
	var name strings.Builder
	for {
		switch c = r.next(); c {
		case '\n', end:
			return "", errConfig
		case '"':
			if r.next() != ']' {
				return "", errConfig
			}
			return name.String(), nil
		case '\\':
			if c = r.next(); c == '\n' || c == end {
				return "", errConfig
			}
		}
		name.WriteByte(byte(c))
	}
}

// variable reads a key that begins with c, and its value to the end of the line.
func (r *reader) variable(s *setting, c int) error {
	var key strings.Builder
	for isKey(c) {
		key.WriteByte(byte(c))
		c = r.next()
	}
	s.key = strings.ToLower(key.String())
	for c == ' ' || c == '\t' {
		c = r.next()
	}
	switch c {
	case '\n', end:
		s.value = "true" // a name alone
		return nil
	case '=':
		var err error
		s.value, err = r.value()
		return err
	}
	return errConfig
}

// escapes are those of values; any other is an error in Git.
var escapes = map[int]byte{'t': '\t', 'b': '\b', 'n': '\n', '\\': '\\', '"': '"'}

func (r *reader) value() (string, error) {
	var value, blanks strings.Builder
	quoted, comment := false, false
	for {
		c := r.next()
		switch {
		case c == '\n' || c == end:
			if quoted {
				return "", errConfig
			}
			return value.String(), nil
		case comment:
			continue
		case isSpace(c) && !quoted:
			if value.Len() > 0 {
				blanks.WriteByte(byte(c))
			}
			continue
		case !quoted && (c == ';' || c == '#'):
			comment = true
			continue
		}
		value.WriteString(blanks.String())
		blanks.Reset()
		switch c {
		case '\\':
			c = r.next()
			if c == '\n' {
				continue
			}
			plain, ok := escapes[c]
			if !ok {
				return "", errConfig
			}
			value.WriteByte(plain)
		case '"':
			quoted = !quoted
		default:
			value.WriteByte(byte(c))
		}
	}
}

// without returns text with some settings taken out and others put at its end.
func without(text []byte, out, in []setting) []byte {
	var b bytes.Buffer
	at := 0
	for _, s := range out {
		b.Write(text[at:s.start])
		b.WriteByte('\n')
		at = s.end
	}
	b.Write(text[at:])
	quote := strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\t", "\\t", "\b", "\\b")
	for _, s := range in {
		if s.hasSub {
			fmt.Fprintf(&b, "\n[%s \"%s\"]", s.section,
				strings.NewReplacer("\\", "\\\\", "\"", "\\\"").Replace(s.sub))
		} else {
			fmt.Fprintf(&b, "\n[%s]", s.section)
		}
		fmt.Fprintf(&b, "\n\t%s = \"%s\"\n", s.key, quote.Replace(s.value))
	}
	return b.Bytes()
}
