package render

import "unicode"

// Marks of the renderer. None of them is ASCII, and every non-ASCII character of a payload is shown
// with its code point in brackets, so no payload can forge a mark.
const (
	openCode    = "⟦" // a code point, a byte or a count follows
	closeCode   = "⟧"
	openDanger  = "⟪" // a reason of the verdict points at what follows
	closeDanger = "⟫"
	showSpace   = "␠"
	showNewline = "⏎"
	showTab     = "⇥"
	between     = " · "
	arrow       = " → "
	ruleGlyph   = "━"
	gutter      = "│"
	wrapGutter  = "┊"
	empty       = "∅" // so that a file named "nothing" looks different
	nothing     = empty + " nothing"
)

// showable are the letters that may be shown on a terminal as themselves. Each is one visible
// glyph, written from left to right, that does not join with others. It lists what is known to be
// harmless, because unicode.IsPrint is true for letters that show as nothing (U+3164, U+115F,
// U+2800) and for marks that change their neighbours. Right-to-left letters are missing: on a
// terminal with bidi they move the text around them.
var showable = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian,
	unicode.Han, unicode.Hiragana, unicode.Katakana, hangulSyllables,
}

// hangulSyllables leaves out the jamo, some of which are blank (U+115F, U+1160, U+3164, U+FFA0).
var hangulSyllables = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0xac00, Hi: 0xd7a3,
	Stride: 1}}}

// wide are the characters that fill two cells (Unicode TR 11, W and F, as far as showable has
// them).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, {Lo: 0x3041, Hi: 0x33ff, Stride: 1},
		{Lo: 0x3400, Hi: 0x4dbf, Stride: 1},
		{Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xff01, Hi: 0xff60, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x16fe0, Hi: 0x18dff, Stride: 1},
		{Lo: 0x1b000, Hi: 0x1b2ff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

// canShow reports whether r may be written to a terminal as itself.
func canShow(r rune) bool {
	if r < 0x7f {
		return r >= 0x20
	}
	return unicode.IsLetter(r) && !unicode.Is(unicode.Lm, r) && unicode.In(r, showable...)
}

func cellsOf(r rune) int {
	if r >= 0x2e80 && unicode.Is(wide, r) {
		return 2
	}
	return 1
}
