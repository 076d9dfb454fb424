package command

import "strings"

// pagerOperand is a file, or +COMMAND, which the pager carries out as if it were typed.
func (m *matcher) pagerOperand(_ role, vs []value) {
	for _, v := range vs {
		cmd, ok := strings.CutPrefix(v.Text, "+")
		if !ok {
			m.path(role{kind: "R"}, v)
			continue
		}
		cmd = strings.TrimPrefix(cmd, "+")
		from := len(v.Text) - len(cmd)
		switch {
		case cmd == "" || strings.IndexByte("/?gGF&0123456789pn", cmd[0]) >= 0:
		case cmd[0] == '!' || cmd[0] == '|':
			shell := v.piece(from + 1).Arg
			m.nest(Nested{Via: m.spec.Name + " +!", Shell: &shell, Arg: v.at})
		case cmd[0] == 's' || cmd[0] == 'o':
			m.path(role{kind: "W"}, v.piece(from+1))
		default:
			m.opaque(v, Exec, "a command of the pager")
		}
	}
}

// lesskey is a file of key bindings or their text: less runs what they say without a key.
func (m *matcher) lesskey(_ role, vs []value) {
	for _, v := range vs {
		m.hazard("code.pager-command", v.at)
		m.touch(Read, Source, v, true)
	}
}

// manPage is the name of a page; with a slash it is a file.
func (m *matcher) manPage(_ role, vs []value) {
	for _, v := range vs {
		if strings.Contains(v.Text, "/") {
			m.path(role{kind: "R"}, v)
		}
	}
}
