package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A view collects the lines of one page.
type view struct {
	width     int
	lines     [][]unit
	rows      []row // what the lines were made from
	flowing   bool  // the lines are as long as they are
	truncated bool
	hidden    string   // how much of the command is not shown, in lines
	advice    [][]unit // to the agent, with a denial
	plain     bool     // what reasons point at is named, not marked
	cutting   bool     // a long command is cut, so that the page fits a screen
	marked    []string // what reasons point at
	more      int      // reasons that are not shown
	left      []string // what the first page does not show, for its last line
}

// labelWidth is the room for the name of a section.
const labelWidth = 8

// add puts a row on the page.
func (v *view) add(r row) {
	v.rows = append(v.rows, r)
	v.lines = append(v.lines, wrap(r.units, v.width, r.first, r.next)...)
}

// rule draws a line across the page, with a title.
func (v *view) rule(title ...[]unit) {
	line := toned(Label, own(strings.Repeat(ruleGlyph, 2)))
	var said []unit
	for _, t := range title {
		line = append(append(line, own(" ")...), t...)
		said = append(append(said, t...), own(" ")...)
	}
	v.rows = append(v.rows, row{Row: Row{Kind: Rule}, units: said})
	if len(title) > 0 {
		line = append(line, own(" ")...)
	}
	line = fitted(line, v.width)
	if more := v.width - cellsIn(line); more > 0 && !v.flowing {
		line = append(line, toned(Label, own(strings.Repeat(ruleGlyph, more)))...)
	}
	v.lines = append(v.lines, line)
}

// cut shortens a value to its beginning, its end and what must be shown, if it has more characters
// than head and tail together, and notes that something is missing.
func (v *view) cut(units []unit, head, tail int) []unit {
	if len(units) <= head+tail {
		return units
	}
	out, hidden := shorten(units, head, tail, "truncated")
	v.truncated = v.truncated || hidden > 0
	return out
}

// short shows a value of unknown shape in little room.
func (v *view) short(x any) []unit { return v.cut(value(x, exact), maxName, 0) }

// fitted cuts a line of the renderer's own words, or of what is in the details, to a width.
func fitted(units []unit, width int) []unit {
	const mark = " ..."
	if cellsIn(units) <= width {
		return units
	}
	used := len(mark)
	end := slices.IndexFunc(units, func(u unit) bool { used += u.cells; return used > width })
	return append(units[:end:end], own(mark)...)
}

// line adds a section, wrapped as needed.
func (v *view) line(label string, units []unit) {
	for i := range units {
		units[i].hard = false // outside the command a newline needs no line of its own
	}
	v.section(Value, label, units)
}

// lineAt adds a section before the given row, which is the given line.
func (v *view) lineAt(row, line int, label string, units []unit) {
	rows, lines := slices.Clone(v.rows[row:]), slices.Clone(v.lines[line:])
	v.rows, v.lines = v.rows[:row], v.lines[:line]
	v.line(label, units)
	v.rows, v.lines = append(v.rows, rows...), append(v.lines, lines...)
}

// section adds a row under a label.
func (v *view) section(k Kind, label string, units []unit) {
	v.add(row{Row: Row{Kind: k, Label: label}, units: units, first: pad(label) + " ",
		next: pad("") + " " + wrapGutter + " "})
}

func pad(label string) string {
	return label + strings.Repeat(" ", max(0, labelWidth-len(label)))
}

// command shows a command text, one stage of the shell in each line.
func (v *view) command(label, text string, spans [][2]int) {
	breaks := softBreaks(text)
	units := danger(show(text, exact, boundaries(breaks, spans)), spans)
	v.stages(label, text, split(units, breaks))
}

// stages shows a text in stages, which are numbered if there are several.
func (v *view) stages(label, text string, stages [][]unit) {
	if len(stages) == 1 {
		v.section(Code, label, stages[0])
		return
	}
	v.numbered(label, text, stages)
}

// numbered shows stages. Those of a text of several lines have the numbers of the lines, those of
// one line are counted.
func (v *view) numbered(label, text string, stages [][]unit) {
	lined := strings.Contains(strings.TrimSuffix(text, "\n"), "\n")
	most, number, last, from := len(stages), 0, 0, 0
	if lined {
		most, number = 1+strings.Count(text, "\n"), 1
	}
	digits := len(fmt.Sprint(most))
	for _, stage := range stages {
		if !lined {
			number++
		} else if len(stage) > 0 {
			at := max(beginning(stage), from)
			number += strings.Count(text[from:at], "\n")
			from = at
		}
		shown := ""
		if number != last {
			shown = strconv.Itoa(number)
		}
		v.add(row{Row: Row{Kind: Code, Label: label, Number: shown}, units: stage,
			first: fmt.Sprintf("%s %*s%s ", pad(label), digits, shown, gutter),
			next:  fmt.Sprintf("%s %*s%s ", pad(""), digits, "", wrapGutter)})
		label, last = "", number
	}
}

// beginning is where the shown text of a stage begins.
func beginning(stage []unit) int {
	for _, u := range stage {
		if u.chars > 0 {
			return u.at
		}
	}
	return stage[0].at
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
	units, _ := shorten(danger(show(text, exact, boundaries(nil, spans)), spans), 0, 0, "folded")
	v.line(label, units)
}
