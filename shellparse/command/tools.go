package command

import (
	"slices"
	"strings"
)

// compiler reads the words of gcc(1) and clang(1). Most of their hundreds of options do
// nothing to files; these do.
func (m *matcher) compiler(_ role, vs []value) {
	m.defaultOutput(vs)
	for i := 0; i < len(vs); i++ {
		v := vs[i]
		next := func() (value, bool) {
			i++
			if i < len(vs) {
				return vs[i], true
			}
			return value{}, false
		}
		switch {
		case v.Text == "-o" || v.Text == "-MF":
			if n, ok := next(); ok {
				m.path(role{kind: "W"}, n)
			}
		case v.Text == "-wrapper":
			if n, ok := next(); ok {
				m.commaCommand(n)
			}
		case v.Text == "-Xclang": // what follows is an option of the compiler proper
		case slices.Contains([]string{"-x", "-I", "-L", "-D", "-U", "-l", "-isystem", "-iquote",
			"-Xlinker", "-MT", "-MQ", "-arch", "-target", "-framework"}, v.Text):
			next()
		case v.Text == "-include" || v.Text == "-imacros" || v.Text == "-T":
			if n, ok := next(); ok {
				m.path(role{kind: "R"}, n)
			}
		case v.Text == "-load" || v.Text == "-B":
			n, ok := next()
			if ok && n.Text == "-Xclang" {
				n, ok = next()
			}
			if ok {
				m.loads(role{}, []value{n})
			}
		case strings.HasPrefix(v.Text, "-o"):
			m.path(role{kind: "W"}, v.piece(2))
		case strings.HasPrefix(v.Text, "-fplugin="), strings.HasPrefix(v.Text, "-B"),
			strings.HasPrefix(v.Text, "-fpass-plugin="):
			m.loads(role{}, []value{v.piece(max(2, strings.IndexByte(v.Text, '=')+1))})
		case strings.HasPrefix(v.Text, "-specs="), strings.HasPrefix(v.Text, "--specs="):
			m.source(role{param: "specs"}, []value{v.piece(strings.IndexByte(v.Text, '=') + 1)})
		case strings.HasPrefix(v.Text, "@"):
			m.path(role{kind: "R"}, v.piece(1))
		case !strings.HasPrefix(v.Text, "-"):
			m.path(role{kind: "R"}, v)
		}
	}
}

// defaultOutput is the program that a compiler makes if no option says where it goes, or that there
// is none.
func (m *matcher) defaultOutput(vs []value) {
	inputs := false
	for _, v := range vs {
		switch text := v.Text; {
		case strings.HasPrefix(text, "-o"), strings.HasPrefix(text, "-M"), text == "-c",
			text == "-S", text == "-E", text == "-fsyntax-only",
			strings.HasPrefix(text, "-print"), strings.HasPrefix(text, "@"):
			return
		case text == "-" || !strings.HasPrefix(text, "-"):
			inputs = true
		}
	}
	if inputs {
		m.touch(Write, 0, value{Arg: Arg{Text: "a.out", Static: true}, at: -1}, true)
	}
}

// commaCommand is a command whose words are joined by commas.
func (m *matcher) commaCommand(v value) {
	var argv []Arg
	for word := range strings.SplitSeq(v.Text, ",") {
		argv = append(argv, Arg{Text: word, Static: v.Static})
	}
	m.nest(Nested{Argv: argv, Arg: v.at})
}

// cmakeTools are commands of `cmake -E` and the programs that do the same.
var cmakeTools = []struct {
	name string
	argv []string
}{
	{"copy", []string{"cp"}}, {"copy_directory", []string{"cp", "-r"}}, {"copy_if_different",
		[]string{"cp"}},
	{"create_symlink", []string{"ln", "-s"}}, {"cat", []string{"cat"}}, {"env", []string{"env"}},
	{"make_directory", []string{"mkdir", "-p"}},
	{"remove", []string{"rm"}}, {"remove_directory", []string{"rm", "-r"}},
	{"rename", []string{"mv"}},
	{"rm", []string{"rm"}}, {"tar", []string{"tar"}}, {"time", []string{"time"}},
	{"touch", []string{"touch"}},
}

func (m *matcher) cmakeTool(_ role, vs []value) {
	v := vs[0]
	rest := m.from(v.at + 1)
	m.skip = len(m.args)
	if v.Text == "chdir" && len(rest) > 1 {
		m.dir(role{}, rest[:1])
		m.command(role{}, rest[1:])
		return
	}
	for _, t := range cmakeTools {
		if t.name == v.Text {
			var argv []Arg
			for _, w := range t.argv {
				argv = append(argv, Arg{Text: w, Static: true})
			}
			m.nest(Nested{Via: "cmake -E", Argv: append(argv, words(rest)...), Arg: v.at})
		}
	}
	if !v.Static {
		m.opaque(v, Exec, "which tool cmake runs is not known")
	}
}

// makeOperands are targets and NAME=VALUE.
func (m *matcher) makeOperands(r role, vs []value) {
	m.makeVariables(vs)
	m.buildTarget(r, vs)
}

// installDirs are the variables that say where `make install` writes.
var installDirs = []string{"DESTDIR", "INSTALL_ROOT", "PREFIX", "prefix"}

// buildTarget is a target of a build tool: one that installs leaves the project.
func (m *matcher) buildTarget(_ role, vs []value) {
	dirs, at := false, 0
	for _, v := range vs {
		name, _, ok := strings.Cut(v.Text, "=")
		if ok && slices.Contains(installDirs, name) {
			body := v.piece(len(name) + 1)
			m.touch(Write, Recursive, body, true)
			dirs = true
		}
		if v.Static && (v.Text == "install" || v.Text == "uninstall" || strings.HasPrefix(v.Text,
			"install-") || strings.HasPrefix(v.Text, "install/")) {
			at = v.at
		}
	}
	if at > 0 && !dirs && !m.dry {
		m.hazard("pkg.install-global", at)
	}
}

