package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
)

// value shows any value on one line: a text without quotes, or with them if its edges would be
// unclear.
func value(x any, st style) []unit {
	switch x := x.(type) {
	case string:
		if needsQuotes(x) {
			return quoted(show(x, st, nil))
		}
		return show(x, st, nil)
	case nil:
		return own("null")
	case []any, map[string]any:
		b, err := canonical.Append(nil, x) // ASCII, so it is inert already
		if err != nil {
			return own("?")
		}
		return show(string(b), exact, nil)
	default:
		return own(fmt.Sprint(x))
	}
}

// needsQuotes reports whether a text without quotes could be mistaken for nothing, for a quoted
// text or for a value that is not text.
func needsQuotes(s string) bool {
	if s == "" || s == "true" || s == "false" || s == "null" ||
		strings.IndexByte("\" {[", s[0]) >= 0 {
		return true
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// delimited shows a name whose end is seen wherever it stands: one with other characters than those
// of ordinary names is in quotes, with a backslash before what could end them.
func delimited(s string) []unit {
	if s != "" && strings.Trim(s, nameBytes) == "" {
		return show(s, exact, nil)
	}
	out := own(`"`)
	for _, u := range show(s, exact, nil) {
		if u.text == `"` || u.text == `\` {
			u.text, u.cells = `\`+u.text, 2
		}
		out = append(out, u)
	}
	return append(out, own(`"`)...)
}

// nameBytes are the characters of ordinary names of files, hosts and programs.
const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/@:~+=,-*"

func quoted(units []unit) []unit {
	return append(append(own(`"`), units...), own(`"`)...)
}

// join puts the renderer's separator between values.
func join(parts ...[]unit) []unit {
	var out []unit
	for i, p := range parts {
		if i > 0 {
			out = append(out, own(between)...)
		}
		out = append(out, p...)
	}
	return out
}

func named(name string, units []unit) []unit {
	return append(append(show(name, exact, nil), own(" ")...), units...)
}

// text shows what is known to be text, with quotes only if its edges would be unclear.
func text(s string) []unit {
	if s == "" || s[0] == ' ' || s[0] == '"' {
		return quoted(show(s, exact, nil))
	}
	return show(s, exact, nil)
}
