package command

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// pythonModule is -m NAME and everything behind it.
func (m *matcher) pythonModule(_ role, vs []value) {
	v := vs[0]
	rest := m.args[min(len(m.args), v.at+1):]
	if v.Static && slices.Contains(list("python-modules"), v.Text) {
		m.nest(Nested{Via: m.spec.Name + " -m", Argv: append([]Arg{v.Arg}, rest...), Arg: v.at})
		return
	}
	if !v.Static {
		m.opaque(v, Exec, "which module runs is not known")
	}
	for i, a := range rest {
		m.guess(value{a, v.at + 1 + i})
	}
}

// perlModule is -MName: perl puts the text into a `use` statement, so a semicolon ends it
// and starts code.
func (m *matcher) perlModule(_ role, vs []value) {
	for _, v := range vs {
		switch {
		case !v.Static || strings.ContainsAny(v.Text, ";{}()"):
			m.nest(Nested{Code: &Code{"perl", v.Arg}, Arg: v.at})
		case strings.HasPrefix(v.Text, "/") || strings.HasPrefix(v.Text, "."):
			m.hazard("code.load-library", v.at)
		case v.Text == "CPAN" || strings.HasPrefix(v.Text, "CPAN="):
			m.hazard("code.install", v.at)
		case strings.HasPrefix(v.Text, "lib="):
			m.loadDirs(role{}, []value{v.piece(len("lib="))})
		}
	}
}

// perlDebuggers are well-known modules for -d.
var perlDebuggers = []string{"", ":Cover", ":DProf", ":NYTProf", ":Trace", "t", "t:Cover"}

// perlDebugger is -d:MODULE, which loads Devel::MODULE before anything else runs.
func (m *matcher) perlDebugger(_ role, vs []value) {
	for _, v := range vs {
		name, _, _ := strings.Cut(v.Text, "=")
		if !v.Static || !slices.Contains(perlDebuggers, name) {
			m.hazard("code.load-library", v.at)
		}
	}
}

// javaOperand is a class, or a file: @FILE holds more arguments, and FILE.java is compiled
// and executed.
func (m *matcher) javaOperand(_ role, vs []value) {
	for _, v := range vs {
		switch {
		case strings.HasPrefix(v.Text, "@"):
			m.touch(Read, Source, v.piece(1), true)
		case strings.HasSuffix(v.Text, ".java"):
			m.source(role{param: "java"}, vs)
		}
	}
}

// jbangScript is a source of Java, or ALIAS@CATALOG of a repository of someone else.
func (m *matcher) jbangScript(_ role, vs []value) {
	for _, v := range vs {
		if strings.Contains(v.Text, "@") && !strings.HasSuffix(v.Text, ".java") {
			m.hazard("code.install", v.at)
			continue
		}
		m.source(role{param: "java"}, []value{v})
	}
}

// jqProgram is a filter, which can print a variable of the environment.
func (m *matcher) jqProgram(_ role, vs []value) {
	for _, v := range vs {
		for _, word := range strings.FieldsFunc(v.Text,
			func(c rune) bool { return strings.ContainsRune(" |()[]{},:\"\n", c) }) {
			name, ok := strings.CutPrefix(strings.TrimPrefix(word, "$ENV"), "env")
			if name, found := strings.CutPrefix(name, "."); found &&
				(ok || strings.HasPrefix(word, "$")) && catalog.SecretName(name) {
				m.hazard("secret.print", v.at)
			}
		}
		m.scriptsSet(v)
	}
}

// scriptsSet are .scripts.NAME = "TEXT" of jq, over a package.json: the text goes to a shell when
// the script is run.
func (m *matcher) scriptsSet(v value) {
	for _, rest := range strings.Split(v.Text, ".scripts")[1:] {
		name, after, ok := strings.Cut(rest, "=")
		text, quoted := strings.CutPrefix(strings.TrimLeft(after, " "), `"`)
		if !ok || !quoted || strings.ContainsAny(name, "|;,()") {
			continue
		}
		if end := closingQuote(text); end >= 0 {
			text = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(text[:end])
			m.shell(role{}, []value{{Arg{Text: text, Static: v.Static}, v.at}})
		}
	}
}

