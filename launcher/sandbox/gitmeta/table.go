package gitmeta

import (
	"path"
	"slices"
	"strings"
)

// Settings by which git runs a program, or reads more settings or attributes from a file that somebody chose. In a pattern, * stands for one name or none;
// the first part is the section, the last the key. From git-config(1).
const running = `
	core.hookspath core.fsmonitor core.sshcommand core.editor core.pager core.gitproxy core.askpass core.alternaterefscommand core.attributesfile
	alias.* filter.*.clean filter.*.smudge filter.*.process diff.external diff.*.command diff.*.textconv diff.tool merge.tool merge.*.driver
	difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path guitool.*.cmd browser.*.cmd browser.*.path man.*.cmd man.*.path
	credential.helper credential.*.helper include.path includeif.*.path url.*.insteadof url.*.pushinsteadof
	gpg.program gpg.*.program gpg.ssh.defaultkeycommand gpg.ssh.allowedsignersfile remote.*.uploadpack remote.*.receivepack remote.*.vcs remote.*.proxy http.proxy http.*.proxy
	protocol.allow protocol.*.allow submodule.*.update uploadpack.packobjectshook sequence.editor interactive.difffilter pager.*
	web.browser instaweb.httpd instaweb.browser help.browser trailer.*.command trailer.*.cmd tar.*.command gc.recentobjectshook
	sendemail.smtpserver sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd sendemail.headercmd imap.tunnel imap.*.tunnel init.templatedir
	sendemail.*.smtpserver sendemail.*.sendmailcmd sendemail.*.tocmd sendemail.*.cccmd sendemail.*.headercmd
	pull.twohead pull.octopus options.strategy hook.*.command svn.authorsprog core.worktree diff.guitool merge.guitool instaweb.modulepath
	remote.*.url remote.*.pushurl remote.pushdefault branch.*.remote branch.*.pushremote submodule.*.url
	lfs.*.clean lfs.*.smudge lfs.*.path lfs.*.args lfs.standalonetransferagent lfs.*.standalonetransferagent
`

// suspicious are endings of keys that name programs in tools and versions that the table does not know.
const suspicious = "command cmd program helper hook editor pager driver textconv prog hookspath"

// strategies are git's own. Of any other name git runs git-merge-NAME, and with a slash in it that is a file of the work tree.
var strategies = []string{"ort", "recursive", "resolve", "octopus", "ours", "subtree"}

// harmless are values by which such a setting runs nothing, or nothing but git's own.
var harmless = map[string][]string{
	"core.fsmonitor":     {"", "true", "false", "1", "0", "yes", "no"},
	"core.hookspath":     {"/dev/null"},
	"protocol.*.allow":   {"never"},
	"protocol.allow":     {"never"}, // "user" would allow ext, which is a command, as well
	"submodule.*.update": {"checkout", "rebase", "merge", "none"},
	"pull.twohead":       strategies,
	"pull.octopus":       strategies,
	"options.strategy":   strategies, // in sequencer/opts
	"pager.*":            {"true", "false", "1", "0", "yes", "no"},
	// Git Large File Storage, as its own installer writes it.
	"filter.*.clean":   {"git-lfs clean -- %f"},
	"filter.*.smudge":  {"git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"},
	"filter.*.process": {"git-lfs filter-process", "git-lfs filter-process --skip"},
}

// fitting are settings of which most values are ordinary: for them it is the value that tells, in the repository dir.
var fitting = map[string]func(dir string, s setting) bool{
	"alias.*":             func(_ string, s setting) bool { return plainAlias(s.value) },
	"core.worktree":       ownWorktree,
	"protocol.*.allow":    func(_ string, s setting) bool { return s.value == "user" && slices.Contains(network, s.sub) },
	"remote.*.url":        noHelper,
	"remote.*.pushurl":    noHelper,
	"remote.pushdefault":  noHelper,
	"branch.*.remote":     noHelper,
	"branch.*.pushremote": noHelper,
	"submodule.*.url":     noHelper,
}

// network are the protocols that run no program of the repository's choice.
var network = []string{"file", "git", "http", "https", "ssh"}

// noHelper reports whether an address names no helper: git runs git-remote-NAME for NAME::..., and ext:: runs any command (gitremote-helpers(7)).
func noHelper(_ string, s setting) bool {
	name, _, ok := strings.Cut(s.value, "::")
	return !ok || strings.ContainsFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("+-.", c))
	})
}

// ownWorktree reports whether the work tree is that of a submodule, inside the root. Elsewhere the setting makes git change files that nobody expects it to.
func ownWorktree(dir string, s setting) bool {
	top := path.Join(dir, s.value)
	return strings.Contains("/"+dir+"/", "/modules/") && !path.IsAbs(s.value) && top != ".." && !strings.HasPrefix(top, "../")
}

// runs reports whether git would run something because of a setting in the repository dir. Section and key are in lower case, as they do not count in Git.
func runs(dir string, s setting) bool {
	name := s.section + "." + s.key
	if s.hasSub {
		name = s.section + ".*." + s.key
	}
	for pattern := range strings.FieldsSeq(running) {
		if pattern != name && !(strings.HasSuffix(pattern, ".*") && s.section == strings.TrimSuffix(pattern, ".*")) {
			continue
		}
		if fits := fitting[pattern]; fits != nil && fits(dir, s) {
			return false
		}
		for _, value := range harmless[pattern] {
			if strings.EqualFold(value, s.value) {
				return false
			}
		}
		return true
	}
	for end := range strings.FieldsSeq(suspicious) {
		if strings.HasSuffix(s.key, end) {
			return true
		}
	}
	return false
}
