package command

import (
	"slices"
	"strings"
)

// generic reads the words of a program that the table does not know.
func (m *matcher) generic() {
	m.verbs(1)
	for i := 1; i < len(m.args); i++ {
		v := value{m.args[i], i}
		m.guessed(v, i > 1 && saysOutput(m.args[i-1].Text))
		if v.Static && slices.Contains(list("dangerous"), base(v.Text)) {
			m.use.Nested = append(m.use.Nested, Nested{
				Via: m.args[0].Text, Argv: m.args[i:], Arg: i, Possible: true,
			})
			return
		}
	}
}

// maxVerbs is how many words in front of the first option can be sub-commands.
const maxVerbs = 4

// destroyers are sub-commands that mean one thing, whatever program has them. The last two do so
// behind a noun only: x volume rm.
var destroyers = []string{"delete", "deprovision", "destroy", "drop", "obliterate", "purge",
	"terminate", "uninstall", "unpublish", "wipe", "remove", "rm"}

const behindNoun = 2 // how many of them, at the end

// senders are sub-commands with which something leaves this machine.
var senders = []string{"deploy", "expose", "publish", "push", "share", "tunnel"}

// fetchers are sub-commands that run or install what the address behind them has.
var fetchers = []string{"add", "create", "exec", "import", "init", "install", "launch", "run"}

// posted are what people write to each other on a service, and posts what is done with it there.
var (
	posted = []string{"card", "comment", "discussion", "gist", "issue", "mail", "message", "paste",
		"post", "pr", "pull-request", "snippet", "story", "ticket", "tweet", "workitem"}
	posts = []string{"add", "assign", "close", "comment", "create", "edit", "merge", "move", "new",
		"reply", "send", "transition", "update"}
)

// verbs reads the words from args[i] up to the first option as sub-commands of which the table
// knows nothing: what they say they do.
func (m *matcher) verbs(i int) {
	if strings.IndexByte(m.args[0].Text, '/') >= 0 {
		return // a program of the project, whose words are its own
	}
	for first := i; i < len(m.args) && i < first+maxVerbs; i++ {
		a := m.args[i]
		sure := destroyers
		if i == first {
			sure = destroyers[:len(destroyers)-behindNoun]
		}
		switch last := i == first+maxVerbs-1; {
		case !a.Static || strings.HasPrefix(a.Text, "-"):
			return
		case orders(a.Text, sure):
			m.hazard("unknown.destroy", i)
		case !last && orders(a.Text, senders),
			i > first && slices.Contains(posts, a.Text) &&
				slices.Contains(posted, strings.TrimSuffix(m.args[i-1].Text, "s")):
			m.hazard("unknown.send", i)
		case i > first && slices.Contains(fetchers, m.args[i-1].Text) &&
			strings.Contains(a.Text, "://"):
			m.hazard("code.install", i)
		case !last && keepsSecrets(a.Text):
			m.hazard("secret.print", i)
		}
	}
}

// keepsSecrets reports whether a sub-command is named after secrets: get-secret-value, password.
func keepsSecrets(word string) bool {
	for part := range strings.SplitSeq(word, "-") {
		switch strings.TrimSuffix(part, "s") {
		case "credential", "cred", "password", "passphrase", "secret":
			return true
		}
	}
	return false
}

// orders reports whether a word is such a sub-command: destroy, db:drop, service-instance-delete,
// delete-all.
func orders(word string, verbs []string) bool {
	return slices.ContainsFunc(verbs, func(verb string) bool {
		front, ok := strings.CutSuffix(word, verb)
		return ok && (front == "" || strings.ContainsAny(front[len(front)-1:], "-:")) ||
			strings.HasPrefix(word, verb+"-")
	})
}

