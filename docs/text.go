package docs

import (
	"strings"
	"unicode/utf8"
)

// columns is the width of a page on a terminal, as of a manual page.
const columns = 79

// margin is in front of everything but headings, as in a manual page.
const margin = "    "

// inline is text without the marks inside a line. A link to a page says how to read it here.
func inline(text string) string {
	var out strings.Builder
	for {
		before, rest, _ := strings.Cut(text, "[")
		name, rest, isLink := strings.Cut(rest, "](")
		to, after, closed := strings.Cut(rest, ")")
		if !isLink || !closed {
			return unbold(out.String() + text)
		}
		out.WriteString(before + name)
		file, _, _ := strings.Cut(to, "#")
		topic, isPage := strings.CutSuffix(file, ".md")
		if _, known := Page(topic); isPage && known {
			out.WriteString(" (tadactl help " + topic + ")")
		} else if strings.Contains(to, "://") {
			out.WriteString(" <" + to + ">")
		}
		text = after
	}
}

// unbold removes the stars around **words**.
func unbold(text string) string {
	before, rest, opens := strings.Cut(text, "**")
	word, after, closes := strings.Cut(rest, "**")
	if !opens || !closes || strings.HasPrefix(word, "/") {
		return text
	}
	return before + word + unbold(after)
}

// wrapped breaks a paragraph into lines; those of an item begin below its first word.
func wrapped(text string) string {
	if text == "" {
		return ""
	}
	rest := strings.TrimLeft(text, " ")
	first := margin + text[:len(text)-len(rest)]
	hang := first
	if mark, _, ok := strings.Cut(rest, " "); ok &&
		(mark == "-" || isNumbered(rest)) {
		hang += strings.Repeat(" ", len(mark)+1)
	}
	return folded(first, hang, rest)
}

// folded is first and the words of a text, broken into lines. Further lines begin with hang.
func folded(first, hang, text string) string {
	var out strings.Builder
	line := first
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns:
			out.WriteString(line + "\n")
			line = hang
		default:
			line += " "
		}
		line += word
	}
	return out.String() + strings.TrimRight(line, " ") + "\n"
}

// isNumbered reports whether a line begins as "1. " does.
func isNumbered(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	return rest != line && strings.HasPrefix(rest, ". ")
}
