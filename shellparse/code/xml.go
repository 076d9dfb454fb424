package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// xmlNames match what brings a name into a document: an entity, a document type, and XInclude,
// whatever its prefix is called. A parser may be told to leave them alone; a document that is not
// to be expanded has no reason to have them.
var xmlNames = pattern(
	`<!(?:ENTITY|DOCTYPE)[^>\["']*\s(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|'[^']*'))\s*("[^"]*"|'[^']*')` +
		`|<(?:[^\s<>"'/]*:)?include\s(?:[^>"']|"[^"]*"|'[^']*')*?href\s*=\s*("[^"]*"|'[^']*')`)

// scanXML finds the names that a document takes in.
func scanXML(src string) (facts []Fact) {
	for _, m := range xmlNames().FindAllStringSubmatchIndex(src, -1) {
		start, end := max(m[2], m[4])+1, max(m[3], m[5])-1
		name, isFile := strings.CutPrefix(src[start:end], "file://")
		f := Fact{Right: command.Read, Text: strings.TrimPrefix(name, "localhost"), Start: start,
			End: end}
		if !isFile && strings.Contains(name, "://") {
			f.Right, f.Text = command.Net, name
		}
		if f.Text != "" {
			facts = append(facts, f)
		}
	}
	return facts
}
