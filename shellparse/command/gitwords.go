package command

import "strings"

// gitKeys are the keys of git-config(1) whose value git executes, or that change what it
// executes or contacts: `git -c core.fsmonitor=cmd status` runs cmd. A star stands for any
// middle part. What: "sh" goes to a shell, "prog" is one program, "helper" is a shell line
// behind "!", "path" is a folder or file whose content is executed or obeyed.
var gitKeys = []struct{ key, what string }{
	{"alias.*", "helper"},
	{"browser.*.cmd", "sh"}, {"browser.*.path", "prog"},
	{"core.alternaterefscommand", "sh"}, {"core.askpass", "prog"}, {"core.attributesfile", "path"},
	{"core.editor", "sh"}, {"core.fsmonitor", "prog"}, {"core.gitproxy", "prog"},
	{"core.hookspath", "path"}, {"core.pager", "sh"}, {"core.sshcommand", "sh"}, {"core.worktree", "path"},
	{"credential.helper", "helper"}, {"credential.*.helper", "helper"},
	{"diff.external", "sh"}, {"diff.*.command", "sh"}, {"diff.*.textconv", "sh"},
	{"difftool.*.cmd", "sh"}, {"difftool.*.path", "prog"},
	{"filter.*.clean", "sh"}, {"filter.*.process", "sh"}, {"filter.*.smudge", "sh"},
	{"gpg.program", "prog"}, {"gpg.*.program", "prog"}, {"gpg.ssh.defaultkeycommand", "sh"},
	{"guitool.*.cmd", "sh"}, {"hook.*.command", "sh"},
	{"include.path", "path"}, {"includeif.*.path", "path"}, {"init.templatedir", "path"},
	{"instaweb.browser", "prog"}, {"instaweb.httpd", "sh"}, {"interactive.difffilter", "sh"},
	{"man.*.cmd", "sh"}, {"man.*.path", "prog"}, {"merge.*.driver", "sh"},
	{"mergetool.*.cmd", "sh"}, {"mergetool.*.path", "prog"}, {"pager.*", "sh"},
	{"protocol.allow", "switch"}, {"protocol.*.allow", "switch"},
	{"remote.*.proxy", "switch"}, {"remote.*.receivepack", "sh"}, {"remote.*.uploadpack", "sh"},
	{"remote.*.vcs", "prog"}, {"safe.directory", "switch"}, {"safe.barerepository", "switch"},
	{"sendemail.*cmd", "sh"}, {"sendemail.smtpserver", "prog"}, {"sequence.editor", "sh"},
	{"submodule.*.update", "helper"}, {"tar.*.command", "sh"}, {"trailer.*.cmd", "sh"},
	{"trailer.*.command", "sh"}, {"uploadpack.packobjectshook", "sh"},
	{"url.*.insteadof", "switch"}, {"url.*.pushinsteadof", "switch"}, {"web.browser", "prog"},
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
	what := gitKey(key)
	if what == "" || !joined || body.Static && strings.Contains(gitHarmless, " "+val+" ") {
		return
	}
	m.gitValue(what, body)
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
	case "prog":
		m.nest(Nested{Via: "git -c", Argv: []Arg{v.Arg}, Arg: v.at})
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
