package command

import "strings"

// gitKeys are the keys of git-config(1) whose value git executes, or that change what it
// executes or contacts: `git -c core.fsmonitor=cmd status` runs cmd. A star stands for any
// middle part. What: "sh" goes to a shell or is a program, "helper" is a shell line
// behind "!", "path" is a folder or file whose content is executed or obeyed.
var gitKeys = []struct{ key, what string }{
	{"alias.*", "helper"},
	{"browser.*.cmd", "sh"}, {"browser.*.path", "sh"},
	{"core.alternaterefscommand", "sh"}, {"core.askpass", "sh"}, {"core.attributesfile", "path"},
	{"core.editor", "sh"}, {"core.fsmonitor", "sh"}, {"core.gitproxy", "sh"},
	{"core.hookspath", "path"}, {"core.pager", "sh"}, {"core.sshcommand", "sh"}, {"core.worktree", "path"},
	{"credential.helper", "helper"}, {"credential.*.helper", "helper"},
	{"diff.external", "sh"}, {"diff.*.command", "sh"}, {"diff.*.textconv", "sh"},
	{"difftool.*.cmd", "sh"}, {"difftool.*.path", "sh"},
	{"filter.*.clean", "sh"}, {"filter.*.process", "sh"}, {"filter.*.smudge", "sh"},
	{"gpg.program", "sh"}, {"gpg.*.program", "sh"}, {"gpg.ssh.defaultkeycommand", "sh"},
	{"guitool.*.cmd", "sh"}, {"hook.*.command", "sh"},
	{"include.path", "path"}, {"includeif.*.path", "path"}, {"init.templatedir", "path"},
	{"instaweb.browser", "sh"}, {"instaweb.httpd", "sh"}, {"interactive.difffilter", "sh"},
	{"man.*.cmd", "sh"}, {"man.*.path", "sh"}, {"merge.*.driver", "sh"},
	{"mergetool.*.cmd", "sh"}, {"mergetool.*.path", "sh"}, {"pager.*", "sh"},
	{"protocol.allow", "switch"}, {"protocol.*.allow", "switch"},
	{"remote.*.proxy", "switch"}, {"remote.*.receivepack", "sh"}, {"remote.*.uploadpack", "sh"},
	{"remote.*.vcs", "sh"}, {"safe.directory", "switch"}, {"safe.barerepository", "switch"},
	{"sendemail.*cmd", "sh"}, {"sendemail.smtpserver", "sh"}, {"sequence.editor", "sh"},
	{"submodule.*.update", "helper"}, {"tar.*.command", "sh"}, {"trailer.*.cmd", "sh"},
	{"trailer.*.command", "sh"}, {"uploadpack.packobjectshook", "sh"},
	{"url.*.insteadof", "switch"}, {"url.*.pushinsteadof", "switch"}, {"web.browser", "sh"},
	{"http.proxy", "switch"}, {"http.*.proxy", "switch"}, {"http.sslverify", "switch"},
	{"http.extraheader", "switch"}, {"http.*.extraheader", "switch"}, {"http.cookiefile", "switch"},
}

// gitHarmless are values of executable keys that only turn something off, or show text.
var gitHarmless = " : cat less true false more 1 0 yes no /dev/null "

func gitKey(key string) string {
	key = strings.ToLower(key)
	for _, k := range gitKeys {
		if matchName(k.key, key) {
			return k.what
		}
	}
	return ""
}

// gitConfig reads key=value of git -c, and with the parameter "key" the two operands of
// git config.
func (m *matcher) gitConfig(r role, vs []value) {
	if len(vs) == 0 {
		return
	}
	v := vs[0]
	key, val, joined := strings.Cut(v.Text, "=")
	body := v.piece(len(key) + 1)
	if r.param == "key" {
		key, joined = v.Text, len(vs) > 1
		if joined {
			body = vs[1]
			val = body.Text
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
	what := gitKey(key)
	if r.param == "hg" {
		what = hgKey(key)
	}
	if what == "" || !joined || body.Static && strings.Contains(gitHarmless, " "+val+" ") {
		return
	}
	m.gitValue(what, body)
}

// hgKey is gitKey for Mercurial: hooks, aliases and extensions are code.
func hgKey(key string) string {
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
