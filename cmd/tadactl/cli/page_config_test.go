package cli

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/pathguard"
)

// pageOfConfig is docs/configuration.md: what tada-config(5) says, from the same table. A test
// compares the file, and writes it with UPDATE=1.
func pageOfConfig() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Configuration\n\n```text\n%s\n```\n\n", configFiles)
	for p := range strings.SplitSeq(aboutConfig, "\n\n") {
		b.WriteString(filled(p) + "\n")
	}
	b.WriteString("`tadactl policy init` writes a first file, `tadactl policy edit` changes it, " +
		"and\n`tadactl policy show` prints what is in force. In a terminal: `man tada-config`.\n")
	for _, section := range configSections() {
		title := "Other keys"
		if section.name != "" {
			title = "`" + section.name + "`"
		}
		fmt.Fprintf(&b, "\n## %s\n\n| key | type, default | what it does |\n|---|---|---|\n", title)
		for _, k := range section.keys {
			b.WriteString(rowOfConfig(k))
		}
	}
	fmt.Fprintf(&b, "\n## Example\n\n```yaml\n%s\n```\n", exampleConfig)
	return b.String()
}

// rowOfConfig is a key in the table.
func rowOfConfig(k pathguard.Key) string {
	kind := k.Type
	if k.Values != "" {
		kind += ": " + k.Values
	}
	if unit := k.Unit(); unit != "" {
		kind += "; unit: " + unit
	}
	if k.Default != "" {
		kind += ". Default `" + k.Default + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s Example: `%s` |\n", k.Name, cell(kind), cell(k.About),
		cell(k.Example))
}

// cell is text in a table of Markdown.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// filled breaks a paragraph into lines of 80 columns.
func filled(text string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len(word) > 80 {
			b.WriteByte('\n')
			column = 0
		} else if column > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}
