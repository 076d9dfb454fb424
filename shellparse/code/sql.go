package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A sqlToken is a word, a string literal or another character of SQL text. The client
// commands of psql, mysql and sqlite3 are tokens of their own, up to the end of their line.
type sqlToken struct {
	kind       byte // 'w' word, 's' string, 'c' client command, 'p' other
	text       string
	start, end int
}

// sqlScanner reads the SQL of PostgreSQL, MySQL, SQLite and DuckDB at once: the caller
// often cannot tell which it is, and what is dangerous in one is an error in the others.
type sqlScanner struct {
	src    string
	pos    int
	facts  []Fact
	opaque bool
	depth  int
}

func scanSQL(src string, depth int) ([]Fact, bool) {
	s := &sqlScanner{src: src, depth: depth}
	var statement []sqlToken
	for {
		t, ok := s.next(len(statement) == 0)
		switch {
		case !ok:
			s.statement(statement)
			return s.facts, s.opaque
		case t.kind == 'c':
			s.client(t)
		case t.kind == 'p' && t.text == ";":
			s.statement(statement)
			statement = statement[:0]
		default:
			statement = append(statement, t)
		}
	}
}

func (s *sqlScanner) next(fresh bool) (sqlToken, bool) {
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		c, start := rest[0], s.pos
		switch {
		case isSpace(c) || c == '\f' || c == '\v':
			s.pos++
		case strings.HasPrefix(rest, "--"):
			s.line()
		case strings.HasPrefix(rest, "/*"):
			s.opaque = s.opaque || strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!") // MySQL executes these
			s.until("*/", 2)
		case c == '\'' || c == '"' || c == '`':
			return s.quoted(c), true
		case c == '$':
			if t, ok := s.dollar(); ok {
				return t, true
			}
			s.pos++
			return sqlToken{'p', "$", start, s.pos}, true
		case c == '\\', c == '.' && fresh && s.lineStart():
			return sqlToken{'c', s.line(), start, s.pos}, true
		case isNameStart(c):
			for s.pos < len(s.src) && isNameByte(s.src[s.pos]) {
				s.pos++
			}
			w := strings.ToUpper(s.src[start:s.pos])
			if fresh && mysqlCommand(w) {
				s.pos = start
				return sqlToken{'c', s.line(), start, s.pos}, true
			}
			return sqlToken{'w', w, start, s.pos}, true
		case isDigit(c):
			for s.pos < len(s.src) && (isNameByte(s.src[s.pos]) || s.src[s.pos] == '.') {
				s.pos++
			}
			return sqlToken{'p', s.src[start:s.pos], start, s.pos}, true
		default:
			s.pos++
			return sqlToken{'p', s.src[start:s.pos], start, s.pos}, true
		}
	}
	return sqlToken{}, false
}

// mysqlCommand reports whether a word at the start of a statement is a command of the
// mysql client, which goes to the end of the line.
func mysqlCommand(w string) bool {
	switch w {
	case "SYSTEM", "SOURCE", "TEE", "PAGER", "EDIT":
		return true
	}
	return false
}

func (s *sqlScanner) lineStart() bool { return s.pos == 0 || s.src[s.pos-1] == '\n' }

// line takes the rest of the line.
func (s *sqlScanner) line() string {
	start := s.pos
	if n := strings.IndexByte(s.src[s.pos:], '\n'); n >= 0 {
		s.pos += n
	} else {
		s.pos = len(s.src)
	}
	return s.src[start:s.pos]
}

func (s *sqlScanner) until(stop string, from int) {
	if n := indexFrom(s.src[s.pos:], stop, from); n >= 0 {
		s.pos += n + len(stop)
		return
	}
	s.opaque = true
	s.pos = len(s.src)
}

// quoted reads '...', "..." and `...`, with the quote doubled inside. A backslash before a
// quote ends the string in one product and not in another.
func (s *sqlScanner) quoted(q byte) sqlToken {
	start := s.pos
	kind := byte('p') // a quoted name
	if q == '\'' {
		kind = 's'
	}
	var b strings.Builder
	for s.pos++; s.pos < len(s.src); s.pos++ {
		c := s.src[s.pos]
		if c == '\\' && s.pos+1 < len(s.src) && (s.src[s.pos+1] == q || s.src[s.pos+1] == '\\') {
			s.opaque = true
		}
		if c == q {
			if s.pos+1 >= len(s.src) || s.src[s.pos+1] != q {
				s.pos++
				return sqlToken{kind, b.String(), start, s.pos}
			}
			s.pos++
		}
		b.WriteByte(c)
	}
	s.opaque = true
	return sqlToken{kind, b.String(), start, s.pos}
}

// dollar reads $tag$ ... $tag$, which holds the body of a function or of DO.
func (s *sqlScanner) dollar() (sqlToken, bool) {
	rest, start := s.src[s.pos:], s.pos
	i := 1
	for i < len(rest) && i < 64 && isNameByte(rest[i]) {
		i++
	}
	if i >= len(rest) || rest[i] != '$' || i > 1 && isDigit(rest[1]) {
		return sqlToken{}, false
	}
	tag := rest[:i+1]
	n := strings.Index(rest[len(tag):], tag)
	if n < 0 {
		s.opaque = true
		s.pos = len(s.src)
		return sqlToken{'p', "", start, s.pos}, true
	}
	s.pos += n + 2*len(tag)
	return sqlToken{'s', rest[len(tag) : len(tag)+n], start, s.pos}, true
}

