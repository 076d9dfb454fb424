package eval

import "strings"

// What programs read as a language, and where they go in the network.

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func isShell(lang string) bool {
	switch lang {
	case "sh", "bash", "dash", "ksh", "zsh", "ash", "mksh", "shell":
		return true
	}
	return false
}

// endpoint reads a URL, host:port or host.
func endpoint(text string) Endpoint {
	e := Endpoint{Static: true}
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		e.Scheme, text = scheme, rest
	}
	if i := strings.IndexAny(text, "/?#"); i >= 0 {
		text = text[:i]
	}
	text = text[strings.LastIndexByte(text, '@')+1:]
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		if n, ok := integer(text[i+1:]); ok && n > 0 && n < 65536 {
			e.Port, text = int(n), text[:i]
		}
	}
	e.Host = strings.Trim(text, "[]")
	e.Static = e.Host != ""
	return e
}

// sqlClients read statements of SQL from their files.
const sqlClients = " psql mysql mariadb sqlite3 sqlite litecli duckdb clickhouse-client " +
	"clickhouse cqlsh sqlcmd snowsql sqlplus usql pgcli mycli ysqlsh vsql trino presto hive " +
	"beeline impala-shell spark-sql cockroach "

// languageOf is the language that a program executes.
func languageOf(program string) string {
	switch {
	case strings.HasPrefix(program, "python"), program == "pypy", program == "pypy3",
		program == "pytest", program == "py.test":
		return "python"
	case program == "node", program == "bun", program == "deno", program == "nodejs",
		program == "tsx", program == "ts-node":
		return "javascript"
	case strings.HasPrefix(program, "perl"):
		return "perl"
	case strings.HasPrefix(program, "ruby"):
		return "ruby"
	case strings.HasPrefix(program, "php"):
		return "php"
	case isShell(program), program == "source", program == ".", program == "busybox",
		program == "at", program == "batch":
		return "sh"
	case strings.Contains(sqlClients, " "+program+" "):
		return "sql"
	case program == "mongosh", program == "mongo":
		return "mongo"
	case program == "gawk", program == "mawk":
		return "awk"
	case program == "gmake":
		return "make"
	}
	return program
}

// scriptLang is the language of a file that is executed by its name.
func scriptLang(f *written) string {
	text, _ := f.flow.whole()
	line, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(line, "#!") {
		return "sh"
	}
	words := strings.Fields(line[2:])
	for _, word := range words {
		if name := base(word); name != "env" && !strings.HasPrefix(name, "-") {
			return scriptFor(name)
		}
	}
	return "sh"
}

// scriptFor is a shell by its name, because shells differ, and of another program the language.
func scriptFor(program string) string {
	if isShell(program) {
		return program
	}
	return languageOf(program)
}

// dialectOf is that of a program whose options are not those of bash.
func dialectOf(program string) Dialect {
	if program == "zsh" {
		return Zsh
	}
	return Bash
}

// loopback reports whether a host is this machine: what is sent there does not leave.
func loopback(host string) bool {
	return host == "localhost" || host == "::1" ||
		strings.HasPrefix(host, "127.") && strings.Trim(host, "0123456789.") == ""
}

// planted reports whether bytes come from where an attacker would put them.
func planted(from Source) bool { return from == Network || from == Decoded }
