package command

import "strings"

// dd reads name=value operands.
func (m *matcher) dd(_ role, vs []value) {
	for _, v := range vs {
		switch {
		case strings.HasPrefix(v.Text, "if="):
			m.path(role{kind: "R"}, v.piece(3))
		case strings.HasPrefix(v.Text, "of="):
			m.path(role{kind: "W"}, v.piece(3))
		case !v.Static && !strings.Contains(v.Text, "="):
			m.opaque(v, Write, "it could be of=FILE")
		}
	}
}
