package command

import "strings"

// sqlFileWords come before a literal that is the name of a file: the statement or the function, and
// what it does with the file.
var sqlFileWords = []struct{ word, kind string }{
	{"ATTACH", "RW"}, {"DATABASE", "RW"}, {"DUMPFILE", "W"}, {"INFILE", "R"},
	{"LOAD_EXTENSION", "LIB"},
	{"OUTFILE", "W"}, {"READFILE", "R"}, {"READ_BLOB", "R"}, {"READ_CSV", "R"},
	{"READ_CSV_AUTO", "R"}, {"READ_JSON", "R"},
	{"READ_JSON_AUTO", "R"}, {"READ_PARQUET", "R"}, {"READ_TEXT", "R"}, {"WRITEFILE", "W"},
}

// sqlFiles finds the literals of statements that name files of the client: ATTACH 'x',
// COPY t TO 'x', writefile('x', y). A literal behind FROM is one for the databases that
// query files, and a table for the others, so it is read at most.
func (m *matcher) sqlFiles(v value) {
	text, word, copying := v.Text, "", false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return
			}
			m.sqlFile(word, copying, value{Arg{Text: text[i+1 : i+1+end], Static: v.Static}, v.at})
			i += end + 1
			word = ""
		case sqlNameByte(c):
			start := i
			for i+1 < len(text) && sqlNameByte(text[i+1]) {
				i++
			}
			word = strings.ToUpper(text[start : i+1])
			copying = copying || word == "COPY" || word == "EXPORT" || word == "VACUUM"
		case c == ';':
			copying = false
		case c == ')' || c == ',':
			word = ""
		}
	}
}

func sqlNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (m *matcher) sqlFile(word string, copying bool, file value) {
	switch {
	case (word == "TO" || word == "INTO") && copying:
		m.path(role{kind: "W"}, file)
	case word == "FROM":
		m.path(role{kind: "R"}, file)
	}
	for _, w := range sqlFileWords {
		switch {
		case w.word != word || file.Text == "" || file.Text == ":memory:":
		case w.kind == "LIB":
			m.loads(role{}, []value{file})
		default:
			m.path(role{kind: w.kind}, file)
			if word == "INFILE" {
				m.flags |= Upload
			}
		}
	}
}
