package render_test

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/render"
)

// bare is a text without what only breaks and draws lines.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \n━┊│", r) {
			return -1
		}
		return r
	}, s)
}

// textOfRows is everything that rows say.
func textOfRows(rows []render.Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.Label + r.Number)
		for _, s := range r.Spans {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// The rows of a page say what its lines say, in their order, whatever the width.
func TestRows(t *testing.T) {
	for _, q := range questions(t) {
		for _, o := range []render.Options{{Width: 150}, {Width: 200}, {Flowing: true},
			{Width: 80, Full: true}, {Flowing: true, Full: true, Phrase: "otter quilt"}} {
			p := render.Render(q.Payload, o)
			if got, want := bare(textOfRows(p.Rows)), bare(p.Text()); got != want {
				t.Errorf("%s %+v:\n%s\nis not\n%s", q.Name, o, got, want)
			}
			if o.Flowing && len(p.Rows) > len(p.Lines) {
				t.Errorf("%s: %d rows in %d lines", q.Name, len(p.Rows), len(p.Lines))
			}
		}
	}
}

// A flowing page leaves out nothing for want of room.
func TestFlowingPage(t *testing.T) {
	for _, q := range questions(t) {
		p := render.Render(q.Payload, render.Options{Flowing: true})
		for _, line := range p.Lines {
			if strings.Contains(line, " ...") && !strings.Contains(string(q.Payload), "...") {
				t.Errorf("%s: %s", q.Name, line)
			}
		}
		if got := shownCommand(t, p); !p.Truncated && got != q.command(t) {
			t.Errorf("%s: shown as %q", q.Name, got)
		}
	}
}
