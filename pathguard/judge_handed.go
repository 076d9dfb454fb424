package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
)

// handed denies forbidden names in words that the command table treats as data. An entry cannot say
// for each of a hundred options whether it opens a file; a line that passes the whole name of a
// restricted file to a program wants it to be opened.
func (j *judgement) handed() {
	commands := j.script.Commands
	for i := range commands {
		c := &commands[i]
		if c.Builtin || c.Remote || slices.Contains(talkers, path.Base(c.Name)) ||
			i+1 < len(commands) && wraps(c, &commands[i+1]) {
			continue
		}
		for _, w := range c.Args[min(1, len(c.Args)):] {
			if !w.Static || strings.IndexByte(w.Text, '/') < 0 || leavesOut(w.Text) {
				continue
			}
			for name := range strings.FieldsFuncSeq(w.Text,
				func(r rune) bool { return r == '=' || r == '@' || r == ',' }) {
				j.denyName(name, c.Dir, c.Span, i)
			}
		}
	}
}

// talkers are given text that is about something, or names that are those of another machine.
var talkers = []string{"ack", "ag", "awk", "basename", "dirname", "docker", "egrep", "env", "expr",
	"fgrep", "find", "gawk", "gh",
	"git", "glab", "grep", "helm", "jq", "kubectl", "logger", "look", "lxc", "mawk", "nerdctl",
	"notify-send", "oc", "perl", "podman",
	"printf", "rg", "rsync", "scp", "sed", "sort", "ssh", "systemd-escape", "tr", "zgrep",
	"zipgrep"}

// wraps reports whether the words of a command are those of the next one, which is asked itself.
func wraps(c, next *shellparse.Command) bool {
	return len(next.Via) == len(c.Via)+1
}

// leavesOut reports whether an option names something to exclude.
func leavesOut(word string) bool {
	return strings.HasPrefix(word, "-") &&
		(strings.Contains(word, "exclude") || strings.Contains(word, "ignore") ||
			strings.Contains(word, "skip"))
}

// fileSchemes precede the name of a file of this machine.
var fileSchemes = []string{"caption", "dir", "docker-archive", "file", "fileb", "label", "man",
	"oci", "oci-archive", "text"}

// denyName denies a name that is in a restricted place, as it is spelled.
func (j *judgement) denyName(name, dir string, span shellparse.Span, cmd int) {
	if scheme, rest, ok := strings.Cut(name, ":"); ok && slices.Contains(fileSchemes, scheme) {
		name = rest
	}
	switch {
	case strings.HasPrefix(name, "~/") && j.plan.Caller.Home != "":
		name = pathname.Join(j.plan.Caller.Home, name[2:])
	case strings.HasPrefix(name, "../") && dir != "":
		name = pathname.Join(dir, name)
	}
	if name = path.Clean(name); len(name) < 2 || name[0] != '/' {
		return
	}
	if rest, ok := behindRoot(name); ok {
		name = rest
	}
	j.p.tree.matches(name, func(m mark) {
		if rule := denials[m.kind]; rule != "" && !m.swept {
			j.add(Deny, rule, m.path, "", span, cmd)
		}
	})
}
