package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// sqlClient matches a command of psql, mysql or sqlite3, which are lists of commands as well as
// SQL. Those that are not shown here run programs, name files or change what follows.
var (
	sqlClient = pattern(
		"(?m)\\\\\\S*|^\\s*\\.\\S*|(?i:^\\s*(?:system|source|tee|pager|edit)\\b)|/\\*M?!|`")
	sqlShows = pattern(`^(\\[adlhqtxz?]|\\d\S*|\\timing|\\pset|\\echo|\\conninfo|\\encoding|\\c` +
		`|\.tables|\.schema|\.headers?|\.mode|\.width|\.q(uit)?|\.exit|\.ind(exes|ices)|\.databases|\.nullvalue|\.separator|\.timer|\.stats|\.print|\.dump|\.bail|\.fullschema)$`)
)

// scanSQL reads statements and the commands of the clients as the command table reads psql -c.
func scanSQL(text string) (facts []Fact, opaque bool) {
	for _, word := range sqlClient().FindAllString(text, -1) {
		opaque = opaque || !sqlShows().MatchString(strings.TrimSpace(word))
	}
	const at = 2 // the argument that has the statements
	spec, _ := command.Lookup("psql")
	use := spec.Match([]command.Arg{{Text: "psql", Static: true}, {Text: "-c", Static: true},
		{Text: text, Static: true}})
	for _, h := range use.Hazards {
		if h.Rule == "db.change" && !changesMuch(text) {
			continue // a program that changes some rows, as tests and migrations do
		}
		opaque = opaque || h.Rule == "db.program"
		facts = append(facts, Fact{Rule: h.Rule, Risk: h.Risk, Message: h.Message, End: len(text)})
	}
	for _, t := range use.Touches {
		if t.Arg == at {
			facts = append(facts, Fact{Right: t.Right, Flags: t.Flags, Text: literalName(t.Text),
				End: len(text)})
		}
	}
	for _, n := range use.Nested {
		if n.Shell != nil {
			facts = append(facts, Fact{Right: command.Exec, Shell: n.Shell.Text, End: len(text)})
		}
	}
	return facts, opaque || len(use.Opaque) > 0
}

var privileges = pattern(`\b(GRANT|REVOKE|ALTER\s+(SYSTEM|USER|ROLE))\b`)

// changesMuch reports whether statements change privileges or every row of a table.
func changesMuch(text string) bool {
	text = strings.ToUpper(text)
	for statement := range strings.SplitSeq(text, ";") {
		if strings.Contains(statement, "UPDATE") && !strings.Contains(statement, "WHERE") &&
			!strings.Contains(statement, "CONFLICT") {
			return true
		}
	}
	return privileges().MatchString(text)
}

// literalName keeps a literal that starts with ~ from being read as the home directory.
func literalName(name string) string {
	if strings.HasPrefix(name, "~") {
		return "./" + name
	}
	return name
}
