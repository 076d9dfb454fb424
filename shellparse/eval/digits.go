package eval

import (
	"regexp"
	"slices"
	"strings"
	"sync"
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
	for i, w := range c.words[1:] {
		if !w.Static && i > 0 && words[i-1] == "-v" {
			words = append(words, "") // a value of awk
			continue
		}
		switch {
		case w.Glob:
			files += 2
		case !w.Static:
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
		if len(words) == 0 {
			return anything
		}
		if numbers && files <= 2 && !slices.ContainsFunc(words[1:], isOption) {
			return lineNumbers
		}
		if strings.Trim(words[0], "-rnEFiwHo") == "" && strings.Contains(words[0], "n") &&
			!slices.ContainsFunc(words[1:], isOption) {
			return nameNumbers
		}
		if words[0] == "-c" && files <= 2 && !slices.ContainsFunc(words[1:], isOption) {
			return onlyDigits // of one file: no name is in front
		}
	case name == "cut" && before == lineNumbers:
		if slices.Contains([]string{"-d: -f1", "-d : -f 1", "-d: -f 1", "-d : -f1", "-f1 -d:",
			"-f 1 -d:", "-f 1 -d :", "-f1 -d :"}, line) {
			return onlyDigits
		}
	case name == "awk" && before == lineNumbers && printsFirst(words):
		return onlyDigits
	case name == "sed" && before == nameNumbers && line == `s/.*:\([0-9]*\):.*/\1/`:
		return onlyDigits
	case name == "sqlite3" && len(words) == 2 && counts().MatchString(words[1]):
		return onlyDigits
	case name == "wc" && line == "-l", name == "nproc" && line == "", name == "id" && line == "-u",
		name == "stat" && files == 2 && strings.HasPrefix(line, "-c %s "),
		name == "tr" && (line == "-dc 0-9" || line == "-cd 0-9"),
		name == "date" && len(words) == 1 && isTime(words[0]):
		return onlyDigits
	}
	return anything
}

// printsFirst reports whether awk prints the first field of lines, cut at colons, and nothing else.
func printsFirst(words []string) bool {
	return slices.Contains(words, "-F:") && first().MatchString(words[len(words)-1])
}

var first = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^{}()|"]*\{ *print \$1 *(; *exit *)?\}$`)
})

// counts is a query whose answer is one number.
var counts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^select count\(\*\) from \w+( where \w+ *[=<>] *\w+)?;?$`)
})

// isTime reports whether a format of date(1) prints digits alone.
func isTime(format string) bool {
	rest, ok := strings.CutPrefix(format, "+%")
	return ok && !slices.ContainsFunc(strings.Split(rest, "%"), func(field string) bool {
		return !slices.Contains([]string{"s", "N", "3N", "6N", "Y", "m", "d", "H", "M", "S"}, field)
	})
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
