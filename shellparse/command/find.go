package command

import (
	"slices"
	"strings"
)

// findFiles are the tests and actions of find(1) that name a file, with what happens to it.
var findFiles = []struct {
	name  string
	right Right
}{
	{"-anewer", Read}, {"-cnewer", Read}, {"-files0-from", Read}, {"-fls", Write},
	{"-fprint", Write}, {"-fprint0", Write}, {"-fprintf", Write}, {"-newer", Read},
	{"-samefile", Read},
}

// manyRoots is how many roots are reported one by one to an -exec; more than that count as one
// unknown root, because roots times actions would not be linear.
const manyRoots = 16

// A search is one expression of find(1) while it is read.
type search struct {
	roots   []value
	base    string // the one -name that every found file matches
	deleted bool   // a -delete was read
	empty   bool   // only what is empty comes as far as this
	either  bool   // -o, -not or "," occurs, so base means nothing
	joined  bool   // -o, "," or "(" occurs, so one test does not hold for all
}

// find reads roots, then an expression. Actions run on what the roots hold, so their words
// are touched Below the roots.
func (m *matcher) find(_ role, vs []value) {
	s := search{}
	i := 0
	for ; i < len(vs) && !startsExpression(vs[i]); i++ {
		if !vs[i].Static && !vs[i].Glob && vs[i].Text == "" {
			m.use.Opaque = append(m.use.Opaque, Opaque{Arg: vs[i].at, Right: Delete, Option: true,
				Why: "it could be an action of find"})
		}
		s.roots = append(s.roots, vs[i])
	}
	// -H, -L, -P, -D and -O come before the roots.
	if len(s.roots) == 0 {
		for i < len(vs) && (slices.Contains([]string{"-H", "-L", "-P", "-D"}, vs[i].Text) ||
			strings.HasPrefix(vs[i].Text, "-O")) {
			if vs[i].Text == "-D" {
				i++
			}
			i++
		}
		for ; i < len(vs) && !startsExpression(vs[i]); i++ {
			s.roots = append(s.roots, vs[i])
		}
	}
	if len(s.roots) == 0 {
		s.roots = []value{{Arg{Text: ".", Static: true}, -1}}
	}
	for _, root := range s.roots {
		m.touch(Read, Recursive|List, root, true)
	}
	if len(s.roots) > manyRoots {
		s.roots = append(s.roots[:manyRoots:manyRoots], value{at: s.roots[manyRoots].at})
	}
	if i < len(vs) {
		m.findBase(&s, vs[i:])
		m.findActions(&s, vs[i:])
	}
}

func startsExpression(v value) bool {
	return strings.HasPrefix(v.Text, "-") && len(v.Text) > 1 || v.Static &&
		slices.Contains([]string{"(", ")", "!", ","}, v.Text)
}

// findBase looks for the one -name that holds for all that is found: one in front of what is done.
func (m *matcher) findBase(s *search, vs []value) {
	done := false
	for i, v := range vs {
		done = done || ActsOnFound(v.Text)
		switch v.Text {
		case "-not", "!":
			s.either = true
		case "-o", "-or", ",", "(":
			s.either, s.joined = s.either || v.Text != "(", true
		case "-name":
			if i+1 < len(vs) && vs[i+1].Static && s.base == "" && !done {
				s.base = vs[i+1].Text
			}
		}
	}
	if s.either {
		s.base = ""
	}
}

// ActsOnFound reports whether a word of find(1) does something with what the tests in front of it
// let through.
func ActsOnFound(word string) bool {
	return slices.Contains([]string{"-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0",
		"-fprintf", "-ls", "-ok", "-okdir", "-print", "-print0", "-printf"}, word)
}

func (m *matcher) findActions(s *search, vs []value) {
	for i := 0; i < len(vs); i++ {
		v := vs[i]
		switch {
		case !v.Static && !v.Glob && (v.Text == "" || v.Text[0] == '-') && !findValue(vs, i):
			m.opaque(v, Delete, "it could be an action of find")
		case v.Text == "-empty" && !s.joined && (i == 0 || vs[i-1].Text != "!" &&
			vs[i-1].Text != "-not"):
			s.empty = true
		case v.Text == "-delete" && s.deleted:
		case v.Text == "-delete":
			s.deleted = true
			for _, root := range s.roots {
				if s.empty { // which takes nothing away but names
					m.touch(Write, Meta, s.below(root), true)
					continue
				}
				m.touch(Delete, Recursive, s.below(root), true)
			}
		case v.Text == "-exec" || v.Text == "-execdir" || v.Text == "-ok" || v.Text == "-okdir":
			i = m.findExec(s, vs, i)
		default:
			for _, f := range findFiles {
				if f.name == v.Text && i+1 < len(vs) {
					m.touch(f.right, 0, vs[i+1], true)
				}
			}
			if strings.HasPrefix(v.Text, "-newer") && len(v.Text) == len("-newerXY") &&
				v.Text[7] != 't' && i+1 < len(vs) {
				m.touch(Read, 0, vs[i+1], true)
			}
		}
	}
}

// findValue reports whether word i is the value of a test, and so no action itself.
func findValue(vs []value, i int) bool {
	if i == 0 {
		return false
	}
	prev := vs[i-1].Text
	takes := []string{
		"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex",
		"-lname", "-ilname", "-type", "-xtype", "-size", "-mtime", "-atime", "-ctime", "-mmin",
		"-amin", "-cmin", "-maxdepth", "-mindepth", "-user", "-group", "-perm", "-newer",
		"-printf", "-fstype", "-inum", "-links", "-uid", "-gid", "-used", "-samefile", "-regextype",
	}
	return slices.Contains(takes, prev) || strings.HasPrefix(prev, "-newer")
}

// below is what find puts in the place of {}.
func (s *search) below(root value) value {
	return value{Arg{Text: root.Text, Glob: root.Glob, Below: root.Static, Base: s.base}, root.at}
}

// findExec reads -exec CMD ... up to ";" or "{} +", and returns the index of its last word.
func (m *matcher) findExec(s *search, vs []value, i int) int {
	via := m.spec.Name + " " + vs[i].Text
	end := i + 1
	for end < len(vs) && vs[end].Text != ";" && (vs[end].Text != "+" || vs[end-1].Text != "{}") {
		end++
	}
	cmd := vs[i+1 : end]
	if len(cmd) == 0 {
		return end
	}
	roots := s.roots
	if !slices.ContainsFunc(cmd, func(v value) bool { return strings.Contains(v.Text, "{}") }) {
		roots = roots[:1]
	}
	for _, root := range roots {
		found := s.below(root).Arg
		argv := make([]Arg, len(cmd))
		for k, v := range cmd {
			argv[k] = v.Arg
			if v.Text == "{}" {
				argv[k] = found
			} else if rest, ok := strings.CutPrefix(v.Text, "{}/"); ok && v.Static && found.Below &&
				strings.Trim(base(rest), ".") != "" && !strings.Contains(rest, "..") &&
				!strings.ContainsAny(rest, `*?[\{`) {
				argv[k] = Arg{Text: found.Text, Below: found.Below, Base: base(rest)}
			} else if at := strings.Index(v.Text, "{}"); at >= 0 && v.Static {
				argv[k] = Arg{Text: v.Text[:at]}
			}
		}
		m.nest(Nested{Via: via, Argv: argv, Arg: cmd[0].at})
	}
	return end
}
