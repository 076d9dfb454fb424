package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// Scan finds what a program text certainly names, and whether anything in it could do
// more than the facts say.
//
// The languages are those of Languages and their usual other names; upper and lower case are the
// same. For any other lang there are no facts and opaque is true. An empty program does nothing: no
// facts, not opaque. Facts are in the order of the text. Scan never panics, and its time is linear
// in len(text).
func Scan(lang, text string) (facts []Fact, opaque bool) {
	return scan(lang, text, 0, nil)
}

// Languages lists the languages that Scan reads, by the names that its callers should use.
func Languages() []string {
	return []string{"applescript", "c", "ed", "expect", "gdb", "go", "javascript", "lua", "make",
		"perl", "php", "powershell", "python", "r", "ruby", "rust", "sftp", "sh", "sql", "tcl",
		"vim", "xml"}
}

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
		return scanCalls(g, text, nesting, spent, scan)
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
