package command

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// gitURL is a repository: an address, host:path, a folder, or the name of a configured
// remote, which becomes a Host of the scheme "remote". The parameter is "push" when bytes
// go there, "pull" when the checkout becomes what is there, and "note" when it is only
// written down.
func (m *matcher) gitURL(r role, vs []value) {
	push, kind := r.param == "push", "R"
	if push {
		kind = "W"
	}
	if len(vs) == 0 {
		m.addHost(Host{Scheme: "remote", Static: true, Upload: push}, value{Arg{}, -1})
	}
	for _, v := range vs {
		helper, address, special := strings.Cut(v.Text, "::")
		colon, slash := strings.IndexByte(v.Text, ':'), strings.IndexByte(v.Text, '/')
		switch {
		case special && helper != "" && !strings.Contains(helper, "/"):
			m.gitHelper(helper, v.piece(len(v.Text)-len(address)))
		case r.param == "note":
		case v.Below && v.Text == ".": // fd and rg print bare names, which can be those of remotes
			m.addHost(Host{Scheme: "remote", Upload: push}, v)
		case strings.Contains(v.Text, "://") || colon > 0 && (slash < 0 || colon < slash):
			m.remoteName(role{param: kind}, []value{v})
			if r.param == "pull" {
				// The remote of the project is trusted by its name; this one belongs to someone
				// else.
				m.hazard("pkg.foreign-source", v.at)
			}
		case slash >= 0 || strings.HasPrefix(v.Text, ".") || strings.HasPrefix(v.Text, "~"):
			m.path(role{kind: kind}, v)
		case r.param != "clone":
			m.addHost(Host{Scheme: "remote", Host: v.Text, Static: v.Static, Upload: push}, v)
		default:
			m.path(role{kind: "R"}, v)
		}
	}
}

// gitHelper is HELPER::ADDRESS: git runs git-remote-HELPER, and ext runs the address itself
// (gitremote-helpers(7), git-remote-ext(1)).
func (m *matcher) gitHelper(helper string, v value) {
	m.hazard("git.config-exec", v.at)
	if helper == "ext" {
		m.nest(Nested{Via: "git ext::", Argv: split(v.Arg), Arg: v.at})
	}
}

// gitClone is URL and the folder that it makes, by default the last part of the URL.
func (m *matcher) gitClone(_ role, vs []value) {
	if len(vs) == 0 {
		return
	}
	m.gitURL(role{param: "clone"}, vs[:1])
	if len(vs) > 1 {
		m.path(role{kind: "C"}, vs[1])
		return
	}
	v := vs[0]
	v.Text = strings.TrimSuffix(strings.TrimRight(v.Text, "/"), ".git")
	v.Text = v.Text[strings.LastIndexAny(v.Text, "/:")+1:]
	if v.Static {
		m.path(role{kind: "C"}, v)
	}
}

// gitCheckout distinguishes a branch from files: files follow "--", or come second, or look like
// one. Uncommitted changes in them are lost.
func (m *matcher) gitCheckout(_ role, vs []value) {
	if m.has("-b") || m.has("-B") || m.has("--orphan") {
		return
	}
	files := vs
	if m.dashes > 0 {
		files = slices.DeleteFunc(slices.Clone(vs), func(v value) bool { return v.at < m.dashes })
	} else if len(vs) > 0 && !looksLikeFile(vs[0]) {
		files = vs[1:]
		if m.has("-t") {
			files = nil
		}
	}
	for _, v := range files {
		if vs[0].at < v.at && (m.dashes == 0 || vs[0].at < m.dashes) {
			m.gitFile(role{}, []value{v}) // what a commit has under that name
		}
		m.hazard("git.discard", v.at)
		m.path(role{kind: "W"}, v)
	}
}

// looksLikeFile distinguishes "f.go", "." and "./x" from "main", "v1.2" and "feature/x".
func looksLikeFile(v value) bool {
	if v.Glob || v.Text == "." || strings.HasPrefix(v.Text, "./") || strings.HasPrefix(v.Text,
		"../") || strings.HasPrefix(v.Text, ":/") {
		return true
	}
	name := base(v.Text)
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && dot+1 < len(name) && (name[dot+1] >= 'a' && name[dot+1] <= 'z')
}

// gitFile is a word of a command that prints what commits hold: a revision, REVISION:NAME, or a
// name. Of names only secrets matter, because everything else that is in a commit may be read.
func (m *matcher) gitFile(_ role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, ":!") || strings.HasPrefix(v.Text, ":^") ||
			strings.HasPrefix(v.Text, ":(exclude") {
			continue
		}
		if v = v.piece(strings.LastIndexByte(v.Text, ':') + 1); catalog.SecretFile(v.Text) {
			m.touch(Read, Possible, v, true)
		}
	}
}

// gitAdd are names that a commit may hold from then on. What is in a secret goes where the commit
// goes.
func (m *matcher) gitAdd(_ role, vs []value) {
	for _, v := range vs {
		kind := "N"
		if v.Static && catalog.SecretFile(v.Text) {
			kind = "R"
		}
		m.path(role{kind: kind}, v)
	}
}

// gitClean deletes what is not tracked, below the operands or here.
func (m *matcher) gitClean(_ role, vs []value) {
	if len(vs) == 0 {
		vs = []value{{Arg{Text: ".", Static: true}, -1}}
	}
	for _, v := range vs {
		m.touch(Delete, Recursive|Below, v, true)
	}
}

// gitApply reads patches and writes what they name.
func (m *matcher) gitApply(_ role, vs []value) {
	for _, v := range vs {
		m.path(role{kind: "R"}, v)
	}
	m.extract(role{}, nil)
}

// gitPath is a folder whose content decides what git executes: --exec-path, --git-dir. With the
// parameter "repo" the .git below the working directory is a repository like that of git -C.
func (m *matcher) gitPath(r role, vs []value) {
	for _, v := range vs {
		if v.Static && (v.Text == "" || v.Text == ".git" || v.Text == "./.git") {
			continue
		}
		dir, isGit := strings.CutSuffix(v.Text, "/.git")
		if r.param == "repo" && v.Static && isGit && !path.IsAbs(dir) &&
			path.Clean(dir) == strings.TrimPrefix(dir, "./") && !strings.HasPrefix(dir, "..") {
			m.repository(&Touch{Text: dir, Static: true}, v)
			continue
		}
		m.touch(Read, Source, v, true)
		m.hazard("git.config-exec", v.at)
	}
}
