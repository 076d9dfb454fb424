package cli

import (
	"fmt"
	"io"
	"strings"
)

func manHead(w io.Writer, name, short string) { manHeadOf(w, name, 1, short) }

func manHeadOf(w io.Writer, name string, section int, short string) {
	fmt.Fprintf(w, ".TH %s %d \"\" tada-run\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(name)),
		section, roff(name), roff(short))
}

// manText writes paragraphs; a paragraph with an indented line is copied unchanged.
func manText(w io.Writer, text string) {
	for p := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(p, "  ") || strings.Contains(p, "\n  ") {
			manLiteral(w, p)
			continue
		}
		fmt.Fprintf(w, ".PP\n%s\n", roff(p))
	}
}

func manLiteral(w io.Writer, text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		fmt.Fprintf(w, ".nf\n%s\n.fi\n", roff(text))
	}
}

// roff escapes what is special in a text: a backslash, a hyphen, and a dot or quote at the
// beginning of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
