package docs

import "strings"

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
		item := strings.HasPrefix(strings.TrimLeft(line, " "), "- ") || isNumbered(line)
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

// heading is a line without a margin.
func heading(line string) string {
	text := strings.TrimLeft(line, "#")
	if level := len(line) - len(text); level < 3 {
		text = strings.ToUpper(text)
	}
	return inline(strings.TrimSpace(text)) + "\n"
}
