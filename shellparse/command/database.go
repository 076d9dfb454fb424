package command

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// sql reads statements for what destroys, and lines for the commands of the client that
// leave the database.
func (m *matcher) sql(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static {
			m.opaque(v, Write, "the statement is not known")
		}
		if strings.Contains(v.Text, `\'`) || strings.Contains(v.Text, `\"`) {
			m.opaque(v, Exec, "the literal ends here in one database and goes on in another")
		}
		for line := range strings.SplitSeq(v.Text, "\n") {
			m.sqlMeta(v, strings.TrimSpace(line))
		}
		m.sqlFiles(v)
		for statement := range strings.SplitSeq(sqlWords(v.Text), ";") {
			m.sqlStatement(strings.Fields(statement), v)
		}
	}
}

// sqlWords returns the text in upper case without literals and comments, so that a word in
// a string is no verb.
func sqlWords(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'' || c == '"' || c == '`':
			if end := strings.IndexByte(text[i+1:], c); end >= 0 {
				i += end + 1
			} else {
				i = len(text)
			}
			b.WriteString(" ? ")
		case strings.HasPrefix(text[i:], "--"):
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				i += end
			} else {
				i = len(text)
			}
		case strings.HasPrefix(text[i:], "/*!"), strings.HasPrefix(text[i:], "/*M!"):
			// which MySQL executes
			i += strings.IndexByte(text[i:], '!')
			for i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
				i++
			}
			b.WriteByte(';')
		case strings.HasPrefix(text[i:], "/*"):
			if end := strings.Index(text[i:], "*/"); end >= 0 {
				i += end + 1
			} else {
				i = len(text)
			}
			b.WriteByte(' ')
		case c == '(':
			b.WriteString(" ( ")
		case c == ')' || c == ',':
			b.WriteByte(' ')
		default:
			b.WriteByte(c)
		}
	}
	return strings.ToUpper(b.String())
}

//go:embed sql.txt
var sqlText string

// A sqlRule is one line of sql.txt.
type sqlRule struct {
	where, rule string
	words       []string
}

var sqlRules = sync.OnceValue(func() (rules []sqlRule) {
	for line := range strings.Lines(sqlText) {
		if f := strings.Fields(line); f[0] != "#" {
			rules = append(rules, sqlRule{f[0], f[1], f[2:]})
		}
	}
	return rules
})

// sqlOpeners are words after which a statement can start inside another.
var sqlOpeners = []string{"(", "ANALYZE", "AS", "BEGIN", "ELSE", "EXPLAIN", "LOOP", "THEN"}

// holdsData reports whether what is created holds data: the words behind it are names.
func holdsData(word string) bool {
	return slices.Contains([]string{"DATABASE", "INDEX", "SCHEMA", "SEQUENCE", "TABLE", "TYPE",
		"VIEW"}, word)
}

// sqlStatement finds the rules for the words of a statement.
func (m *matcher) sqlStatement(words []string, v value) {
	if len(words) == 0 {
		return
	}
	has := func(word string) bool { return slices.Contains(words, word) }
	destroys := has("DELETE") && has("FROM") && !has("WHERE") ||
		words[0] == "ALTER" && has("DROP") ||
		words[0] == "MATCH" && has("DELETE") // in Cypher
	if destroys {
		m.hazard("db.destroy", v.at)
	}
	for i, word := range words {
		first := i == 0 || slices.Contains(sqlOpeners, words[i-1])
		for _, r := range sqlRules() {
			fits := r.where == "any" || r.where == "first" && first || r.where == "created" &&
				i > 0 && words[0] == "CREATE" && !slices.ContainsFunc(words[1:i], holdsData) ||
				r.where == "called" && i+1 < len(words) && words[i+1] == "("
			switch {
			case !fits || !slices.Contains(r.words, word) || destroys && r.rule == "db.change":
			case r.rule == "?":
				m.opaque(v, Exec, "the statement runs text that is not read")
			default:
				m.hazard(r.rule, v.at)
			}
		}
	}
	switch {
	case has("PROGRAM") && has("COPY"):
		m.hazard("db.program", v.at)
	case words[0] == "LOAD" && !has("DATA") && !has("XML"):
		m.hazard("code.load-library", v.at)
	case words[0] == "COPY" && has("STDIN"), words[0] == "INSERT":
		m.flags |= Upload
	}
}

// sqlMetas are commands of psql(1), mysql(1) and sqlite3(1) that touch files or programs.
var sqlMetas = []struct{ word, what string }{
	{`\!`, "sh"}, {"system", "sh"}, {".shell", "sh"}, {".system", "sh"}, {"pager", "sh"},
	{`\P`, "sh"},
	{`\i`, "source"}, {`\include`, "source"}, {`\include_relative`, "source"},
	{`\ir`, "source"}, {`\.`, "source"}, {"source", "source"},
	{".read", "source"},
	{`\o`, "out"}, {`\out`, "out"}, {`\g`, "out"}, {`\w`, "out"}, {`\T`, "out"}, {"tee", "out"},
	{".output", "out"},
	{".once", "out"}, {".log", "out"}, {".backup", "out"}, {".save", "out"}, {".clone", "out"},
	{".excel", "out"},
	{".import", "read"}, {".restore", "read"}, {".open", "db"}, {".load", "lib"}, {".cd", "none"},
	{`\copy`, "copy"},
}

