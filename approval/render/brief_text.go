package render

import (
	"fmt"
	"strings"
)

// How much of a command the first page shows if it does not fit a screen with all of it. Lines are
// those of the text, or stages of the shell.
const (
	mostText  = 2000 // characters of a command that is not cut at all
	fewLines  = 4
	fewText   = 280
	headText  = 320
	headStage = 3
	tailText  = 120
	tailStage = 1
	wholeLine = 160 // characters of a line in which a reason points at something
)

// script shows a command text: all of it, or of a long one its beginning, its end and what a reason
// points at, with the numbers of the lines.
func (v *view) script(label, text string, spans [][2]int) {
	if len(spans) == 1 && spans[0] == [2]int{0, len(text)} && len(text) > mostText {
		spans = nil // it does not say where to look
	}
	breaks := softBreaks(text)
	units := danger(show(text, exact, boundaries(breaks, spans)), spans)
	stages := split(units, breaks)
	for _, s := range spans {
		v.marked = append(v.marked, text[s[0]:s[1]])
	}
	if len(units) > mostText || v.cutting && (len(units) > fewText || len(stages) > fewLines) {
		var hidden int
		units, hidden = hide(units, matters(stages), "truncated")
		v.truncated = v.truncated || hidden > 0
		v.hidden = hiddenLines(text, units, len(spans) > 0)
		stages = split(units, breaks)
	}
	v.stages(label, text, stages)
	if v.plain && len(spans) > 0 {
		var parts [][]unit
		for _, s := range spans {
			parts = append(parts, v.middle(show(text[s[0]:s[1]], exact, nil)))
		}
		v.line("look at", join(parts...))
	}
}

// matters says which units of a long text are shown: its beginning and its end, and the lines in
// which a reason points at something, whole unless they are long.
func matters(stages [][]unit) []bool {
	var keep []bool
	for i, stage := range stages {
		part := make([]bool, len(stage))
		whole := i < headStage && len(keep)+len(stage) <= headText
		for j, u := range stage {
			part[j] = whole
			if u.must {
				whole = whole || len(stage) <= wholeLine
				keepAround(part, j)
			}
		}
		for j := range part {
			part[j] = part[j] || whole || i == 0 && j < headText
		}
		keep = append(keep, part...)
	}
	end := 0
	for i := len(stages) - 1; i >= 0 && i >= len(stages)-tailStage; i-- {
		end = min(end+len(stages[i]), tailText)
	}
	for i := len(keep) - end; i < len(keep); i++ {
		keep[i] = true
	}
	return keep
}

// hiddenLines says how many lines of a text are not shown at all, and, of a text in which reasons
// point at something, that none does there: what one points at is always shown. It is "" if there
// are none.
func hiddenLines(text string, shown []unit, pointed bool) string {
	seen, line, at, last := 0, 0, 0, -1
	for _, u := range shown {
		if u.chars == 0 || u.at < at || u.at >= len(text) {
			continue
		}
		line += strings.Count(text[at:u.at], "\n")
		if at = u.at; line != last {
			seen, last = seen+1, line
		}
	}
	all := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if all <= seen {
		return ""
	}
	where := ""
	if pointed {
		where = ", where no reason points"
	}
	return fmt.Sprintf("hidden: %d of %d lines%s; ", all-seen, all, where)
}
