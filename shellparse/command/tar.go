package command

import (
	"slices"
	"strings"
)

// tar reads the operands of tar(1). Their meaning, and that of -f, depends on the mode, which may
// be anywhere.
func (m *matcher) tar(_ role, vs []value) {
	writes := slices.ContainsFunc([]string{"-c", "-r", "-u", "-A", "--delete"}, m.has)
	for _, g := range m.seen {
		if g.value.kind == "ARCHIVE" && g.set {
			m.archive(g.v, writes)
		}
	}
	switch {
	case m.has("-x"):
		if !m.has("-O") && !m.has("--to-command") {
			m.extract(role{}, vs)
		}
	case m.has("-c") || m.has("-r") || m.has("-u") || m.has("-A"):
		for _, v := range vs {
			m.touch(Read, Recursive, v, true)
			if m.has("--remove-files") {
				m.touch(Delete, Recursive, v, true)
			}
		}
	}
}

// archive is the name behind -f. host:name is on another machine, reached through
// --rsh-command, unless --force-local.
func (m *matcher) archive(v value, writes bool) {
	kind := "R"
	if writes {
		kind = "W"
	}
	if m.has("--force-local") {
		m.path(role{kind: kind, marks: []string{"here"}}, v)
		return
	}
	m.remoteName(role{kind: "REMOTE", param: kind, marks: []string{"here"}}, []value{v})
}

// extract writes names that the archive chooses.
func (m *matcher) extract(role, []value) {
	m.use.Touches = append(m.use.Touches, Touch{
		Right: Write, Flags: Below, Arg: -1, Text: ".", Static: true, InDir: true,
	})
}

// tarAction is --checkpoint-action=ACTION.
func (m *matcher) tarAction(_ role, vs []value) {
	for _, v := range vs {
		switch {
		case strings.HasPrefix(v.Text, "exec="):
			shell := v.piece(len("exec=")).Arg
			m.nest(Nested{Via: "tar checkpoint", Shell: &shell, Arg: v.at})
		case !v.Static:
			m.opaque(v, Exec, "it could be an action that runs a command")
		}
	}
}

// patch writes the files that the patch names, unless operands name them.
func (m *matcher) patch(_ role, vs []value) {
	switch len(vs) {
	case 0:
		m.extract(role{}, vs)
	case 1:
		m.path(role{kind: "W"}, vs[0])
	default:
		m.path(role{kind: "W"}, vs[0])
		m.path(role{kind: "R"}, vs[1])
	}
}
