package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits of a platform's input. A call contains the whole file that a tool writes.
const (
	maxInput = 16 << 20 // bytes
	maxDepth = 64       // of nested objects and lists
)

// ErrInput is wrapped by every refusal of a platform's input.
var ErrInput = errors.New("the call cannot be read")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInput, fmt.Sprintf(format, args...))
}

// Decode reads one JSON object, up to the end of r. It is stricter than encoding/json, because
// another reader of the same bytes must not find another call in them. At any depth it refuses a
// repeated member (RFC 8259 leaves open which one counts), half of a surrogate pair (replaced by
// some, kept by others), and bytes that are not UTF-8. It also refuses anything after the object.
func Decode(r io.Reader) (Object, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return nil, malformed("%v", err)
	case len(data) > maxInput:
		return nil, malformed("it has more than %d bytes", maxInput)
	case !utf8.Valid(data):
		return nil, malformed("it is not UTF-8")
	case !json.Valid(data):
		return nil, malformed("it is not one whole JSON value")
	}
	if err := wellFormed(data); err != nil {
		return nil, err
	}
	var o Object
	if err := json.Unmarshal(data, &o); err != nil || o == nil {
		return nil, malformed("it is not an object")
	}
	return o, nil
}

// object reads a member as an object. It was already decoded, so its content is not checked again.
func (o Object) object(name string) (Object, error) {
	var inner Object
	if err := json.Unmarshal(o[name], &inner); err != nil || inner == nil {
		return nil, malformed("%s is not an object", name)
	}
	return inner, nil
}

// wellFormed looks in valid JSON for what readers disagree on.
func wellFormed(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()              // the reader of a number decides how large it may be
	var open []map[string]bool // a set of names for each object, nil for a list
	name := false              // the next string is the name of a member
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return surrogates(data)
		}
		if err != nil {
			return malformed("%v", err)
		}
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				if len(open) == maxDepth {
					return malformed("it is nested more than %d deep", maxDepth)
				}
				var names map[string]bool
				if t == '{' {
					names = map[string]bool{}
				}
				open = append(open, names)
			default:
				open = open[:len(open)-1]
			}
		case string:
			if name {
				if open[len(open)-1][t] {
					return malformed("member %q occurs twice", t)
				}
				open[len(open)-1][t] = true
				name = false
				continue
			}
		}
		name = len(open) > 0 && open[len(open)-1] != nil
	}
}

// surrogates refuses escapes of half a character: \ud800 alone. In valid JSON a backslash occurs
// only in strings.
func surrogates(data []byte) error {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		i++ // to what is escaped
		if data[i] != 'u' {
			continue
		}
		switch first := hexOf(data[i+1:]); {
		case first >= 0xDC00 && first < 0xE000:
			return malformed("it has half of a surrogate pair")
		case first >= 0xD800 && first < 0xDC00:
			rest := data[i+5:]
			if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
				return malformed("it has half of a surrogate pair")
			}
			if second := hexOf(rest[2:]); second < 0xDC00 || second >= 0xE000 {
				return malformed("it has half of a surrogate pair")
			}
			i += 6
		}
		i += 4
	}
	return nil
}

// hexOf reads the four hex digits that follow \u in valid JSON.
func hexOf(b []byte) (n int) {
	for _, c := range b[:4] {
		n = n<<4 | strings.IndexByte("0123456789abcdef", c|0x20)
	}
	return n
}
