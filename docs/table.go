package docs

import (
	"strings"
	"unicode/utf8"
)

// roomForLast is the least width of a table's last column, in which text is broken into lines.
const roomForLast = 32

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
	last := len(rows[0]) - 1
	widths := make([]int, last)
	left := len(margin)
	for n := range widths {
		for _, row := range rows {
			widths[n] = max(widths[n], utf8.RuneCountInString(row[n]))
		}
		left += widths[n] + 2
	}
	if columns-left < roomForLast && left+widest(rows, last) > columns {
		return asList(rows)
	}
	var out strings.Builder
	for _, row := range rows {
		if strings.Join(row, "") == "" {
			continue // a table without headings
		}
		line := margin
		for n, width := range widths {
			line += row[n] + strings.Repeat(" ", width-utf8.RuneCountInString(row[n])+2)
		}
		out.WriteString(folded(line, strings.Repeat(" ", left), row[last]))
	}
	return out.String()
}

// widest is the width of the widest cell of a column.
func widest(rows [][]string, column int) (n int) {
	for _, row := range rows {
		n = max(n, utf8.RuneCountInString(row[column]))
	}
	return n
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
			if name := rows[0][n+1]; cell != "" && name != "" {
				cell = name + ": " + cell
			}
			if cell != "" {
				out.WriteString(wrapped("  - " + cell))
			}
		}
	}
	return out.String()
}
