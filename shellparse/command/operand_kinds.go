package command

import "strings"

// nameList is a file of names, one a line, that are read as well. The standard input is "-".
func (m *matcher) nameList(_ role, vs []value) {
	for _, v := range vs {
		if v.Static && v.Text == "-" {
			m.use.Lists = append(m.use.Lists, NameList{Arg: -1})
			continue
		}
		m.path(role{kind: "R"}, v)
		m.use.Lists = append(m.use.Lists, NameList{Arg: v.at, File: v.Arg})
	}
}

// listed is a name, or @FILE for the names in that file (7z).
func (m *matcher) listed(r role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, "@") {
			m.nameList(r, []value{v.piece(1)})
			continue
		}
		m.path(role{kind: r.param, marks: r.marks},
			v.piece(len(v.Text)-len(strings.TrimPrefix(v.Text, "!"))))
	}
}

// dir is a directory that the rest of the line works in. A second one starts from the
// first, as git -C does.
func (m *matcher) dir(r role, vs []value) {
	for _, v := range vs {
		t := &Touch{Right: Read, Flags: List, Arg: v.at, Text: v.Text, Static: v.Static,
			Glob: v.Glob}
		if old := m.use.Dir; old != nil && len(old.Text) > longName {
			t.Text, t.Static = old.Text, false
		} else if old != nil && !strings.HasPrefix(v.Text, "/") {
			t.Text, t.Static = old.Text+"/"+v.Text, t.Static && old.Static
		}
		m.use.Dir = t
		if r.param == "repo" {
			m.repository(t, v)
		}
	}
}

// assign is NAME=value for what is started. A word without "=" in front of the command
// cannot occur: the pattern ends the assignments there.
func (m *matcher) assign(_ role, vs []value) {
	for _, v := range vs {
		name, _, ok := strings.Cut(v.Text, "=")
		if !ok {
			continue
		}
		m.use.Assign = append(m.use.Assign, Assign{name, v.piece(len(name) + 1).Arg, v.at})
	}
}

// unset is the name of a variable that what is started does not get.
func (m *matcher) unset(_ role, vs []value) {
	for _, v := range vs {
		m.use.Unset = append(m.use.Unset, v.Arg)
	}
}

// atFile is curl's @file: what follows the sign is a name, and otherwise the value is data.
func (m *matcher) atFile(r role, vs []value) {
	for _, v := range vs {
		switch {
		case strings.HasPrefix(v.Text, "@"):
			m.path(role{kind: "R"}, v.piece(1))
		case r.param == "form":
			m.formFile(v)
		case !v.Static && v.Text == "":
			m.opaque(v, Read, "it could begin with @ and name a file")
		}
	}
}

// formFile is name=@file and name=<file of curl -F.
func (m *matcher) formFile(v value) {
	at := strings.IndexByte(v.Text, '=')
	if sign := strings.IndexByte(v.Text, '@'); at < 0 && sign >= 0 {
		m.path(role{kind: "R"}, v.piece(sign+1))
		return
	}
	if at < 0 || at+1 >= len(v.Text) || v.Text[at+1] != '@' && v.Text[at+1] != '<' {
		return
	}
	v = v.piece(at + 2)
	if end := strings.IndexAny(v.Text, ";"); end >= 0 {
		v.Text = v.Text[:end]
	}
	m.path(role{kind: "R"}, v)
}

// repository is a folder that git is sent to. Its configuration names programs that even `git
// status` starts, so the author of the folder may run them.
func (m *matcher) repository(dir *Touch, v value) {
	if dir.Static && dir.Text != "." {
		m.touch(Read, Source, value{Arg{Text: strings.TrimSuffix(dir.Text, "/") + "/.git/config",
			Static: true}, v.at}, false)
	}
}
