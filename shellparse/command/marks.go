package command

import "strings"

// mark applies the marks of an entry, an option or a pattern to everything that follows. A
// mark with a dot is the id of a hazard.
func (m *matcher) mark(marks []string, at int) {
	m.flags |= flagsOf(marks)
	m.markRole(marks, at)
}

// markRole applies the marks of one value: its flags are its own, but the rest counts for
// the whole line.
func (m *matcher) markRole(marks []string, at int) {
	for _, mark := range marks {
		switch {
		case mark == "upload":
			m.flags |= Upload
		case mark == "changes":
			m.changes = true
		case mark == "clear":
			m.use.Clear = true
		case mark == "write-here":
			m.here = true
		case mark == "names":
			m.use.Lists = append(m.use.Lists, NameList{Arg: -1})
		case mark == "shows":
			m.shows = true
		case mark == "last":
			m.last = true
		case mark == "dry":
			m.dry = true
		case strings.HasPrefix(mark, "stdin="):
			m.use.StdinCode = mark[len("stdin="):]
		case strings.HasPrefix(mark, "data="):
			m.use.Data = mark[len("data="):]
		case strings.HasPrefix(mark, "filter="):
			m.use.Filter = mark[len("filter="):]
		case strings.Contains(mark, "."):
			m.hazard(mark, at)
		}
	}
}

// flagMarks are the marks that describe what happens to a name.
var flagMarks = []struct {
	name string
	flag Flags
}{
	{"append", Append},
	{"link", Link},
	{"list", List},
	{"meta", Meta},
	{"nofollow", NoFollow},
	{"recursive", Recursive},
	{"uses", Uses},
}

func flagsOf(marks []string) Flags {
	var f Flags
	for _, mark := range marks {
		for _, known := range flagMarks {
			if known.name == mark {
				f |= known.flag
			}
		}
	}
	return f
}
