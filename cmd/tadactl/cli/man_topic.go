package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tada-run/tada-run/docs"
)

// manTopics writes a manual page of section 7 for each page of docs/ but the one that is
// tada-config(5).
func manTopics(dir string) error {
	for _, t := range docs.Topics() {
		if t.Name == "configuration" {
			continue
		}
		page, _ := docs.Page(t.Name)
		name := filepath.Join(dir, "tada-"+t.Name+".7")
		if err := os.WriteFile(name, []byte(manOfTopic(t, page)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// manOfTopic is what `tadactl help` prints, in the macros of man(7).
func manOfTopic(t docs.Topic, page string) string {
	var b, literal strings.Builder
	manHeadOf(&b, "tada-"+t.Name, 7, t.About)
	flush := func() {
		manLiteral(&b, literal.String())
		literal.Reset()
	}
	_, page, _ = strings.Cut(page, "\n")
	b.WriteString(".SH DESCRIPTION\n")
	for line := range strings.Lines(docs.Plain(page)) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && line[0] != ' ' {
			flush()
			macro := ".SH"
			if line != strings.ToUpper(line) {
				macro = ".SS" // a heading of the third level
			}
			fmt.Fprintf(&b, "%s %s\n", macro, roff(line))
			continue
		}
		literal.WriteString(strings.TrimPrefix(line, "    ") + "\n")
	}
	flush()
	b.WriteString(".SH SEE ALSO\n.BR tada-run (1),\n.BR tadactl (1),\n.BR tada-config (5)\n")
	return b.String()
}
