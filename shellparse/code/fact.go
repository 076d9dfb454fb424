package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A Fact is one thing that a program text certainly names: a file it opens, a program it
// starts, a host it contacts.
type Fact struct {
	Right command.Right // 0 when Rule describes what the program does
	Flags command.Flags
	// path, host:port or URL; "~" and "~/x" only where the program asks for the home directory
	Text  string
	Shell string   // when Right is Exec and the literal is a shell command line: that line
	Argv  []string // when Right is Exec and the literal is a list: its words
	// what is dangerous whatever the names are, as a stable id: "sql.drop"; else ""
	Rule    string
	Risk    int    // of Rule, 1 to 3
	Message string // of Rule: one plain sentence, lower case
	// of a makefile: the rule may not be wanted, or the variable not asked for; of a Write: a name
	// that is not known may be this one
	Maybe      bool
	Start, End int // byte offsets in the program text
}

// maxText bounds the program text that is read. A longer text is opaque: the whole command
// line has a smaller limit, so only text made by tools arrives here with more.
const maxText = 4 << 20

// maxNesting bounds programs inside programs: eval of a literal that evals a literal.
const maxNesting = 8

// Reads reports whether a language has its reader. Tests replace it, to measure what each reader
// earns: make ablate.
var Reads = func(lang string) bool { return true }

// canonicalName maps the names by which programs, files and people call a language to the
// one that Languages gives.
func canonicalName(lang string) string {
	lang = strings.ToLower(lang)
	switch lang {
	case "py", "python2", "python3", "pypy", "pypy3":
		return "python"
	case "js", "node", "nodejs", "deno", "bun", "typescript", "ts", "mjs":
		return "javascript"
	case "psql", "mysql", "mariadb", "sqlite", "sqlite3", "duckdb", "postgres", "postgresql":
		return "sql"
	case "rb":
		return "ruby"
	case "pl":
		return "perl"
	case "luajit":
		return "lua"
	case "rscript":
		return "r"
	case "tclsh", "wish":
		return "tcl"
	case "nvim", "ex", "view":
		return "vim"
	case "pwsh":
		return "powershell"
	case "osascript":
		return "applescript"
	case "bash", "dash", "ksh", "zsh", "mksh":
		return "sh"
	case "makefile", "gmake", "mk":
		return "make"
	}
	return lang
}

// A budget bounds the work that a text can cause beyond its own length: literals that are
// programs again, and names that are put together from pieces. Without it a literal of
// half a text that is evaluated by every statement of the other half is quadratic.
type budget struct{ bytes int }

func newBudget(n int) *budget { return &budget{bytes: 1<<16 + 16*n} }

// take reports whether n more bytes may be worked on.
func (b *budget) take(n int) bool {
	b.bytes -= n + 1
	return b.bytes >= 0
}
