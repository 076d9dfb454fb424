package prompt

import (
	"cmp"
	"os"
	"strings"
)

// A Look is how questions are drawn.
type Look struct {
	Colour bool
	Plain  bool // ASCII without symbols; see render.Options
}

// LookHere returns how the terminal of this process wants questions drawn: in colours, unless NO_COLOR
// is set (no-color.org) or it is dumb; in plain form where the locale has no UTF-8.
func LookHere(plain bool) Look {
	locale := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"),
		os.Getenv("LANG")))
	utf8 := strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
	term := os.Getenv("TERM")
	dumb := term == "" || term == "dumb"
	plain = plain || dumb || !utf8
	return Look{Colour: !plain && os.Getenv("NO_COLOR") == "", Plain: plain}
}
