package render

import (
	"strconv"
	"strings"
	"unicode"
)

// Quote returns a text from outside, safe for a terminal: as it is if it is plain, otherwise
// quoted, and in ASCII unless the terminal shows UTF-8 and nothing in the text changes how its
// neighbours look.
func Quote(s string, utf8 bool) string {
	q := strconv.QuoteToASCII(s)
	if utf8 && !strings.ContainsFunc(s, unsettled) && !MixesAlphabets(s) {
		q = strconv.Quote(s)
	}
	if q != `"`+s+`"` || strings.Contains(s, " ") || s == "" {
		return q
	}
	return s
}

// unsettled reports characters that strconv prints and that change how their neighbours look: marks
// that are drawn over them, and letters that reverse the direction of a line.
func unsettled(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) || unicode.In(r, rightToLeft)
}

// rightToLeft has the blocks of Unicode whose letters are written from right to left
// (DerivedBidiClass.txt, R and AL).
var rightToLeft = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x0590, Hi: 0x08ff, Stride: 1}, {Lo: 0xfb1d, Hi: 0xfdff, Stride: 1},
		{Lo: 0xfe70, Hi: 0xfeff, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x10800, Hi: 0x10fff, Stride: 1}, {Lo: 0x1e800, Hi: 0x1efff,
		Stride: 1}},
}
