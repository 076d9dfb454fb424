package filter

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// A Func returns what a program makes of known bytes, and false when that is not certain: an
// option that is not followed, or input that its versions treat differently.
type Func func(args []string, in string) (out string, ok bool)

// Of returns the filter that a program is, nil for one that is not followed.
func Of(program string) Func {
	switch program {
	case "base64":
		return decodeBase64
	case "xxd":
		return decodeHex
	case "rev":
		return reverseLines
	case "tac":
		return reverseOrder
	case "tr":
		return translate
	case "sed":
		return substitute
	}
	return nil
}

// only reports whether args are exactly one of each group, in any order.
func only(args []string, groups ...[]string) bool {
	if len(args) != len(groups) {
		return false
	}
	return !slices.ContainsFunc(groups, func(g []string) bool {
		return !slices.ContainsFunc(args, func(a string) bool { return slices.Contains(g, a) })
	})
}

// decodeBase64 takes what every version takes: whole groups of four with their padding.
func decodeBase64(args []string, in string) (string, bool) {
	if !only(args, []string{"-d", "-D", "--decode"}) {
		return "", false
	}
	out, err := base64.StdEncoding.Strict().DecodeString(strings.ReplaceAll(in, "\n", ""))
	return string(out), err == nil && !strings.Contains(in, "\r")
}

// decodeHex is xxd -r -p of whole bytes. xxd forgives much else, each version otherwise.
func decodeHex(args []string, in string) (string, bool) {
	if !only(args, []string{"-r", "-revert"}, []string{"-p", "-ps", "-plain", "-postscript"}) {
		return "", false
	}
	var b strings.Builder
	for line := range strings.Lines(in) {
		out, err := hex.DecodeString(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return "", false
		}
		b.Write(out)
	}
	return b.String(), true
}

func reverseLines(args []string, in string) (string, bool) {
	if len(args) > 0 || !asciiOnly(in) {
		return "", false
	}
	var b strings.Builder
	for line := range strings.Lines(in) {
		text := strings.TrimSuffix(line, "\n")
		for i := range len(text) {
			b.WriteByte(text[len(text)-1-i])
		}
		b.WriteString(line[len(text):])
	}
	return b.String(), true
}

func reverseOrder(args []string, in string) (string, bool) {
	if len(args) > 0 || in != "" && !strings.HasSuffix(in, "\n") {
		return "", false
	}
	lines := slices.Collect(strings.Lines(in))
	slices.Reverse(lines)
	return strings.Join(lines, ""), true
}