func (m *matcher) sqlMeta(v value, line string) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(line, `\!`) {
		word, rest = `\!`, strings.TrimSpace(line[2:])
	}
	arg := value{Arg{Text: rest, Static: v.Static}, v.at}
	name := arg
	name.Text = strings.Trim(strings.Join(strings.Fields(rest)[:min(1, len(strings.Fields(rest)))],
		""), `'"`)
	for _, meta := range sqlMetas {
		if (meta.word == word || meta.word[0] != '\\' && strings.EqualFold(meta.word, word)) &&
			rest != "" {
			m.sqlMetaDo(meta.what, arg, name)
		}
	}
}

func (m *matcher) sqlMetaDo(what string, arg, name value) {
	switch what {
	case "sh":
		m.shell(role{}, []value{arg})
	case "source":
		m.source(role{param: "sql"}, []value{name})
	case "out":
		if strings.HasPrefix(arg.Text, "|") {
			m.shell(role{}, []value{arg.piece(1)})
			return
		}
		m.path(role{kind: "W"}, name)
	case "read":
		if text := strings.Trim(arg.Text, `'"`); strings.HasPrefix(text, "|") {
			text, _, _ = strings.Cut(text[1:], `"`)
			m.shell(role{}, []value{{Arg{Text: text, Static: arg.Static}, arg.at}})
			return
		}
		m.path(role{kind: "R"}, name)
	case "db":
		m.path(role{kind: "RW"}, name)
	case "lib":
		m.loads(role{}, []value{name})
	case "copy":
		m.sqlCopy(arg)
	}
}

// sqlCopy is \copy TABLE from|to FILE|stdin|stdout|program 'COMMAND'. What is read here
// goes to the server.
func (m *matcher) sqlCopy(arg value) {
	fields := strings.Fields(arg.Text)
	for i := len(fields) - 2; i > 0; i-- {
		way := strings.ToLower(fields[i])
		if way != "from" && way != "to" {
			continue
		}
		name := strings.Trim(fields[i+1], `'";`)
		file := value{Arg{Text: name, Static: arg.Static}, arg.at}
		switch lower := strings.ToLower(name); {
		case lower == "program":
			m.opaque(arg, Exec, `\copy runs a program`)
		case lower == "stdin" || lower == "pstdin":
			m.flags |= Upload
		case lower == "stdout" || lower == "pstdout":
		case way == "to":
			m.path(role{kind: "W"}, file)
		default:
			m.path(role{kind: "R"}, file)
			m.flags |= Upload
		}
		return
	}
	m.opaque(arg, Write, `\copy reads or writes a file or a program`)
}

// database is an address with a scheme; any other word is the name of a database.
func (m *matcher) database(_ role, vs []value) {
	for _, v := range vs {
		if strings.Contains(v.Text, "://") {
			m.url(role{kind: "URL"}, []value{v})
		}
	}
}

// queryOut is psql -o: a file, or a command behind |.
func (m *matcher) queryOut(_ role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, "|") {
			m.shell(role{}, []value{v.piece(1)})
			continue
		}
		m.path(role{kind: "W"}, v)
	}
}

// mongoCode is JavaScript for the shell of MongoDB.
func (m *matcher) mongoCode(_ role, vs []value) {
	for _, v := range vs {
		for _, verb := range []string{"dropDatabase", ".drop(", "deleteMany({})", ".remove({})",
			"dropIndexes", "shutdownServer"} {
			if strings.Contains(v.Text, verb) {
				m.hazard("db.destroy", v.at)
			}
		}
		if !v.Static {
			m.opaque(v, Write, "the statement is not known")
		}
		if slices.ContainsFunc(mongoReads,
			func(word string) bool { return strings.Contains(v.Text, word) }) {
			m.flags |= Upload
		}
		for _, verb := range []string{"require(", "passthru", "runProgram", "run(", "load(",
			"process."} {
			if strings.Contains(v.Text, verb) {
				m.code(role{param: "javascript"}, []value{v})
				if strings.HasPrefix(verb, "run") {
					m.hazard("db.program", v.at) // the shell's own way to start a program
				}
				break
			}
		}
	}
}

// mongoReads are words by which code of the shell of MongoDB reads what is on this machine, or by
// which it makes other words: the host that it talks to may get it.
var mongoReads = []string{"process", "require", "import", "global", "eval", "Function",
	"constructor", "Reflect", "this[", "cat(", "ls(", "load(", "listFiles", "hostname(",
	"getHostName", "_getEnv", "fs.", "os.", "readFile", "\\u", "\\x"}

// redisVerbs are commands of Redis that are more than reading and writing keys.
var redisVerbs = []struct{ verb, rule string }{
	{"FLUSHALL", "db.destroy"}, {"FLUSHDB", "db.destroy"}, {"SHUTDOWN", "db.destroy"},
	{"SWAPDB", "db.destroy"},
	{"DEL", "db.change"}, {"UNLINK", "db.change"}, {"FAILOVER", "db.change"},
	{"EVAL", "db.program"}, {"MODULE", "db.program"}, {"SLAVEOF", "db.program"},
	{"REPLICAOF", "db.program"},
	{"MIGRATE", "db.program"}, {"DEBUG", "db.program"}, {"ACL", "db.program"},
}

func (m *matcher) redis(_ role, vs []value) {
	if len(vs) == 0 {
		if !m.info && !m.has("--eval") {
			m.use.StdinCode = "redis"
		}
		return
	}
	verb := strings.ToUpper(vs[0].Text)
	if verb == "CONFIG" && len(vs) > 1 && !strings.EqualFold(vs[1].Text, "get") {
		m.hazard("db.program", vs[0].at)
	}
	for _, r := range redisVerbs {
		if r.verb == verb {
			m.hazard(r.rule, vs[0].at)
		}
	}
	if !vs[0].Static {
		m.opaque(vs[0], Write, "the command is not known")
	}
}
