package command

import (
	"slices"
	"strings"
)

// sqlite is a database file and statements; without them it reads standard input. Where all that is
// said reads, so does the program, unless the database is in WAL mode: to read that, it makes files
// beside it.
func (m *matcher) sqlite(_ role, vs []value) {
	reads := m.has("-readonly") || len(vs) > 1 && !m.has("-cmd") && !m.has("-init") &&
		!m.has("-append") &&
		!slices.ContainsFunc(vs[1:], changesDatabase)
	for i, v := range vs {
		switch {
		case i == 0 && (v.Text == ":memory:" || v.Text == ""):
		case i == 0 && reads:
			m.touch(Read, WriteAhead, v, true)
		case i == 0:
			m.path(role{kind: "RW"}, v)
		default:
			m.sql(role{}, []value{v})
		}
	}
	if len(vs) < 2 && !m.info && !m.has("-version") {
		m.use.StdinCode = "sql"
	}
}

// sqliteShows are the commands of sqlite3(1) that only show something, or how it is shown.
const sqliteShows = " .bail .databases .dbinfo .dump .echo .eqp .explain .fullschema " +
	".headers .header .help .indexes .indices .limit .mode .nullvalue .print .schema .separator " +
	".show .stats .tables .timer .version .width "

// sqliteAsks are the pragmas that ask, whatever their argument is.
const sqliteAsks = " COLLATION_LIST COMPILE_OPTIONS DATABASE_LIST FOREIGN_KEY_CHECK " +
	"FOREIGN_KEY_LIST FREELIST_COUNT FUNCTION_LIST INDEX_INFO INDEX_LIST INDEX_XINFO " +
	"INTEGRITY_CHECK PAGE_COUNT QUICK_CHECK TABLE_INFO TABLE_LIST TABLE_XINFO "

func changesDatabase(v value) bool { return !v.Static || !sqliteReads(v.Text) }

// sqliteReads reports whether a text that sqlite3 gets as a word only reads the database. Names in
// brackets are not read, nor are functions that reach files or settings.
func sqliteReads(text string) bool {
	if command := strings.TrimSpace(text); strings.HasPrefix(command, ".") {
		return !strings.ContainsAny(command, "\n;|") &&
			strings.Contains(sqliteShows, " "+strings.Fields(command)[0]+" ")
	}
	words := sqlWords(text)
	if strings.Contains(text, "[") || strings.Contains(words, "FSDIR") ||
		strings.Contains(words, "PRAGMA_") || strings.Contains(words, "\n.") {
		return false
	}
	for statement := range strings.SplitSeq(words, ";") {
		words := strings.Fields(statement)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "SELECT", "VALUES", "EXPLAIN":
		case "WITH":
			for _, verb := range []string{"INSERT", "UPDATE", "DELETE", "INTO"} {
				if slices.Contains(words, verb) {
					return false
				}
			}
		case "PRAGMA":
			if len(words) < 2 || !strings.Contains(sqliteAsks,
				" "+strings.TrimPrefix(words[1], "MAIN.")+" ") {
				return false
			}
		default:
			return false
		}
	}
	return true
}
