package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A Fact is one thing that a program text certainly names: a file it opens, a program it
// starts, a host it contacts.
type Fact struct {
	Right      command.Right // 0 when Rule tells instead what the program does
	Flags      command.Flags
	Text       string   // path, host:port or URL; "~" and "~/x" only where the program asks for the home directory
	Shell      string   // when Right is Exec and the literal is a shell command line: that line
	Argv       []string // when Right is Exec and the literal is a list: its words
	Rule       string   // what is dangerous whatever the names are, as a stable id: "sql.drop"; else ""
	Risk       int      // of Rule, 1 to 3
	Message    string   // of Rule: one plain sentence, lower case
	Maybe      bool     // of a makefile: the rule may not be wanted, or the variable not asked for
	Start, End int      // byte offsets in the program text
}

// maxText bounds the program text that is read. A longer text is opaque: the whole command
// line has a smaller limit, so only text made by tools arrives here with more.
const maxText = 4 << 20

// maxNesting bounds programs inside programs: eval of a literal that evals a literal.
const maxNesting = 8

// Scan finds what a program text certainly names, and whether anything in it could do
// more than the facts say.
//
// The languages are those of Languages and their usual other names; upper and lower case
// are the same. For any other lang there are no facts and opaque is true. An empty program
// does nothing: no facts, not opaque. Facts stand in the order of the text. Scan never
// panics, and its time is linear in len(text).
func Scan(lang, text string) (facts []Fact, opaque bool) {
	return scan(lang, text, 0, nil)
}

// Languages lists the languages that Scan reads, by the names that its callers should use.
func Languages() []string {
	return []string{"applescript", "ed", "expect", "gdb", "javascript", "lua", "make", "perl", "php",
		"powershell", "python", "r", "ruby", "sftp", "sh", "sql", "tcl", "vim", "xml"}
}

// Reads tells whether a language has its reader. Tests replace it, to measure what each reader
// earns: make ablate.
var Reads = func(lang string) bool { return true }

func scan(lang, text string, nesting int, spent *budget) ([]Fact, bool) {
	if strings.TrimSpace(text) == "" {
		return nil, false
	}
	if len(text) > maxText || nesting > maxNesting {
		return nil, true
	}
	if spent == nil {
		spent = newBudget(len(text))
	}
	lang = canonicalName(lang)
	if !Reads(lang) {
		return nil, true
	}
	if g := grammarOf(lang); g != nil {
		return scanCalls(g, text, nesting, spent)
	}
	switch lang {
	case "sh":
		return []Fact{{Right: command.Exec, Shell: text, End: len(text)}}, false
	case "sql":
		return scanSQL(text)
	case "make":
		return scanMake(text, nil, spent)
	case "xml":
		return scanXML(text), false
	case "ed":
		return nil, scanEd(text)
	}
	return scanWords(lang, text)
}

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
