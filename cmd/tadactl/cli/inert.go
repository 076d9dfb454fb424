package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/notice"
)

// inert quotes what could move the cursor or be taken for another field. On a UTF-8 terminal,
// letters are shown as themselves, unless a word mixes alphabets.
func inert(s string) string { return quoted(s, notice.UTF8()) }

// brief returns a command as a list shows it, on one line: of a long one, such as an agent's
// program sends, the beginning and the end. tadactl show ID and --json have all of it.
func brief(s string) string {
	const room = 400
	var line string
	for _, p := range render.Shorten(s, nil, room) {
		if p.Cut > 0 {
			line += fmt.Sprintf(" [%s cut] ", audit.Plural(p.Cut, "char"))
		}
		line += p.Text
	}
	return inert(line)
}

func quoted(s string, utf8 bool) string {
	q := strconv.QuoteToASCII(s)
	if utf8 && !strings.ContainsFunc(s, unsettled) && !render.MixesAlphabets(s) {
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
