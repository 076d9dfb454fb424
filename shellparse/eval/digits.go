package eval

import (
	"slices"
	"strings"
)

// digitsOf is what a filter makes of the numbers that it reads. A number of a line is no part of a
// program, as it is in sed -n "$(grep -n PATTERN FILE | cut -d: -f1),+9p".
func digitsOf(c *call, in *stream) digits {
	before := anything
	if in != nil {
		before = in.digits
	}
	words := make([]string, 0, len(c.words))
	files := 0
	for _, w := range c.words[1:] {
		if !w.Static {
			return anything
		}
		words = append(words, w.Text)
		if !strings.HasPrefix(w.Text, "-") {
			files++
		}
	}
	line := strings.Join(words, " ")
	switch name := c.words[0].Text; { // another program of that name may print anything
	case slices.Contains([]string{"head", "tail", "sort", "uniq"}, name):
		if printsWholeLines(words) {
			return before
		}
	case slices.Contains([]string{"grep", "egrep", "fgrep"}, name):
		numbers := strings.HasPrefix(line, "-n ") || strings.HasPrefix(line, "-nE ") ||
			strings.HasPrefix(line, "-En ") || strings.HasPrefix(line, "-nF ") ||
			strings.HasPrefix(line, "-Fn ")
		if numbers && files <= 2 && !slices.ContainsFunc(words[1:], isOption) {
			return lineNumbers
		}
	case name == "cut" && before == lineNumbers:
		if slices.Contains([]string{"-d: -f1", "-d : -f 1", "-d: -f 1", "-d : -f1", "-f1 -d:",
			"-f 1 -d:", "-f 1 -d :", "-f1 -d :"}, line) {
			return onlyDigits
		}
	case name == "awk" && before == lineNumbers && line == "-F: {print $1}":
		return onlyDigits
	case name == "wc" && line == "-l":
		return onlyDigits
	}
	return anything
}

// printsWholeLines reports whether head, tail, sort or uniq print whole lines of their standard
// input with these arguments.
func printsWholeLines(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return strings.Trim(w, "0123456789") != "" && strings.Trim(w, "0123456789") != "-" &&
			w != "-r" && w != "-u" && strings.TrimRight(w, "0123456789") != "-n"
	}) && (len(words) == 0 || isOption(words[0]))
}

func isOption(word string) bool { return strings.HasPrefix(word, "-") }
