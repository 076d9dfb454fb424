package settings

import (
	"bytes"
	"fmt"
)

// bom is what some editors write before UTF-8 text.
var bom = []byte("\xef\xbb\xbf")

// lineComment replaces the bytes of a comment up to the end of its line, and blockComment those of
// any other.
const lineComment, blockComment = '\t', ' '

// withoutComments returns the document twice: with blanks for its comments, and also with spaces
// for the commas after the last value of an object or a list. Both have every other byte at its
// position. Programs differ in whether they accept such files; this package only preserves what is
// there.
func withoutComments(data []byte) (plain, strict []byte, err error) {
	plain = bytes.Clone(data)
	if bytes.HasPrefix(plain, bom) {
		copy(plain, "   ")
	}
	for i := 0; i < len(plain); i++ {
		switch {
		case plain[i] == '"':
			i = stringEnd(plain, i)
		case bytes.HasPrefix(plain[i:], []byte("//")):
			end := i + len(bytes.SplitN(plain[i:], []byte("\n"), 2)[0])
			if r := bytes.IndexByte(bytes.TrimSuffix(plain[i:end], []byte("\r")), '\r'); r >= 0 {
				return nil, nil, fmt.Errorf("%w: a comment with a carriage return, where for some "+
					"it ends", ErrNotJSON)
			}
			blank(plain[i:end], lineComment)
			i = end
		case bytes.HasPrefix(plain[i:], []byte("/*")):
			n := bytes.Index(plain[i+2:], []byte("*/"))
			if n < 0 {
				return nil, nil, fmt.Errorf("%w: a comment does not end", ErrNotJSON)
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
