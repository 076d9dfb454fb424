package command

import (
	"slices"
	"strings"
)

// bare returns the name of a package without its version: a@1, @scope/a@next, a==1.
func bare(text string) string {
	if at := strings.LastIndexByte(text, '@'); at > 0 {
		text = text[:at]
	}
	name, _, _ := strings.Cut(text, "==")
	return name
}

// wellKnown reports whether a package is one that is run without a thought. The dialect is "" for
// npm's and "python" for those of PyPI.
func wellKnown(dialect, name string) bool {
	if dialect == "python" {
		name, _, _ = strings.Cut(name, "[")
		return slices.Contains(list("python-tools"), name)
	}
	if strings.HasPrefix(name, "@") {
		return slices.ContainsFunc(list("npm-scopes"),
			func(scope string) bool { return strings.HasPrefix(name, scope) })
	}
	if template, ok := strings.CutPrefix(name, "create-"); ok {
		return slices.Contains(list("npm-templates"), template)
	}
	return slices.Contains(list("npm-tools"), name)
}

// packageCommand is NAME[@VERSION] ARG... of npx(1) and its kin: the command that the
// project has under this name, or one that is downloaded.
func (m *matcher) packageCommand(r role, vs []value) {
	if len(vs) == 0 {
		return
	}
	v := vs[0]
	if strings.Contains(v.Text, "://") || strings.HasPrefix(v.Text, "github:") ||
		strings.Contains(v.Text, "/") && !strings.HasPrefix(v.Text, "@") {
		m.hazard("code.install", v.at)
		if strings.Contains(v.Text, "://") {
			m.url(role{kind: "URL"}, vs[:1])
		}
		if v.Text[0] == '/' || v.Text[0] == '.' {
			m.nest(Nested{Argv: words(vs), Arg: v.at}) // a file of this machine, not a repository
		}
		return
	}
	argv := words(vs)
	argv[0].Text = bare(v.Text)
	name := argv[0].Text
	// exec is a builtin of shells only
	program := slices.Contains(list("dangerous"), name) && name != "exec"
	if !wellKnown(r.param, name) && !m.has("--no-install") && !program {
		m.hazard("code.install", v.at)
	}
	m.nest(Nested{Argv: argv, Arg: v.at})
}

// projectBinary is NAME ARG... of pnpm(1) and yarn(1), which run a script of the project or a
// program that it has installed.
func (m *matcher) projectBinary(_ role, _ []value) {
	at := m.spec.at
	if at > 0 && m.args[at].Text == "workspace" {
		at += 2
	}
	if at > 0 && at < len(m.args) && m.args[at].Text == "run" {
		at++
	}
	if at > 0 && at < len(m.args) && m.args[at].Static && wellKnown("", m.args[at].Text) {
		m.nest(Nested{Argv: m.args[at:], Arg: at})
	}
}

// bunRun is what bun(1) runs: a file, a script of the project, or a program that it has installed.
func (m *matcher) bunRun(r role, vs []value) {
	switch v := vs[0]; {
	case v.Static && wellKnown("", v.Text):
		m.nest(Nested{Argv: m.args[v.at:], Arg: v.at})
	case m.spec.at == 0:
		m.source(r, vs)
	default:
		m.scriptURL(r, vs)
	}
}

// packageName is --package NAME of the same programs, which is downloaded to be run.
func (m *matcher) packageName(r role, vs []value) {
	for _, v := range vs {
		if !v.Static || !wellKnown(r.param, bare(v.Text)) {
			m.hazard("code.install", v.at)
		}
	}
	m.pack(r, vs)
}

// template is the NAME of `npm create NAME` and `npm init NAME`; nothing is run without one.
func (m *matcher) template(_ role, vs []value) {
	if len(vs) > 0 && (!vs[0].Static || !slices.Contains(list("npm-templates"), bare(vs[0].Text))) {
		m.hazard("code.install", vs[0].at)
	}
}

// packageScript is scripts.NAME=TEXT of `npm pkg set`: the text goes to a shell when the script is
// run.
func (m *matcher) packageScript(_ role, vs []value) {
	for _, v := range vs {
		if name, _, ok := strings.Cut(v.Text, "="); ok && strings.HasPrefix(name, "scripts.") {
			m.shell(role{}, []value{v.piece(len(name) + 1)})
		}
	}
}

// scripts are commands for a shell, or scripts of the project: npm:NAME.
func (m *matcher) scripts(_ role, vs []value) {
	for _, v := range vs {
		manager, name, ok := strings.Cut(v.Text, ":")
		if !ok || !v.Static || strings.ContainsAny(name, " \t") ||
			!slices.Contains([]string{"bun", "npm", "pnpm", "yarn"}, manager) {
			m.code(role{param: "sh"}, []value{v})
			continue
		}
		m.nest(Nested{Arg: v.at, Argv: []Arg{{Text: manager, Static: true},
			{Text: "run", Static: true}, {Text: name, Static: true}}})
	}
}

// nodeOptions are options of node(1) in one word.
func (m *matcher) nodeOptions(_ role, vs []value) {
	for _, v := range vs {
		argv := append([]Arg{{Text: "node", Static: true}}, split(v.Arg)...)
		m.nest(Nested{Argv: append(argv, Arg{Text: "--version", Static: true}), Arg: v.at})
	}
}

// publishingTask is a task of gradle(1) or sbt(1), whose names say what they do.
func (m *matcher) publishingTask(_ role, vs []value) {
	for _, v := range vs {
		name := v.Text[strings.LastIndexByte(v.Text, ':')+1:]
		lower := strings.ToLower(name)
		local := strings.Contains(lower, "local")
		if !local && (strings.HasPrefix(lower, "publish") || lower == "uploadarchives" ||
			lower == "sonatyperelease") {
			m.hazard("pkg.publish", v.at)
		}
	}
}

// linkerFlags is -ldflags of go(1): -extld names the linker that is run.
func (m *matcher) linkerFlags(_ role, vs []value) {
	for _, v := range vs {
		fields := strings.Fields(v.Text)
		for i, f := range fields {
			name, val, joined := strings.Cut(strings.TrimPrefix(f, "-"), "=")
			if strings.TrimPrefix(name, "-") != "extld" {
				continue
			}
			if !joined && i+1 < len(fields) {
				val = fields[i+1]
			}
			m.program(role{}, []value{{Arg{Text: strings.Trim(val, `'"`), Static: v.Static}, v.at}})
		}
	}
}