func (s *sqlScanner) add(f Fact) { s.facts = append(s.facts, f) }

func (s *sqlScanner) file(right command.Right, t sqlToken) {
	s.add(Fact{Right: right, Text: literalName(t.text), Start: t.start, End: t.end})
}

func (s *sqlScanner) rule(id string, risk int, message string, t sqlToken) {
	s.add(Fact{Rule: id, Risk: risk, Message: message, Start: t.start, End: t.end})
}

// literalName keeps a literal that starts with ~ from being read as the home directory.
func literalName(name string) string {
	if strings.HasPrefix(name, "~") {
		return "./" + name
	}
	return name
}

// sqlStatements are the first words of the statements that destroy, and what is said.
var sqlStatements = [...]struct {
	word, unless, id string
	risk             int
	message          string
}{
	{"DELETE", "WHERE", "sql.delete-all", 3, "deletes every row of a table"},
	{"DROP", "", "sql.drop", 3, "drops a part of the database"},
	{"GRANT", "", "sql.privilege", 2, "changes who may do what"},
	{"KILL", "", "sql.stop", 3, "stops a session"},
	{"REVOKE", "", "sql.privilege", 2, "changes who may do what"},
	{"SHUTDOWN", "", "sql.stop", 3, "stops the server"},
	{"TRUNCATE", "", "sql.truncate", 3, "empties a table"},
	{"UPDATE", "WHERE", "sql.update-all", 2, "changes every row of a table"},
}

func startsStatement(w string) bool {
	for _, r := range sqlStatements {
		if r.word == w {
			return true
		}
	}
	return oneOf(w, "ALTER", "COPY")
}

type sqlStatement []sqlToken

func (ts sqlStatement) word(i int) string {
	if i < len(ts) && ts[i].kind == 'w' {
		return ts[i].text
	}
	return ""
}

func (ts sqlStatement) has(words ...string) bool {
	for _, t := range ts {
		if t.kind == 'w' && oneOf(t.text, words...) {
			return true
		}
	}
	return false
}

func oneOf(s string, of ...string) bool {
	for _, x := range of {
		if s == x {
			return true
		}
	}
	return false
}

// statement judges one statement by its first words and by the functions in it.
func (s *sqlScanner) statement(ts sqlStatement) {
	if len(ts) == 0 {
		return
	}
	s.first(ts)
	inner := 0
	for i := range ts {
		// the statements inside BEGIN ... END, and what EXPLAIN ANALYZE runs
		if i > 0 && oneOf(ts.word(i-1), "BEGIN", "THEN", "ELSE", "LOOP", "AS", "ANALYZE", "EXPLAIN") && startsStatement(ts.word(i)) {
			if inner++; inner > maxDepth {
				s.opaque = true
				return
			}
			s.first(ts[i:])
		}
		s.clause(ts, i)
		s.function(ts, i)
	}
}

// first judges a statement by its first words.
func (s *sqlScanner) first(ts sqlStatement) {
	all := sqlToken{start: ts[0].start, end: ts[len(ts)-1].end}
	for _, r := range sqlStatements {
		if r.word == ts.word(0) && (r.unless == "" || !ts.has(r.unless)) {
			s.rule(r.id, r.risk, r.message, all)
		}
	}
	switch ts.word(0) {
	case "ALTER":
		if ts.has("DROP") {
			s.rule("sql.drop", 3, "drops a part of the database", all)
		} else if oneOf(ts.word(1), "SYSTEM", "USER", "ROLE") {
			s.rule("sql.privilege", 2, "changes accounts or the settings of the server", all)
		}
	case "CREATE":
		s.create(ts, all)
	case "DO", "EXECUTE", "PREPARE", "CALL":
		s.body(ts)
	case "COPY":
		s.copy(ts)
	case "ATTACH", "IMPORT", "EXPORT":
		for _, t := range ts {
			if t.kind == 's' && t.text != ":memory:" && t.text != "" {
				s.file(command.Write, t)
			}
		}
	case "INSTALL", "LOAD":
		s.opaque = s.opaque || !oneOf(ts.word(1), "DATA", "XML")
	}
}

// clause judges the words inside a statement after which a file or a command stands.
func (s *sqlScanner) clause(ts sqlStatement, i int) {
	literal := i+1 < len(ts) && ts[i+1].kind == 's'
	switch ts.word(i) {
	case "OUTFILE", "DUMPFILE":
		if literal {
			s.file(command.Write, ts[i+1])
		} else {
			s.opaque = true
		}
	case "INFILE":
		if literal {
			s.file(command.Read, ts[i+1])
		}
	case "INTO":
		if ts.word(0) == "VACUUM" && literal {
			s.file(command.Write, ts[i+1])
		}
	case "FROM":
		if literal && strings.ContainsAny(ts[i+1].text, "./") && ts.word(0) != "COPY" {
			s.file(command.Read, ts[i+1]) // DuckDB
		}
	case "DELETE":
		if i > 0 && ts.word(0) == "WITH" {
			s.rule("sql.delete", 2, "deletes rows", ts[i])
		}
	case "XP_CMDSHELL":
		if literal {
			s.add(Fact{Right: command.Exec, Shell: ts[i+1].text, Start: ts[i].start, End: ts[i+1].end})
		} else {
			s.opaque = true
		}
	}
}

