package hook

import (
	"bytes"
	"errors"
)

// BOM is what some editors write before UTF-8 text.
var BOM = []byte("\xef\xbb\xbf")

// LineComment replaces the bytes of a comment up to the end of its line, and blockComment those of
// any other.
const LineComment, blockComment = '\t', ' '

// WithoutComments returns a JSON document twice: with blanks for its comments, and also with spaces
// for the commas after the last value of an object or a list. Both have every other byte at its
// position. Platforms differ in whether they accept such files.
func WithoutComments(data []byte) (plain, strict []byte, err error) {
	plain = bytes.Clone(data)
	if bytes.HasPrefix(plain, BOM) {
		copy(plain, "   ")
	}
	for i := 0; i < len(plain); i++ {
		switch {
		case plain[i] == '"':
			i = stringEnd(plain, i)
		case bytes.HasPrefix(plain[i:], []byte("//")):
			end := i + len(bytes.SplitN(plain[i:], []byte("\n"), 2)[0])
			if r := bytes.IndexByte(bytes.TrimSuffix(plain[i:end], []byte("\r")), '\r'); r >= 0 {
				return nil, nil, errors.New("a comment has a carriage return, where some end it")
			}
			blank(plain[i:end], LineComment)
			i = end
		case bytes.HasPrefix(plain[i:], []byte("/*")):
			n := bytes.Index(plain[i+2:], []byte("*/"))
			if n < 0 {
				return nil, nil, errors.New("a comment does not end")
			}
			blank(plain[i:i+n+4], blockComment)
			i += n + 3
		}
	}
	return plain, withoutLastCommas(plain), nil
}

func withoutLastCommas(plain []byte) []byte {
	strict := bytes.Clone(plain)
	comma, last := -1, byte('{')
	for i := 0; i < len(plain); i++ {
		c := plain[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case ',':
			comma = -1
			if last != '{' && last != '[' && last != ',' && last != ':' {
				comma = i
			}
		case '}', ']':
			if last == ',' && comma >= 0 {
				strict[comma] = ' '
			}
		case '"':
			i = stringEnd(plain, i)
		}
		last = c
	}
	return strict
}

// stringEnd returns the position of the quote that ends the string beginning at i, or the last
// position.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data) && data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return min(i, len(data)-1)
}

// blank keeps the ends of lines, so that what is on a line of its own stays there.
func blank(data []byte, with byte) {
	for i, c := range data {
		if c != '\n' && c != '\r' {
			data[i] = with
		}
	}
}
