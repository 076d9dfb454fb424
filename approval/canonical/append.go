package canonical

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how many objects and arrays may be nested. A plan needs about eight; the limit keeps
// a hostile text, or a map that contains itself, from using up the stack.
const MaxDepth = 100

// ErrDepth is returned for a value nested deeper than [MaxDepth].
var ErrDepth = errors.New("canonical: nested too deeply")

// A TypeError names a Go type that has no canonical spelling, such as a float.
type TypeError struct{ Type string }

func (e *TypeError) Error() string {
	return fmt.Sprintf("canonical: a Go %s has no canonical spelling", e.Type)
}

// Append appends the one spelling of v to dst. It accepts nil, bool, every integer type of Go
// except uintptr, string, []string, []any, map[string]string and map[string]any; a nil slice or map
// is an empty one. For any other type, floats among them, it returns dst unchanged and a
// *[TypeError]; for a value nested deeper than [MaxDepth] it returns dst unchanged and [ErrDepth].
func Append(dst []byte, v any) ([]byte, error) {
	out, err := appendValue(dst, v, 0)
	if err != nil {
		return dst, err
	}
	return out, nil
}

func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, ErrDepth
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return AppendString(dst, v), nil
	case []any:
		return appendArray(dst, v, depth)
	case []string:
		return appendArray(dst, v, depth)
	case map[string]any:
		return appendObject(dst, v, depth)
	case map[string]string:
		return appendObject(dst, v, depth)
	}
	return appendInteger(dst, v)
}

func appendInteger(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case int32:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case uint32:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case int8:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case uint8:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case int16:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case uint16:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	}
	return nil, &TypeError{Type: fmt.Sprintf("%T", v)}
}

func appendArray[T any](dst []byte, a []T, depth int) ([]byte, error) {
	dst = append(dst, '[')
	var err error
	for i, v := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendValue(dst, v, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendObject[T any](dst []byte, m map[string]T, depth int) ([]byte, error) {
	var few [32]string // most objects have no more, and need no allocation
	keys := few[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	dst = append(dst, '{')
	var err error
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, k), ':')
		if dst, err = appendValue(dst, m[k], depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// plain marks the bytes that are written as themselves in a string.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

const hexDigits = "0123456789abcdef"

// AppendString appends the one spelling of s, quotes included, to dst. Every string has one and no
// two strings share one.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && plain[s[i]] {
			i++
		}
		dst = append(dst, s[start:i]...)
		if i == len(s) {
			break
		}
		if s[i] < utf8.RuneSelf {
			dst = appendControl(dst, s[i])
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = appendUnit(dst, 0xdc00|uint16(s[i]))
		case r > 0xffff:
			r -= 0x10000
			dst = appendUnit(dst, 0xd800|uint16(r>>10))
			dst = appendUnit(dst, 0xdc00|uint16(r&0x3ff))
		default:
			dst = appendUnit(dst, uint16(r))
		}
		i += n
	}
	return append(dst, '"')
}

func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\f':
		return append(dst, `\f`...)
	case '\r':
		return append(dst, `\r`...)
	}
	return appendUnit(dst, uint16(c))
}

func appendUnit(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15],
		hexDigits[u&15])
}
