package command

import (
	"slices"
	"strings"
)

// The small languages of single options.

// debuggerCommand is a line for pdb or a cell of ipython(1): "!" starts a shell in the one
// and a statement in the other, and anything with a call in it is Python.
func (m *matcher) debuggerCommand(_ role, vs []value) {
	for _, v := range vs {
		if body, bang := strings.CutPrefix(v.Text, "!"); bang && strings.HasPrefix(m.spec.Name,
			"ipython") {
			m.shell(role{}, []value{v.piece(len(v.Text) - len(body))})
			continue
		}
		if v = v.piece(len(v.Text) - len(strings.TrimLeft(v.Text, "! "))); !v.Static ||
			strings.ContainsAny(v.Text, "(=") {
			m.code(role{param: "python"}, []value{v})
		}
	}
}

// lispFunction is emacs -f NAME.
func (m *matcher) lispFunction(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static || !slices.Contains(list("lisp-harmless"), v.Text) {
			m.nest(Nested{Code: &Code{"elisp", v.Arg}, Arg: v.at})
		}
	}
}

// lispLibrary is emacs -l NAME: a file when it looks like one, else a library that comes
// with the editor.
func (m *matcher) lispLibrary(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static || strings.ContainsAny(v.Text, "/.") {
			m.touch(Read, Source, v, true)
			if !testFileName(v.Text) {
				m.hazard("code.from-data", v.at)
			}
		}
	}
}

// testFileName reports whether a file is a test, which a batch run is for: an editor that loads any
// other file is seldom what a build needs.
func testFileName(name string) bool {
	name = base(name)
	return strings.Contains(name, "test") || strings.Contains(name, "init") ||
		strings.Contains(name, "build")
}

// fuzzyBinding is KEY:ACTION[,...] of fzf(1), in which execute(...) and its kin run a shell.
func (m *matcher) fuzzyBinding(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static {
			m.opaque(v, Exec, "it could be an action that runs a command")
		}
		for _, action := range []string{"execute", "execute-silent", "become", "reload",
			"reload-sync", "preview", "transform", "transform-prompt", "transform-query",
			"change-preview"} {
			_, text, runs := strings.Cut(v.Text, action)
			if runs && text != "" && strings.IndexByte("(:", text[0]) >= 0 {
				body := v.piece(len(v.Text) - len(text) + 1)
				body.Text, _, _ = strings.Cut(body.Text, ")")
				m.shell(role{}, []value{body})
				m.opaque(v, Exec, "an action that runs a command")
			}
		}
	}
}

// graphQL is NAME=VALUE of `gh api graphql`: a query reads, a mutation changes.
func (m *matcher) graphQL(_ role, vs []value) {
	for _, v := range vs {
		name, text, _ := strings.Cut(v.Text, "=")
		if name != "query" && v.Static {
			continue
		}
		if !v.Static || strings.HasPrefix(text, "@") || strings.Contains(text, "mutation") {
			m.hazard("remote.change", v.at)
		}
	}
}

// rubyUn are the functions of Ruby's library "un", which `ruby -run -e NAME` calls with the
// operands, and the programs that do the same.
var rubyUn = []string{"chmod", "cp", "httpd", "install", "ln", "mkdir", "mv", "rm", "rmdir",
	"touch"}

// rubyOneLiner reads the operands of `ruby -r un -e NAME`; those of other programs are data.
func (m *matcher) rubyOneLiner(_ role, vs []value) {
	un, name := false, ""
	for _, g := range m.seen {
		un = un || g.has("-r") && g.v.Text == "un"
		if g.has("-e") {
			name = strings.TrimSpace(g.v.Text)
		}
	}
	if !un || !slices.Contains(rubyUn, name) {
		return
	}
	if name == "httpd" {
		for _, v := range vs {
			if strings.HasPrefix(v.Text, "--bind-address=") {
				m.alarm(role{kind: "HOSTBIND"}, []value{v.piece(len("--bind-address="))})
				return
			}
		}
		m.hazard("net.listen", 0)
		return
	}
	m.nest(Nested{Via: "ruby -run", Argv: append([]Arg{{Text: name, Static: true}}, words(vs)...)})
}
