package canonical

import (
	"cmp"
	"unicode/utf8"
)

// compareKeys orders keys as Python orders strings: by code point, where a byte XX that is not part
// of valid UTF-8 counts as U+DCXX. For valid strings that is the order of their bytes. An invalid
// byte sorts before U+E000, although its value is above every UTF-8 lead byte.
func compareKeys(a, b string) int {
	for a != "" && b != "" && a[0] == b[0] && a[0] < utf8.RuneSelf {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" {
		x, n := codePoint(a)
		y, m := codePoint(b)
		if x != y {
			return cmp.Compare(x, y)
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

func codePoint(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 0xdc00 | rune(s[0]), 1
	}
	return r, n
}