// handedOn are words for a script or a program of the project. What it does with them is unknown,
// but a word that looks like a name is most likely opened.
func (m *matcher) handedOn(_ role, vs []value) {
	for _, v := range vs {
		if _, after, ok := strings.Cut(v.Text, "="); ok {
			v = v.piece(len(v.Text) - len(after))
		}
		v = v.piece(len(v.Text) - len(strings.TrimPrefix(v.Text, "@")))
		if strings.HasPrefix(v.Text, "/") || strings.HasPrefix(v.Text, "~") ||
			strings.HasPrefix(v.Text, "../") {
			m.touch(Read, Possible, v, true)
		}
	}
}

func base(text string) string { return text[strings.LastIndexByte(text, '/')+1:] }

// outputs are the options that hardly any program has for anything else than what it writes.
var outputs = []string{"-o", "-O", "-i", "-w", "--out", "--outdir", "--outfile", "--out-file",
	"--out-dir", "--output", "--output-file",
	"--output-dir", "--dest", "--destination", "--write", "--in-place", "--fix"}

func saysOutput(option string) bool { return slices.Contains(outputs, option) }

// streams are schemes where nothing in the address says whether bytes come or go.
var streams = []string{"ftp", "ftps", "rsync", "rtmp", "rtmps", "rtp", "scp", "sftp", "srt", "ssh",
	"tcp", "udp"}

// accountThere takes user@host:name for the place on another machine that it is for scp(1) and
// its kin. A repository of the account git is fetched far more often than not.
func accountThere(word string) (host string, ok bool) {
	user, rest, at := strings.Cut(word, "@")
	host, name, colon := strings.Cut(rest, ":")
	return host, at && colon && user != "git" && host != "" && name != "" &&
		!strings.ContainsAny(word[:len(word)-len(name)], "/ ") &&
		strings.Trim(name, "0123456789") != ""
}

// spoken are names from the root in a word of several words, such as a query.
func (m *matcher) spoken(v value) {
	for at := 0; at < len(v.Text); {
		next := strings.IndexAny(v.Text[at:], " \t\n'\"`(),;=")
		end := at + next
		if next < 0 {
			end = len(v.Text)
		}
		if name := v.Text[at:end]; len(name) > 1 && name[0] == '/' && name[1] != '/' {
			m.touch(Read, Possible, value{Arg{Text: name, Static: true}, v.at}, true)
		}
		at = end + 1
	}
}

// guess takes a word for what it looks like: an address, or a name that may be read and
// written, and is certainly written behind an option that says so. A plain word is taken for
// data, because most are.
func (m *matcher) guess(v value) { m.guessed(v, false) }

// mines reports whether an address is that of a server that gives miners their work.
func mines(address string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(address), "://")
	return ok && strings.HasPrefix(scheme, "stratum")
}

func (m *matcher) guessed(v value, written bool) {
	if name, after, ok := strings.Cut(v.Text, "="); ok && !strings.Contains(v.Text, "://") {
		v, written = v.piece(len(v.Text)-len(after)), saysOutput(name)
	} else if strings.HasPrefix(v.Text, "-") {
		at := strings.IndexByte(v.Text, '=') + 1
		if !mines(v.Text[at:]) {
			return
		}
		v = v.piece(at)
	}
	if mines(v.Text) {
		m.hazard("net.mine", v.at)
	}
	if strings.HasPrefix(v.Text, "@") {
		v = v.piece(1)
	}
	host, there := accountThere(v.Text)
	switch {
	case v.Static && strings.ContainsAny(v.Text, " \n\"'`"):
		m.spoken(v)
	case there && v.Static:
		m.addHost(Host{Scheme: "ssh", Host: host, Static: true, Upload: true}, v)
	case strings.Contains(v.Text, "://"):
		r := role{kind: "URL"}
		if scheme, _, _ := strings.Cut(v.Text, "://"); slices.Contains(streams,
			strings.ToLower(scheme)) {
			r.marks = []string{"upload"}
		}
		m.url(r, []value{v})
	case v.Glob || strings.ContainsAny(v.Text, "/~") || v.Text == ".." || v.Text == ".":
		m.touch(Read, Possible, v, true)
		if written {
			m.touch(Write, 0, v, true)
			return
		}
		m.touch(Write, Possible, v, true)
	}
}