// closingQuote is where the string of JSON ends that a text begins with, behind its quote, or -1.
func closingQuote(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// yqProgram is an expression of yq, in which load("NAME") and its like read a file.
func (m *matcher) yqProgram(r role, vs []value) {
	m.jqProgram(r, vs)
	for _, v := range vs {
		if v.Static && len(m.operands) == 1 && strings.IndexAny(v.Text, "/~") == 0 {
			m.path(role{kind: "R"}, v) // without an expression yq takes it for the file
		}
		for _, call := range strings.Split(v.Text, "load")[1:] {
			suffix, arg, ok := strings.Cut(call, "(")
			if !ok || strings.Trim(suffix, "_abcdefghijklmnopqrstuvwxyz0123456789 ") != "" {
				continue
			}
			name, _, closed := strings.Cut(strings.TrimPrefix(strings.TrimLeft(arg, " "), `"`), `"`)
			if !closed || !strings.HasPrefix(strings.TrimLeft(arg, " "), `"`) {
				m.opaque(v, Read, "a file that the expression loads")
				continue
			}
			m.path(role{kind: "R"}, value{Arg{Text: name, Static: true}, v.at})
		}
	}
}

// loadDirs are folders and archives, joined by colons, that a program loads code from.
func (m *matcher) loadDirs(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static {
			m.touch(Read, Source|List, v, true)
			continue
		}
		if m.fetches(v) {
			continue
		}
		for dir := range strings.SplitSeq(v.Text, ":") {
			if dir != "" {
				m.touch(Read, Source|List, value{Arg{Text: strings.TrimSuffix(dir, "/*"),
					Static: true}, v.at}, true)
			}
		}
	}
}

// fetches notes code in a folder or a file that is named by its address.
func (m *matcher) fetches(v value) bool {
	scheme, _, ok := strings.Cut(v.Text, "://")
	if ok && !strings.ContainsAny(scheme, ":/") && !isFile(v.Text) {
		m.hazard("code.remote", v.at)
		m.url(role{param: scheme}, []value{v})
		return true
	}
	return false
}

// testFile is FILE or FILE::TEST, a file of tests that is executed.
func (m *matcher) testFile(_ role, vs []value) {
	for _, v := range vs {
		if v.Static {
			v.Text, _, _ = strings.Cut(v.Text, "::")
		}
		m.touch(Read, Source, v, true)
	}
}

// rubyLibrary is -r NAME: with a slash it is a file.
func (m *matcher) rubyLibrary(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static || strings.Contains(v.Text, "/") {
			m.touch(Read, Source, v, true)
		}
	}
}

// nodeModule is --require NAME: a file when it looks like a path, or code in a data: URL.
func (m *matcher) nodeModule(_ role, vs []value) {
	for _, v := range vs {
		switch {
		case strings.HasPrefix(v.Text, "data:"):
			m.hazard("code.from-data", v.at)
			m.nest(Nested{Code: &Code{"javascript", v.Arg}, Arg: v.at})
		case isFile(v.Text), strings.Contains(v.Text, "://"):
			m.source(role{param: "javascript"}, []value{v})
		case !v.Static || strings.HasPrefix(v.Text, ".") || strings.HasPrefix(v.Text, "/"):
			m.touch(Read, Source, v, true)
		}
	}
}

// phpSetting is -d NAME=VALUE; some settings execute a file.
func (m *matcher) phpSetting(_ role, vs []value) {
	for _, v := range vs {
		name, _, ok := strings.Cut(v.Text, "=")
		if !ok {
			continue
		}
		body := v.piece(len(name) + 1)
		switch name {
		case "auto_prepend_file", "auto_append_file":
			m.source(role{}, []value{body})
		case "extension", "zend_extension":
			m.loads(role{}, []value{body})
		}
	}
}

// listen is HOST:PORT that a server binds; only this machine reaches a loopback address.
func (m *matcher) listen(_ role, vs []value) {
	for _, v := range vs {
		host, _ := hostPort(v.Text)
		if !v.Static || !loopback(host) {
			m.hazard("net.listen", v.at)
		}
	}
}

func loopback(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// method is an HTTP method; all but the reading ones change something there. The parameter
// is the rule of the hazard.
func (m *matcher) method(r role, vs []value) {
	for _, v := range vs {
		if v.Static && slices.Contains([]string{"GET", "HEAD", "OPTIONS", "get", "head", "options"},
			v.Text) {
			continue
		}
		if r.param == "" {
			m.flags |= Upload
			continue
		}
		m.hazard(r.param, v.at)
	}
}

// unknownSub is the word in the place of a sub-command that the table does not have: an
// alias of the user, or another program.
func (m *matcher) unknownSub(_ role, vs []value) {
	if len(vs) > 0 {
		m.opaque(vs[0], Exec, "no sub-command of "+m.spec.Name+" is known by this name")
	}
}
