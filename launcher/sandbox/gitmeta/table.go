package gitmeta

import "strings"

// Settings by which git runs a program, or reads more settings or attributes from a file that somebody chose. In a pattern, * stands for one name or none;
// the first part is the section, the last the key. From git-config(1).
var running = strings.Fields(`
	core.hookspath core.fsmonitor core.sshcommand core.editor core.pager core.gitproxy core.askpass core.alternaterefscommand core.attributesfile
	alias.* filter.*.clean filter.*.smudge filter.*.process diff.external diff.*.command diff.*.textconv diff.tool merge.tool merge.*.driver
	difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path guitool.*.cmd browser.*.cmd browser.*.path man.*.cmd man.*.path
	credential.helper credential.*.helper include.path includeif.*.path url.*.insteadof url.*.pushinsteadof
	gpg.program gpg.*.program gpg.ssh.defaultkeycommand gpg.ssh.allowedsignersfile remote.*.uploadpack remote.*.receivepack remote.*.vcs remote.*.proxy http.proxy http.*.proxy
	protocol.allow protocol.*.allow submodule.*.update uploadpack.packobjectshook sequence.editor interactive.difffilter pager.*
	web.browser instaweb.httpd instaweb.browser help.browser trailer.*.command trailer.*.cmd tar.*.command gc.recentobjectshook
	sendemail.smtpserver sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd sendemail.headercmd imap.tunnel init.templatedir
	hook.*.command svn.authorsprog
`)

// suspicious are endings of keys that name programs in tools and versions that the table does not know.
var suspicious = strings.Fields("command cmd program helper hook editor pager driver textconv prog hookspath")

// harmless are values by which such a setting runs nothing, or nothing but git's own.
var harmless = map[string][]string{
	"core.fsmonitor":     {"", "true", "false", "1", "0", "yes", "no"},
	"core.hookspath":     {"/dev/null"},
	"protocol.*.allow":   {"never", "user"},
	"protocol.allow":     {"never", "user"},
	"submodule.*.update": {"checkout", "rebase", "merge", "none"},
	"pager.*":            {"true", "false", "1", "0", "yes", "no"},
	// Git Large File Storage, as its own installer writes it.
	"filter.*.clean":   {"git-lfs clean -- %f"},
	"filter.*.smudge":  {"git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"},
	"filter.*.process": {"git-lfs filter-process", "git-lfs filter-process --skip"},
}

// runs reports whether git would run something because of a setting. Section and key are in lower case, as they do not count in Git.
func runs(s setting) bool {
	name := s.section + "." + s.key
	if s.hasSub {
		name = s.section + ".*." + s.key
	}
	for _, pattern := range running {
		if pattern != name && !(strings.HasSuffix(pattern, ".*") && !s.hasSub && s.section == strings.TrimSuffix(pattern, ".*")) {
			continue
		}
		for _, value := range harmless[pattern] {
			if strings.EqualFold(value, s.value) {
				return false
			}
		}
		if s.section == "alias" { // without a mark an alias is a git command, whose own options can name a program
			return strings.HasPrefix(strings.TrimSpace(s.value), "!") || strings.Contains(s.value, "-c") || strings.Contains(s.value, "exec") || strings.Contains(s.value, "config")
		}
		return true
	}
	for _, end := range suspicious {
		if strings.HasSuffix(s.key, end) {
			return true
		}
	}
	return false
}