// makeVariables are NAME=VALUE. make expands values, so $(shell ...) in one runs.
func (m *matcher) makeVariables(vs []value) {
	for _, v := range vs {
		name, _, ok := strings.Cut(v.Text, "=")
		if !ok {
			continue
		}
		body := v.piece(len(name) + 1)
		m.handedOn(role{}, []value{v})
		name = strings.TrimRight(name, ":+?!")
		switch {
		case name == "SHELL" || name == ".SHELLFLAGS":
			m.program(role{}, []value{body})
		case slices.Contains(list("tool-variables"), name) && (!body.Static ||
			strings.ContainsAny(body.Text, " /;|&$`")):
			m.shell(role{}, []value{body})
		case strings.Contains(body.Text, "$(") || strings.Contains(body.Text, "`"):
			m.opaque(v, Exec, "make expands the value, and may run it")
		}
	}
}

// cargoConfig is KEY=VALUE in TOML, or a file of them.
func (m *matcher) cargoConfig(_ role, vs []value) {
	for _, v := range vs {
		key, val, ok := strings.Cut(v.Text, "=")
		if !ok {
			m.source(role{param: "toml"}, []value{v})
			continue
		}
		key = strings.TrimSpace(key)
		for _, tool := range []string{"rustc", "rustc-wrapper", "rustc-workspace-wrapper",
			"rustdoc", "runner", "linker"} {
			if key == "build."+tool || strings.HasPrefix(key, "target.") && strings.HasSuffix(key,
				"."+tool) {
				m.program(role{}, []value{{Arg{Text: strings.Trim(val, ` "'[]`), Static: v.Static},
					v.at}})
			}
		}
	}
}

// rustcCodegen is -C KEY=VALUE of rustc.
func (m *matcher) rustcCodegen(_ role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, "linker=") {
			m.program(role{}, []value{v.piece(len("linker="))})
		}
	}
}

// goRun is a package or files, with their arguments. PATH@VERSION comes from the network.
func (m *matcher) goRun(_ role, vs []value) {
	for i, v := range vs {
		switch {
		case strings.Contains(v.Text, "@") && i == 0:
			m.hazard("code.install", v.at)
			return
		case i == 0 || strings.HasSuffix(v.Text, ".go"):
			m.source(role{param: "go"}, []value{v})
		default:
			m.handedOn(role{}, vs[i:])
			return
		}
	}
}

// goGet is the path of a module: it is asked for at the host that it begins with.
func (m *matcher) goGet(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static && !v.Glob {
			m.url(role{kind: "URL", param: "https"}, []value{v})
		}
	}
}

// pack is a package to install: a name, a folder here, or an address that someone else chose.
func (m *matcher) pack(_ role, vs []value) {
	for _, v := range vs {
		name := strings.TrimPrefix(v.Text, "git+")
		scoped := strings.HasPrefix(name, "@")
		switch {
		case strings.HasPrefix(name, "file:"):
			m.path(role{kind: "R"}, v.piece(len(v.Text)-len(name)+len("file:")))
		case strings.Contains(name, "://"):
			m.hazard("pkg.foreign-source", v.at)
			m.url(role{kind: "URL"}, []value{v.piece(len(v.Text) - len(name))})
		case strings.HasPrefix(name, "git@"):
			m.hazard("pkg.foreign-source", v.at)
			m.url(role{kind: "URL", param: "ssh"}, []value{v})
		case m.hosted(name, v):
			m.hazard("pkg.foreign-source", v.at)
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.HasPrefix(name,
			"~"):
			m.touch(Read, Source, v, true) // its build scripts run
		case strings.Contains(name, "/") && !scoped && m.spec.top() != "pip" &&
			m.spec.top() != "uv":
			m.hazard("pkg.foreign-source", v.at)
			m.hosted("github:"+name, v)
		}
	}
}

// hosted is a repository by the short name of who keeps it, as in github:USER/NAME.
func (m *matcher) hosted(name string, v value) bool {
	short, _, _ := strings.Cut(name, ":")
	for _, word := range list("git-keepers") {
		if hosts, found := strings.CutPrefix(word, short+":"); found && short != name {
			for host := range strings.SplitSeq(hosts, ",") {
				m.addHost(Host{Host: host, Static: true}, v)
			}
			return true
		}
	}
	return false
}

func (s *Spec) top() string {
	for s.up != nil {
		s = s.up
	}
	return s.Name
}

// pythonRun is uv run: a script, or a command.
func (m *matcher) pythonRun(_ role, vs []value) {
	if len(vs) == 0 {
		return
	}
	if v := vs[0]; m.has("-s") || strings.HasSuffix(v.Text, ".py") || v.Text == "-" ||
		strings.Contains(v.Text, "://") {
		m.source(role{param: "python"}, vs[:1])
		return
	}
	m.command(role{}, vs)
}

// plugin is --plugin=[NAME=]PATH of protoc.
func (m *matcher) plugin(_ role, vs []value) {
	for _, v := range vs {
		m.program(role{}, []value{v.piece(strings.IndexByte(v.Text, '=') + 1)})
	}
}

// texOperand is a file, or what TeX is to typeset, which starts with a backslash or "&FORMAT".
func (m *matcher) texOperand(_ role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, "\\") {
			m.code(role{param: "tex"}, []value{v})
			continue
		}
		m.path(role{kind: "R"}, v)
	}
}
