package prompt

import (
	"os"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/notice"
)

// A Look is how questions are drawn.
type Look struct {
	Colour bool
	Plain  bool // ASCII without symbols; see render.Options
}

// LookHere is how the terminal of this process wants questions drawn: in colours, unless NO_COLOR
// is set (no-color.org), and in plain form where it is dumb or the locale has no UTF-8.
func LookHere(plain bool) Look {
	term := os.Getenv("TERM")
	plain = plain || term == "" || term == "dumb" || !notice.UTF8()
	return Look{Colour: !plain && os.Getenv("NO_COLOR") == "", Plain: plain}
}

// Rows are the lines of a page, in colours or without.
func (l Look) Rows(p render.Page) []string {
	if l.Colour {
		return p.Coloured()
	}
	return p.Lines
}
