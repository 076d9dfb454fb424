package command

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// gitHarmless are values of settings that git executes which only turn something off, or show
// text.
var gitHarmless = []string{":", "cat", "less", "true", "false", "more", "1", "0", "yes", "no",
	"/dev/null"}

// gitSetting says what a value of a setting of git does, as catalog/git.txt has it; "" for
// nothing.
func gitSetting(key string, v value) string {
	e := catalog.Git(key)
	what, _ := e.First()
	safe := gitHarmless
	switch what {
	case "", "harmless", "pushes":
		return ""
	case "switch", "address":
		safe = e.Values("safe")
	}
	if v.Static && slices.Contains(safe, v.Text) {
		return ""
	}
	return what
}

// gitConfig reads key=value of git -c, and with the parameter "key" the two operands of
// git config.
func (m *matcher) gitConfig(r role, vs []value) {
	if len(vs) == 0 {
		return
	}
	v := vs[0]
	key, _, joined := strings.Cut(v.Text, "=")
	body := v.piece(len(key) + 1)
	if r.param == "key" {
		key, joined = v.Text, len(vs) > 1
		if joined {
			body = vs[1]
		}
	}
	if !v.Static && !strings.Contains(v.Text, "=") {
		m.opaque(v, Exec, "it could set a key whose value git executes")
		return
	}
	m.changes = m.changes || r.param == "key" && len(vs) > 1
	if r.param == "key" && (len(vs) > 1 || m.changes) && (m.has("--global") || m.has("--system")) {
		m.hazard("git.config-global", v.at)
	}
	sections := r.param == "section" || m.has("--rename-section") || m.has("--remove-section")
	if r.param == "key" && (joined || m.changes) && redirectsPushes(key, body.Text) ||
		sections && slices.ContainsFunc(vs, ofRemotes) {
		m.hazard("git.remote-change", v.at)
	}
	what := gitSetting(key, body)
	if r.param == "hg" {
		what = hgSetting(key, body)
	}
	if what != "" && joined {
		m.gitValue(what, body)
	}
}

// ofRemotes reports whether a section says where remotes are, or what is pushed there.
func ofRemotes(v value) bool {
	section, _, _ := strings.Cut(strings.ToLower(v.Text), ".")
	return !v.Static || slices.Contains([]string{"remote", "branch", "url", "push", "lfs"}, section)
}

// redirectsPushes reports whether a value decides where later pushes go, or what they replace.
func redirectsPushes(key, value string) bool {
	e := catalog.Git(strings.ToLower(key))
	return e.Has("pushes") && !(e.Has("names") && value != "" && !strings.ContainsAny(value, ":/."))
}

// hgSetting is gitSetting for Mercurial: hooks, aliases and extensions are code.
func hgSetting(key string, v value) string {
	if v.Static && slices.Contains(gitHarmless, v.Text) {
		return ""
	}
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "alias", "hooks":
		return "helper"
	case "extensions", "merge-tools", "extdiff", "ui":
		return "switch"
	}
	return ""
}

func (m *matcher) gitValue(what string, v value) {
	if what == "address" {
		m.gitURL(role{param: "note"}, []value{v})
		return
	}
	m.hazard("git.config-exec", v.at)
	switch what {
	case "sh":
		m.nest(Nested{Via: "git -c", Shell: &v.Arg, Arg: v.at})
	case "helper":
		if shell := v.piece(1); strings.HasPrefix(v.Text, "!") {
			m.nest(Nested{Via: "git -c", Shell: &shell.Arg, Arg: v.at})
		}
	case "path":
		m.touch(Read, Source, v, true)
	}
}

// refspec is [+]src[:dst] of git push: a plus forces, an empty source deletes.
func (m *matcher) refspec(_ role, vs []value) {
	for _, v := range vs {
		switch {
		case strings.HasPrefix(v.Text, "+"):
			m.hazard("git.force-push", v.at)
		case strings.HasPrefix(v.Text, ":") && v.Text != ":":
			m.hazard("git.delete-remote-branch", v.at)
		}
	}
}
