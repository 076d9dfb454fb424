package docs

import (
	"strings"
	"unicode/utf8"
)

// tabular is a table in columns, or as a list of its rows if that is too wide.
func tabular(lines []string) string {
	var rows [][]string
	for i, line := range lines {
		if i != 1 { // it only separates
			rows = append(rows, cells(line))
		}
	}
	if len(rows) == 0 {
		return ""
	}
	widths := make([]int, len(rows[0]))
	total := len(margin)
	for n := range widths {
		for _, row := range rows {
			if n < len(row) {
				widths[n] = max(widths[n], utf8.RuneCountInString(row[n]))
			}
		}
		total += widths[n] + 2
	}
	if total-2 > columns {
		return asList(rows)
	}
	var out strings.Builder
	for _, row := range rows {
		line := margin
		for n, cell := range row {
			line += cell
			if n < len(widths) {
				line += strings.Repeat(" ", widths[n]-utf8.RuneCountInString(cell)+2)
			}
		}
		if line = strings.TrimRight(line, " "); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// cells are those of one row. A bar that is written \| is part of its cell.
func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	const bar = "\x00"
	list := strings.Split(strings.ReplaceAll(line, `\|`, bar), "|")
	for i, cell := range list {
		list[i] = inline(strings.TrimSpace(strings.ReplaceAll(cell, bar, "|")))
	}
	return list
}

// asList has the first cell of each row, and below it the others with the names of their columns.
func asList(rows [][]string) string {
	var out strings.Builder
	for _, row := range rows[1:] {
		out.WriteString(wrapped(row[0]))
		for n, cell := range row[1:] {
			if name := rows[0][min(n+1, len(rows[0])-1)]; cell != "" && name != "" {
				cell = name + ": " + cell
			}
			if cell != "" {
				out.WriteString(wrapped("  - " + cell))
			}
		}
	}
	return out.String()
}
