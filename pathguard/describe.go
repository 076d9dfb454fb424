package pathguard

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Template is a configuration that says what is built in anyway, for a person to start from: every
// key, commented out, with its default and what it does.
func Template() string {
	var b strings.Builder
	b.WriteString("# tada-run configuration. Every key is optional. What is commented out is " +
		"the default.\n" +
		"# Change it with: tadactl policy edit. All keys: tada-config(5). What is in force: " +
		"tadactl policy show.\n")
	section := ""
	for _, k := range keys() {
		if k.IsField() {
			continue
		}
		outer, name := cutLast(k.Name)
		if outer != section && outer != "" {
			fmt.Fprintf(&b, "\n%s:\n", outer)
		}
		indent := "  "
		if outer == "" {
			indent = ""
			b.WriteString("\n")
		}
		section = outer
		for line := range strings.Lines(wrap(k.About, 96)) {
			fmt.Fprintf(&b, "%s# %s", indent, line)
		}
		fmt.Fprintf(&b, "%s# %s%s\n", indent, k.Type, k.choices())
		if k.isRules() {
			for _, f := range keys() {
				if _, field := cutLast(f.Name); f.Section() == k.Name+"[]" {
					fmt.Fprintf(&b, "%s#   %s: %s%s. %s\n", indent, field, f.Type, f.choices(),
						f.About)
				}
			}
		}
		if k.Default == "none" {
			fmt.Fprintf(&b, "%s# default: none; example:\n%s# %s: %s\n", indent, indent, name,
				k.Example)
			continue
		}
		fmt.Fprintf(&b, "%s# %s: %s  # example: %s\n", indent, name, k.Default, k.Example)
	}
	return b.String()
}

// choices are the values that a key takes, in brackets after its type.
func (k Key) choices() string {
	if k.Values == "" {
		return ""
	}
	return " (" + k.Values + ")"
}

// wrap breaks a text at blanks into lines of at most width bytes, each with its newline.
func wrap(text string, width int) string {
	var b strings.Builder
	used := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case used+1+len(word) > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += len(word)
	}
	return b.String() + "\n"
}

// Describe writes the policy for a person to read: every setting with where it comes from, and the
// built-in table with a column for each action.
func (p Policy) Describe(out io.Writer) error {
	b := bufio.NewWriter(out)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "setting\tvalue\tfrom\n")
	for _, row := range p.Lines() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", row[0], inertText(row[1]), inertText(row[2]))
	}
	w.Flush()
	for _, n := range p.notes {
		fmt.Fprintf(b, "note: %s\n", inertText(n))
	}
	fmt.Fprintf(b, "\ndigest  %s\n\nThe built-in table. A file can be in several places: the "+
		"strictest row that matches wins.\nTemporary files that commands of this workspace "+
		"made run without a question.\n\n", p.digest)
	fmt.Fprint(w, "where the file is")
	for a := range actions {
		fmt.Fprintf(w, "\t%s", a)
	}
	fmt.Fprintln(w)
	for _, row := range Table() {
		fmt.Fprint(w, row.Place)
		for _, c := range row.Cells {
			fmt.Fprintf(w, "\t%s", c.Decision)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.Flush()
}
