package docs

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// columns is the width of a page on a terminal, as of a manual page.
const columns = 79

// margin is in front of everything but headings, as in a manual page.
const margin = "    "

// Plain is a page as text for a terminal: headings in capital letters, paragraphs and lists in
// lines of 79 columns, tables in columns or, if they are too wide, as lists. What it does not know
// it leaves as it is. It reads the pages of this folder, not Markdown in general.
func Plain(page string) string {
	var out strings.Builder
	code, paragraph, table := false, "", []string(nil)
	flush := func() {
		out.WriteString(wrapped(inline(paragraph)))
		out.WriteString(tabular(table))
		paragraph, table = "", nil
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		item := strings.HasPrefix(strings.TrimLeft(line, " "), "- ") || numbered.MatchString(line)
		switch {
		case strings.HasPrefix(line, "```"):
			flush()
			code = !code
		case code && line == "":
			out.WriteByte('\n')
		case code:
			out.WriteString(margin + "    " + line + "\n")
		case line == "":
			flush()
			if !strings.HasSuffix(out.String(), "\n\n") {
				out.WriteByte('\n')
			}
		case strings.HasPrefix(line, "<!--"), strings.HasPrefix(line, "!["):
		case strings.HasPrefix(line, "#"):
			flush()
			out.WriteString(heading(line))
		case strings.HasPrefix(line, "|"):
			table = append(table, line)
		case item, paragraph == "":
			flush()
			paragraph = line
		default:
			paragraph += " " + strings.TrimSpace(line)
		}
	}
	flush()
	return out.String()
}

var numbered = regexp.MustCompile(`^[0-9]+\. `)

// heading is a line without a margin.
func heading(line string) string {
	text := strings.TrimLeft(line, "#")
	if level := len(line) - len(text); level < 3 {
		text = strings.ToUpper(text)
	}
	return inline(strings.TrimSpace(text)) + "\n"
}

var (
	link = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	bold = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// inline is text without the marks inside a line. A link to a page says how to read it here.
func inline(text string) string {
	text = link.ReplaceAllStringFunc(text, func(all string) string {
		m := link.FindStringSubmatch(all)
		to, _, _ := strings.Cut(m[2], "#")
		name, isPage := strings.CutSuffix(to, ".md")
		if _, known := Page(name); isPage && known {
			return m[1] + " (tadactl help " + name + ")"
		}
		if strings.Contains(to, "://") {
			return m[1] + " <" + m[2] + ">"
		}
		return m[1]
	})
	return bold.ReplaceAllString(text, "$1")
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
		(mark == "-" || numbered.MatchString(mark+" ")) {
		hang += strings.Repeat(" ", len(mark)+1)
	}
	var out strings.Builder
	line := first
	for i, word := range strings.Fields(rest) {
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
	return out.String() + line + "\n"
}
