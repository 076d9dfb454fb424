package command

import (
	"slices"
	"strings"
)

// chmod is MODE NAME..., where a mode such as -x looks like an option.
func (m *matcher) chmod(_ role, vs []value) {
	for _, g := range m.seen {
		if len(g.names) == 2 && strings.Contains("rwxXstugoa", g.names[1:]) {
			for _, v := range vs {
				m.path(role{kind: "M"}, v)
			}
			return
		}
	}
	for i, v := range vs {
		if i == 0 {
			m.fileMode(role{}, vs[:1])
			continue
		}
		m.path(role{kind: "M"}, v)
	}
}

// fileMode looks at a numeric or symbolic mode for set-id bits and write access for all.
func (m *matcher) fileMode(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static {
			continue
		}
		setid, world := false, false
		for part := range strings.SplitSeq(v.Text, ",") {
			s, w := modeBits(part)
			setid, world = setid || s, world || w
		}
		if setid {
			m.hazard("perm.setuid", v.at)
		}
		if world {
			m.hazard("perm.world-writable", v.at)
		}
	}
}

func modeBits(mode string) (setid, world bool) {
	if digits := strings.TrimLeft(mode, "0"); digits != "" && strings.Trim(mode, "01234567") == "" {
		last := digits[len(digits)-1] - '0'
		return len(digits) >= 4 && digits[len(digits)-4]-'0' >= 2, last&2 != 0
	}
	at := strings.IndexAny(mode, "+=")
	if at < 0 {
		return false, false
	}
	who, what := mode[:at], mode[at:]
	setid = strings.Contains(what, "s")
	world = strings.ContainsAny(who, "oa") && strings.Contains(what, "w")
	return setid, world
}

// link is ln TARGET... NAME. The target of a symbolic link is read from where the link is.
func (m *matcher) link(_ role, vs []value) {
	if len(vs) == 0 {
		return
	}
	targets, name := vs, value{Arg{Text: ".", Static: true}, -1}
	if len(vs) > 1 && !m.has("-t") {
		targets, name = vs[:len(vs)-1], vs[len(vs)-1]
	}
	dir := name.Text[:strings.LastIndexByte(name.Text, '/')+1]
	for _, v := range targets {
		if m.has("-s") && !strings.HasPrefix(v.Text, "/") && dir != "" && !m.has("-r") {
			v.Text = dir + v.Text
		}
		m.touch(Read, Link, v, true)
	}
	switch {
	case m.has("-t"):
	case name.at < 0:
		at := targets[0]
		at.Text = base(at.Text)
		m.touch(Create, Link, at, true)
	default:
		flags := Link
		if m.has("-n") || m.has("-T") { // the name itself is replaced, whatever it leads to
			flags |= NoFollow
		}
		m.touch(Create, flags, name, true)
	}
	if m.has("-f") && name.at >= 0 {
		m.touch(Delete, NoFollow, name, true)
	}
}

// splitPrefix is the beginning of the names that split(1) writes.
func (m *matcher) splitPrefix(_ role, vs []value) {
	for _, v := range vs {
		v.Static = false
		m.touch(Write, 0, v, true)
	}
}

// loads is a shared object that the program loads and runs. A plain name is looked up in
// the folders of the system.
func (m *matcher) loads(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static || strings.Contains(v.Text, "/") {
			m.touch(Exec, 0, v, true)
			m.hazard("code.load-library", v.at)
		}
	}
}

// two is an option that takes a name and a value: jq --rawfile NAME FILE.
func (m *matcher) two(r role, vs []value) {
	next := vs[0].at + 1
	if next >= len(m.args) {
		return
	}
	m.skip = next
	if r.param != "" {
		m.path(role{kind: r.param}, value{m.args[next], next})
	}
}

// rest is an option that takes all words up to ";" as a command: fd -x. Where the command
// gets its operands from only the run tells.
func (m *matcher) restCommand(r role, vs []value) {
	// The first word may follow "=" in the word of the option.
	argv := []Arg{vs[0].Arg}
	end := vs[0].at + 1
	for ; end < len(m.args) && m.args[end].Text != ";"; end++ {
		argv = append(argv, m.args[end])
	}
	m.skip = end
	if r.param != "found" {
		m.nest(Nested{Argv: argv, Arg: vs[0].at})
		return
	}
	if !slices.ContainsFunc(argv, func(a Arg) bool { return placeholder(a.Text) >= 0 }) {
		argv = append(argv, Arg{Text: "{}", Static: true})
	}
	for _, found := range m.foundByFd() {
		with := slices.Clone(argv)
		for i, a := range argv {
			if a.Text == "{}" {
				with[i] = found
			} else if at := placeholder(a.Text); at >= 0 {
				with[i] = Arg{Text: a.Text[:at]}
			}
		}
		m.nest(Nested{Argv: with, Arg: vs[0].at})
	}
}

// placeholder is where the first of {}, {.}, {/}, {//} and {/.} is, or -1.
func placeholder(text string) int {
	for at := range len(text) {
		if text[at] == '{' {
			end := strings.IndexByte(text[at:], '}')
			if end > 0 && strings.Trim(text[at+1:at+end], "./") == "" {
				return at
			}
		}
	}
	return -1
}

// otherFound are options of fd that search elsewhere, or print something else than the names.
var otherFound = []string{"-C", "--search-path", "-a", "-l", "--format", "--path-separator",
	"--hyperlink", "--color"}

// foundByFd is what fd finds below each of its roots, as far as its words tell.
func (m *matcher) foundByFd() []Arg {
	var found []Arg
	base, extensions := "", 0
	for _, g := range m.seen {
		switch {
		case slices.ContainsFunc(otherFound, g.option.has):
			return []Arg{{}}
		case g.option.has("-e") && g.v.Static && g.v.Text == strings.ToLower(g.v.Text):
			base = "*." + strings.TrimPrefix(g.v.Text, ".")
			extensions++
		}
	}
	if extensions > 1 {
		base = ""
	}
	roots := []value{{Arg{Text: ".", Static: true}, -1}}
	if len(m.operands) > 1 {
		roots = m.operands[1:]
	}
	if len(roots) > manyRoots {
		return []Arg{{}}
	}
	for _, root := range roots {
		if !root.Static {
			return []Arg{{}}
		}
		found = append(found, Arg{Text: root.Text, Below: true, Base: base})
	}
	return found
}

// awkOperand is a file, or a variable of the program.
func (m *matcher) awkOperand(r role, vs []value) {
	for _, v := range vs {
		if name, _, ok := strings.Cut(v.Text, "="); ok && !strings.Contains(name, "/") {
			continue
		}
		m.path(role{kind: "R" + r.param}, v)
	}
}

// awkInclude is gawk -i: a library of the system, or a file that becomes part of the program.
func (m *matcher) awkInclude(_ role, vs []value) {
	for _, v := range vs {
		if !slices.Contains([]string{"inplace", "inplace.awk"}, v.Text) {
			m.touch(Read, Source, v, true)
		}
	}
}
