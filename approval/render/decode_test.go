package render

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval/canonical"
)

var errPage = errors.New("approval: text is not a full page")

// Decode returns the payload that a full page of the given width was rendered from. It returns an
// error for every text that [Render] would not have written, so a page that decodes shows exactly
// what the hash covers.
func Decode(text string, width int) ([]byte, error) {
	return DecodePage(text, Options{Width: width})
}

// DecodePage is Decode for a full page that was rendered with other options, such as a phrase.
func DecodePage(text string, o Options) ([]byte, error) {
	o.Full = true
	// Only the renderer can begin a line with a rule: in a payload its glyph is a code point.
	_, rest, found := strings.Cut(text, "\n"+ruleGlyph+ruleGlyph+" "+listingTitle+" ")
	if !found {
		return nil, errPage
	}
	lines := strings.Split(rest, "\n")
	if len(lines) < 4 {
		return nil, errPage
	}
	lines = lines[1 : len(lines)-2] // the rest of the title's rule, the last rule and the end
	payload, err := decodeListing(lines)
	if err != nil {
		return nil, err
	}
	if Render(payload, o).Text() != text {
		return nil, errPage
	}
	return payload, nil
}

func decodeListing(lines []string) ([]byte, error) {
	var joined []string
	for _, l := range lines {
		if more, ok := strings.CutPrefix(l, listingWrap); ok && len(joined) > 0 {
			joined[len(joined)-1] += more
			continue
		}
		joined = append(joined, l)
	}
	root := &node{}
	for _, l := range joined {
		// Names hold no " = ": plain keys have no space, others write it inside quotes, where
		// reading goes on until the quote ends.
		name, val, err := cutName(l)
		if err != nil {
			return nil, err
		}
		x, err := readValue(val)
		if err != nil {
			return nil, err
		}
		if name == listingBytes {
			s, ok := x.(string)
			if !ok || len(joined) != 1 {
				return nil, errPage
			}
			return []byte(s), nil
		}
		if err := root.set(strings.TrimPrefix(name, listingTop), x); err != nil {
			return nil, err
		}
	}
	return canonical.Append(nil, root.value())
}

// cutName separates a line into name and value.
func cutName(l string) (name, value string, err error) {
	inQuotes := false
	for i := 0; i < len(l); i++ {
		switch {
		case inQuotes && l[i] == '\\':
			i++
		case l[i] == '"':
			inQuotes = !inQuotes
		case !inQuotes && strings.HasPrefix(l[i:], " = "):
			name, err := Restore(l[:i])
			return name, l[i+len(" = "):], err
		}
	}
	return "", "", errPage
}

func readValue(s string) (any, error) {
	switch s {
	case "{}":
		return map[string]any{}, nil
	case "[]":
		return []any{}, nil
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return Restore(s[1 : len(s)-1])
	}
	return canonical.Parse([]byte(s))
}

// A node is a value that is being put together from its leaves.
type node struct {
	leaf    any
	isLeaf  bool
	members map[string]*node
	list    []*node
}

// set puts a leaf at the end of a path. The listing is in order, so an element of a list is the
// last one or the next one.
func (n *node) set(way string, leaf any) error {
	for way != "" {
		var next *node
		switch way[0] {
		case '.':
			key, rest, err := cutMember(way[1:])
			if err != nil {
				return err
			}
			if n.members == nil {
				n.members = map[string]*node{}
			}
			if n.members[key] == nil {
				n.members[key] = &node{}
			}
			next, way = n.members[key], rest
		case '[':
			digits, rest, ok := strings.Cut(way[1:], "]")
			i, err := strconv.Atoi(digits)
			if !ok || err != nil || i < 0 || i > len(n.list) {
				return errPage
			}
			if i == len(n.list) {
				n.list = append(n.list, &node{})
			}
			next, way = n.list[i], rest
		default:
			return errPage
		}
		n = next
	}
	n.leaf, n.isLeaf = leaf, true
	return nil
}

func cutMember(s string) (key, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ".[")
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], nil
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			v, err := canonical.Parse([]byte(s[:i+1]))
			key, _ := v.(string)
			return key, s[i+1:], err
		}
	}
	return "", "", errPage
}

func (n *node) value() any {
	switch {
	case n.isLeaf:
		return n.leaf
	case n.members != nil:
		out := make(map[string]any, len(n.members))
		for k, m := range n.members {
			out[k] = m.value()
		}
		return out
	}
	out := make([]any, 0, len(n.list))
	for _, m := range n.list {
		out = append(out, m.value())
	}
	return out
}

// Restore returns the string whose [Inert] form is t, or an error if t is not such a form.
func Restore(t string) (string, error) {
	var out []byte
	last := "" // the character before, which a count repeats
	for i := 0; i < len(t); {
		rest := t[i:]
		if !strings.HasPrefix(rest, openCode) {
			r, n := utf8.DecodeRuneInString(rest)
			i += n
			switch string(r) {
			case showSpace:
				last = " "
			case showNewline:
				last = "\n"
			case showTab:
				last = "\t"
			default:
				last = rest[:n]
				if r >= utf8.RuneSelf && strings.HasPrefix(t[i:], openCode+"U+") {
					continue // its code point follows and says the same
				}
			}
			out = append(out, last...)
			continue
		}
		code, _, found := strings.Cut(rest[len(openCode):], closeCode)
		if !found {
			return "", fmt.Errorf("approval: %q does not end", openCode)
		}
		i += len(openCode) + len(code) + len(closeCode)
		add, err := restoreCode(code, last)
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(code, "×") {
			last = add
		}
		out = append(out, add...)
		if len(out) > maxRestored {
			return "", fmt.Errorf("approval: text is longer than %d bytes", maxRestored)
		}
	}
	// One spelling again: everything that show would not have written is refused here.
	if s := string(out); Inert(s) == t {
		return s, nil
	}
	return "", fmt.Errorf("approval: %q is not rendered text", t)
}

// maxRestored bounds what counts can make of a short text.
const maxRestored = 64 << 20

// restoreCode reads what is between brackets.
func restoreCode(code, last string) (string, error) {
	switch {
	case strings.HasPrefix(code, "×"):
		n, err := strconv.Atoi(code[len("×"):])
		if err != nil || n < 2 || n > maxRestored {
			return "", fmt.Errorf("approval: %q is not a count", code)
		}
		return strings.Repeat(last, n-1), nil
	case strings.HasPrefix(code, "U+"):
		r, err := strconv.ParseUint(code[len("U+"):], 16, 32)
		if err != nil || !utf8.ValidRune(rune(r)) {
			return "", fmt.Errorf("approval: %q is not a code point", code)
		}
		return string(rune(r)), nil
	case strings.HasPrefix(code, "x"):
		c, err := strconv.ParseUint(code[1:], 16, 8)
		if err != nil {
			return "", fmt.Errorf("approval: %q is not a byte", code)
		}
		return string([]byte{byte(c)}), nil
	}
	return "", fmt.Errorf("approval: %q is unknown", code)
}
