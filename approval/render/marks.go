package render

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks lists what in the texts of a plan is not what it seems: control and invisible characters,
// bytes that are not text, and words that mix alphabets. The strings are ASCII.
func Marks(top map[string]any) []string {
	counts := map[string]int{}
	eachText(top, func(s string) { countMarks(s, counts) })
	out := make([]string, 0, len(counts))
	for m, n := range counts {
		if n == 1 {
			out = append(out, m+", once")
			continue
		}
		out = append(out, fmt.Sprintf("%s, %d times", m, n))
	}
	sort.Strings(out)
	return out
}

// eachText calls fn with every key and every text of a tree.
func eachText(x any, fn func(string)) {
	switch x := x.(type) {
	case string:
		fn(x)
	case []any:
		for _, v := range x {
			eachText(v, fn)
		}
	case map[string]any:
		for k, v := range x {
			fn(k)
			eachText(v, fn)
		}
	}
}

// MixesAlphabets reports whether a word of a text has letters of several alphabets, some of which
// look alike.
func MixesAlphabets(s string) bool {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return false // most texts of a long list
	}
	counts := map[string]int{}
	countMarks(s, counts)
	return counts[mixing] > 0
}

// mixing is the mark of such a word.
const mixing = "word that mixes alphabets"

func countMarks(s string, counts map[string]int) {
	word := scripts(0)
	end := func() {
		if word.mixed() {
			counts[mixing]++
		}
		word = 0
	}
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			i++
			switch {
			case c|0x20 >= 'a' && c|0x20 <= 'z':
				word |= asciiLetter
			case c >= 0x20 && c < 0x7f:
				end()
			case c == '\n' || c == '\t':
				end()
			default:
				end()
				counts[fmt.Sprintf("control character U+%04X", c)]++
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if r == utf8.RuneError && n == 1 {
			counts["byte that is not UTF-8"]++
			continue
		}
		word |= scriptOf(r)
		if name := kindOf(r); name != "" {
			counts[fmt.Sprintf("%s U+%04X", name, r)]++
		}
	}
	end()
}

// kindOf names a kind of character that may not be shown as itself; "" for a letter.
func kindOf(r rune) string {
	switch {
	case canShow(r):
		return ""
	case unicode.Is(unicode.Cc, r):
		return "control character"
	case unicode.Is(unicode.Cf, r):
		return "invisible or direction-changing character"
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc):
		return "combining mark"
	case unicode.IsSpace(r) || slices.Contains(blank, r):
		return "blank character"
	case unicode.IsLetter(r):
		return "letter of another direction or alphabet"
	}
	return "symbol"
}

// blank are letters and symbols without ink.
var blank = []rune{0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0}

// scripts is a set of alphabets whose letters can be mistaken for one another.
type scripts uint

const (
	asciiLetter scripts = 1 << iota
	latin
	greek
	cyrillic
	fullWidth
	otherScript
)

// mixed reports whether a word uses ASCII or Latin letters beside those of an alphabet with
// look-alikes of them. Accented letters beside ASCII are ordinary Latin.
func (s scripts) mixed() bool {
	west, rest := s&(asciiLetter|latin), s&(greek|cyrillic|fullWidth|otherScript)
	return west != 0 && rest != 0 || rest&(rest-1) != 0
}

func scriptOf(r rune) scripts {
	switch {
	case !unicode.IsLetter(r):
		return 0
	case r >= 0xff01 && r <= 0xff60:
		return fullWidth
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Greek, r):
		return greek
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 0 // written beside ASCII without spaces, and like no letter of it
	}
	return otherScript
}
