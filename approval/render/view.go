package render

import (
	"fmt"
	"strings"
)

// A view collects the lines of one page.
type view struct {
	width     int
	full      bool
	lines     []string
	truncated bool
}

// labelWidth is the room for the name of a section.
const labelWidth = 8

func (v *view) rule(title string) {
	if title != "" {
		title = " " + title + " "
	}
	line := strings.Repeat(ruleGlyph, 2) + title
	v.lines = append(v.lines, line+strings.Repeat(ruleGlyph, max(0, v.width-cellCount(line))))
}

// line adds a section, cut and wrapped as needed.
func (v *view) line(label string, units []unit) {
	if !v.full {
		var cut bool
		units, cut = elide(units)
		v.truncated = v.truncated || cut
	}
	for i := range units {
		units[i].hard = false // outside the command a newline needs no line of its own
	}
	v.lines = append(v.lines, wrap(units, v.width, pad(label)+" ", pad("")+" "+wrapGutter+" ")...)
}

func pad(label string) string {
	return label + strings.Repeat(" ", max(0, labelWidth-len(label)))
}

// command shows a command text in numbered lines, one stage of the shell in each.
func (v *view) command(label, text string, spans [][2]int) {
	breaks := softBreaks(text)
	units := show(text, exact, boundaries(breaks, spans))
	units = danger(units, spans)
	if !v.full {
		var cut bool
		units, cut = elide(units)
		v.truncated = v.truncated || cut
	}
	stages := split(units, breaks)
	digits := len(fmt.Sprint(len(stages)))
	for i, stage := range stages {
		first := fmt.Sprintf("%s %*d%s ", pad(label), digits, i+1, gutter)
		next := fmt.Sprintf("%s %*s%s ", pad(""), digits, "", wrapGutter)
		v.lines = append(v.lines, wrap(stage, v.width, first, next)...)
		label = ""
	}
}

// split cuts units into stages: after a newline of the text, and at the breaks.
func split(units []unit, breaks []int) [][]unit {
	var stages [][]unit
	start := 0
	for i, u := range units {
		for len(breaks) > 0 && breaks[0] < u.at {
			breaks = breaks[1:]
		}
		here := len(breaks) > 0 && breaks[0] == u.at
		if i > start && (here && u.text != closeDanger && units[i-1].text != openDanger ||
			units[i-1].hard) {
			stages = append(stages, units[start:i])
			start = i
		}
	}
	return append(stages, units[start:])
}

// fold shows what the spans cover of a text.
func (v *view) fold(label, text string, spans [][2]int) {
	units, hidden := shorten(danger(show(text, exact, boundaries(nil, spans)), spans), 0, 0,
		"folded")
	v.truncated = v.truncated || hidden > 0 && !v.full
	for i := range units {
		units[i].hard = false
	}
	v.lines = append(v.lines, wrap(units, v.width, pad(label)+" ", pad("")+" "+wrapGutter+" ")...)
}
