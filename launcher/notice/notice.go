// Package notice writes messages for a person to a terminal beside the output of a command: one
// line each, inert whatever names a command chose, and bounded, so that they cannot flood it.
package notice

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Line writes one notice.
func Line(out io.Writer, text string) { fmt.Fprintf(out, "tada-run: %s\n", text) }

// Visible makes a text of a command inert on a terminal: what is not graphic is written as an
// escape.
func Visible(s string) string {
	q := strconv.QuoteToGraphic(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// maxText is how much is shown of one thing, maxLines how many things of a kind, and maxNames how
// many names in one line.
const (
	maxText  = 240
	maxLines = 12
	maxNames = 5
)

// Clip leaves out the middle of what is too long: a path says most at its ends.
func Clip(line string) string {
	if len(line) <= maxText {
		return line
	}
	head, tail := line[:maxText/2], line[len(line)-maxText/2:]
	return strings.ToValidUTF8(head, "") + "..." + strings.ToValidUTF8(tail, "")
}

// AtMost returns the first lines and how many more there are. If more failed than are shown, the
// number is added in the format failing.
func AtMost(lines []string, failing string, failed int) []string {
	if len(lines) <= maxLines {
		return lines
	}
	more := fmt.Sprintf("and %d more of this kind", len(lines)-maxLines)
	if failed > maxLines {
		more += fmt.Sprintf(failing, failed)
	}
	return append(lines[:maxLines:maxLines], more)
}

// Unique are names sorted, each once.
func Unique(names []string) []string {
	list := slices.Clone(names)
	slices.Sort(list)
	return slices.Compact(list)
}

// Names is a list of names in one line.
func Names(list []string) string {
	var shown []string
	for _, name := range list[:min(len(list), maxNames)] {
		shown = append(shown, Visible(name))
	}
	text := strings.Join(shown, ", ")
	if len(list) > maxNames {
		text += fmt.Sprintf(" and %d more", len(list)-maxNames)
	}
	return text
}