func (s *sqlScanner) create(ts sqlStatement, all sqlToken) {
	switch {
	case ts.has("FUNCTION", "PROCEDURE", "LANGUAGE", "WRAPPER"):
		for i, t := range ts {
			if t.kind == 'w' && t.text == "LANGUAGE" && i+1 < len(ts) && !oneOf(strings.ToUpper(ts[i+1].text), "SQL", "PLPGSQL") {
				s.opaque = true
			}
		}
		s.opaque = s.opaque || ts.has("SONAME")
		s.body(ts)
	case ts.has("TRIGGER", "EVENT"):
		s.body(ts)
	case oneOf(ts.word(1), "USER", "ROLE"):
		s.rule("sql.privilege", 2, "creates an account", all)
	case ts.word(1) == "EXTENSION":
		s.opaque = true
	}
}

// body reads SQL inside a string: DO $$ ... $$, CREATE FUNCTION ... AS $$ ... $$.
func (s *sqlScanner) body(ts sqlStatement) {
	s.opaque = s.opaque || ts.has("EXECUTE", "PREPARE") && ts.word(0) != "EXECUTE"
	for _, t := range ts {
		if t.kind != 's' {
			continue
		}
		if s.depth >= maxNesting {
			s.opaque = true
			return
		}
		facts, opaque := scanSQL(t.text, s.depth+1)
		s.opaque = s.opaque || opaque || strings.Contains(strings.ToUpper(t.text), "EXECUTE")
		for _, f := range facts {
			f.Start, f.End = t.start, t.end
			s.add(f)
		}
	}
}

// copy is COPY t TO 'file', COPY t FROM PROGRAM 'command'.
func (s *sqlScanner) copy(ts sqlStatement) {
	right := command.Right(0)
	for i, t := range ts {
		switch {
		case t.kind == 'w' && t.text == "TO":
			right = command.Write
		case t.kind == 'w' && t.text == "FROM":
			right = command.Read
		case t.kind == 's' && i > 0 && ts[i-1].text == "PROGRAM":
			s.add(Fact{Right: command.Exec, Shell: t.text, Start: t.start, End: t.end})
			return
		case t.kind == 's' && right != 0:
			s.file(right, t)
			return
		}
	}
}

// sqlFunctions are those that reach out of the database; the first string argument is the
// name of a file, or the function cannot be told when right is 0.
var sqlFunctions = [...]struct {
	name  string
	right command.Right
}{
	{"DBLINK", 0},
	{"DBLINK_CONNECT", 0},
	{"DBLINK_EXEC", 0},
	{"EDIT", 0},
	{"EVAL", 0},
	{"HTTP_GET", 0},
	{"LOAD_EXTENSION", 0},
	{"LOAD_FILE", command.Read},
	{"LO_EXPORT", command.Write},
	{"LO_FROM_BYTEA", 0},
	{"LO_IMPORT", command.Read},
	{"PG_FILE_UNLINK", command.Delete},
	{"PG_FILE_WRITE", command.Write},
	{"PG_LS_DIR", command.Read},
	{"PG_READ_BINARY_FILE", command.Read},
	{"PG_READ_FILE", command.Read},
	{"QUERY_TO_XML", 0},
	{"READFILE", command.Read},
	{"READ_CSV", command.Read},
	{"READ_CSV_AUTO", command.Read},
	{"READ_JSON", command.Read},
	{"READ_JSON_AUTO", command.Read},
	{"READ_PARQUET", command.Read},
	{"READ_TEXT", command.Read},
	{"SYS_EVAL", 0},
	{"SYS_EXEC", 0},
	{"WRITEFILE", command.Write},
}

func (s *sqlScanner) function(ts sqlStatement, i int) {
	t := ts[i]
	if t.kind != 'w' || i+1 >= len(ts) || ts[i+1].text != "(" {
		return
	}
	if t.text == "PG_TERMINATE_BACKEND" || t.text == "PG_CANCEL_BACKEND" {
		s.rule("sql.stop", 2, "stops a session", t)
	}
	for _, f := range sqlFunctions {
		if f.name != t.text {
			continue
		}
		j := i + 2
		for j < len(ts) && j < i+12 && ts[j].kind != 's' && ts[j].text != ")" && ts[j].text != "|" {
			j++
		}
		if f.right == 0 || j >= len(ts) || ts[j].kind != 's' || j+1 < len(ts) && ts[j+1].text != "," && ts[j+1].text != ")" {
			s.opaque = true
		} else {
			s.file(f.right, ts[j])
		}
	}
}
