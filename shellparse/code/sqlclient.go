package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// clientRules are the commands of psql and mysql (backslash), mysql (words) and sqlite3
// (dot) that reach files and programs, and what they do to their argument. The others only
// show or format. Where a file is named, a bar starts a program instead.
var clientRules = [...]struct{ name, does string }{
	{".ar", "opaque"},
	{".archive", "opaque"},
	{".backup", "write-last"},
	{".cd", "opaque"},
	{".clone", "write"},
	{".excel", "opaque"},
	{".import", "read"},
	{".load", "opaque"},
	{".log", "write"},
	{".once", "write"},
	{".open", "write-last"},
	{".output", "write"},
	{".read", "load"},
	{".restore", "read-last"},
	{".save", "write-last"},
	{".shell", "shell"},
	{".system", "shell"},
	{".trace", "write"},
	{".www", "opaque"},
	{"EDIT", "opaque"},
	{"PAGER", "shell"},
	{"SOURCE", "load"},
	{"SYSTEM", "shell"},
	{"TEE", "write"},
	{`\!`, "shell"},
	{`\.`, "load"},
	{`\P`, "shell"},
	{`\T`, "write"},
	{`\c`, "connect"},
	{`\cd`, "opaque"},
	{`\connect`, "connect"},
	{`\copy`, "copy"},
	{`\e`, "opaque"},
	{`\edit`, "opaque"},
	{`\ef`, "opaque"},
	{`\ev`, "opaque"},
	{`\g`, "write"},
	{`\gexec`, "opaque"},
	{`\gx`, "write"},
	{`\i`, "load"},
	{`\include`, "load"},
	{`\include_relative`, "load"},
	{`\ir`, "load"},
	{`\lo_export`, "write-last"},
	{`\lo_import`, "read"},
	{`\o`, "write"},
	{`\out`, "write"},
	{`\password`, "opaque"},
	{`\s`, "write"},
	{`\setenv`, "opaque"},
	{`\w`, "write"},
	{`\write`, "write"},
}

// client judges one line of a database client.
func (s *sqlScanner) client(t sqlToken) {
	line := strings.TrimRight(t.text, " \t\r;")
	if strings.HasPrefix(line, `\`) && len(line) > 1 && !isNameStart(line[1]) {
		line = line[:2] + " " + line[2:] // \!ls
	}
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(verb, `\`) && verb != `\!` {
		if _, cmd, ok := strings.Cut(rest, "`"); ok { // psql runs what stands in backticks
			cmd, _, _ = strings.Cut(cmd, "`")
			s.add(Fact{Right: command.Exec, Shell: cmd, Start: t.start, End: t.end})
		}
		if i := strings.IndexByte(rest, '\\'); i >= 0 { // the arguments of one end at the next
			s.chained(t, rest[i:])
			rest = strings.TrimSpace(rest[:i])
		}
	}
	for _, r := range clientRules {
		if r.name == verb || verb != "" && isNameStart(verb[0]) && strings.EqualFold(r.name, verb) ||
			len(verb) > 2 && verb[0] == '.' && strings.HasPrefix(r.name, verb) {
			s.clientDoes(r.does, rest, t)
			return
		}
	}
}

// chained reads the further backslash commands of a line.
func (s *sqlScanner) chained(t sqlToken, rest string) {
	if s.depth >= maxNesting {
		s.opaque = true
		return
	}
	s.depth++
	if j := strings.TrimLeft(rest, `\ `); j != "" {
		s.client(sqlToken{'c', `\` + j, t.start, t.end})
	}
	s.depth--
}

func (s *sqlScanner) clientDoes(does, rest string, t sqlToken) {
	args := clientWords(rest)
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	if first, ok := strings.CutSuffix(does, "-last"); ok {
		does = first
		if len(args) > 0 {
			name = args[len(args)-1]
		}
	}
	if strings.HasPrefix(name, "|") && does != "shell" {
		does = "shell"
		if i := strings.IndexByte(rest, '|'); i > 0 && (rest[i-1] == '\'' || rest[i-1] == '"') {
			rest = name[1:]
		} else {
			rest = rest[i+1:]
		}
	}
	f := sqlToken{text: name, start: t.start, end: t.end}
	switch {
	case does == "shell":
		if rest != "" {
			s.add(Fact{Right: command.Exec, Shell: rest, Start: t.start, End: t.end})
		}
	case does == "opaque":
		s.opaque = true
	case does == "copy":
		s.clientCopy(args, t)
	case does == "connect":
		s.opaque = s.opaque || len(args) > 2 || strings.ContainsAny(name, "=:/")
	case oneOf(name, "", "stdout", ":memory:", "off"):
	case does == "write":
		s.file(command.Write, f)
	case does == "read":
		s.file(command.Read, f)
	case does == "load":
		s.add(Fact{Right: command.Read, Flags: command.Source, Text: literalName(name), Start: t.start, End: t.end})
	}
}

// clientCopy is psql's \copy t TO|FROM name|PROGRAM command. Inside a query in brackets
// FROM stands too: then the table's name is read as if it were a file, which is harmless.
func (s *sqlScanner) clientCopy(args []string, t sqlToken) {
	for i := 0; i+1 < len(args); i++ {
		right := command.Read
		switch strings.ToUpper(args[i]) {
		case "TO":
			right = command.Write
		case "FROM":
		default:
			continue
		}
		switch next := strings.ToUpper(args[i+1]); {
		case next == "PROGRAM" && i+2 < len(args):
			s.add(Fact{Right: command.Exec, Shell: args[i+2], Start: t.start, End: t.end})
		case !oneOf(next, "STDIN", "STDOUT", "PSTDIN", "PSTDOUT"):
			s.file(right, sqlToken{text: args[i+1], start: t.start, end: t.end})
		}
	}
}

// clientWords splits the arguments of a client command at blanks, minding quotes.
func clientWords(s string) []string {
	var out []string
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" {
			return out
		}
		if s[0] == '\'' || s[0] == '"' {
			if n := strings.IndexByte(s[1:], s[0]); n >= 0 {
				out = append(out, s[1:1+n])
				s = s[n+2:]
				continue
			}
		}
		n := strings.IndexAny(s, " \t")
		if n < 0 {
			n = len(s)
		}
		out = append(out, s[:n])
		s = s[n:]
	}
}
