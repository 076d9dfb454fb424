package cli

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// fullWidth is the width that lists are laid out for.
const fullWidth = 80

// narrow returns the width of the output if that is a terminal with less than fullWidth columns,
// otherwise 0.
func (c *ctl) narrow() int {
	f, ok := c.out.(*os.File)
	if !ok {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil || w >= fullWidth || w < 2*len(hanging) {
		return 0
	}
	return w
}

// onTerminal reports whether the output is a terminal.
func (c *ctl) onTerminal() bool {
	f, ok := c.out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// hanging is in front of all lines of a row but the first.
const hanging = "    "

// row breaks a row of a list for a narrow terminal, which would break it inside words and begin the
// next line like another row.
func (c *ctl) row(text string) string { return broken(text, c.narrow()) }

// broken breaks a text at spaces, or inside a word that is longer than a line. Width 0 means no
// limit. A character that is not ASCII counts as two columns, the most that any takes.
func broken(text string, width int) string {
	if width == 0 {
		return text
	}
	var lines []string
	for rest := []rune(strings.TrimRight(text, " ")); ; {
		used, end, space := 0, 0, 0
		for end < len(rest) && used < width {
			if used++; rest[end] > '~' {
				used++
			}
			if used > width {
				break
			}
			if rest[end] == ' ' {
				space = end
			}
			end++
		}
		if end == len(rest) {
			return strings.Join(append(lines, string(rest)), "\n")
		}
		if space > len(hanging) && rest[end] != ' ' {
			end = space
		}
		lines = append(lines, strings.TrimRight(string(rest[:end]), " "))
		rest = []rune(hanging + strings.TrimLeft(string(rest[end:]), " "))
	}
}
