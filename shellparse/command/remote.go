package command

import (
	"slices"
	"strconv"
	"strings"
)

// gitAccounts greet and hang up: `ssh -T` to one is how people try their key.
var gitAccounts = []string{"git@bitbucket.org", "git@codeberg.org", "git@github.com",
	"git@gitlab.com"}

// sshLine is HOST and a command line for the shell there, which are the rest of the words
// joined by blanks. Without one the shell there reads standard input.
func (m *matcher) sshLine(_ role, vs []value) {
	if len(vs) == 0 {
		return
	}
	defer m.onPort("-p", len(m.use.Hosts))
	if len(vs) == 1 && m.has("-T") && slices.Contains(gitAccounts, vs[0].Text) {
		m.hostWord(role{param: "ssh"}, vs)
		return
	}
	m.hostWord(role{param: "ssh", marks: []string{"upload"}}, vs[:1])
	switch {
	case len(vs) > 1:
		m.shell(role{marks: []string{"remote"}}, vs[1:])
	case !m.has("-N") && !m.has("-W") && !m.has("-f"):
		m.use.StdinCode = "sh"
	}
}

// onPort gives the hosts that were added after the first n the port that an option has named. Those
// of other options keep their own.
func (m *matcher) onPort(option string, n int) {
	port := 0
	for _, g := range m.seen {
		if g.option.has(option) && g.set {
			if port, _ = strconv.Atoi(g.v.Text); !g.v.Static || port < 0 || port > 65535 {
				port = 0
			}
		}
	}
	for i := n; i < len(m.use.Hosts); i++ {
		if h := &m.use.Hosts[i]; h.Scheme == "ssh" && h.Port == 0 {
			h.Port = port
		}
	}
}

// sftpHost is [user@]host of sftp(1).
func (m *matcher) sftpHost(r role, vs []value) {
	defer m.onPort("-P", len(m.use.Hosts))
	r.param, r.marks = "ssh", append(slices.Clone(r.marks), "upload")
	m.hostWord(r, vs)
}

// sshOptions are the keys of ssh_config(5) whose value is executed, loaded or a name.
var sshOptions = []struct {
	key string
	do  role
}{
	{"controlpath", role{kind: "W"}},
	{"identityfile", role{kind: "R"}},
	{"include", role{kind: "SRC", param: "sshconfig"}},
	{"knownhostscommand", role{kind: "SH"}},
	{"localcommand", role{kind: "SH"}},
	{"pkcs11provider", role{kind: "LIB"}},
	{"proxycommand", role{kind: "SH"}},
	{"proxyjump", role{kind: "HOST", param: "ssh"}},
	{"remotecommand", role{kind: "SH", marks: []string{"remote"}}},
	{"securitykeyprovider", role{kind: "LIB"}},
	{"userknownhostsfile", role{kind: "W"}},
	{"xauthlocation", role{kind: "SH"}},
}

// sshOption is -o KEY=VALUE, or KEY VALUE in one word.
func (m *matcher) sshOption(_ role, vs []value) {
	for _, v := range vs {
		at := strings.IndexAny(v.Text, "= \t")
		if at < 0 {
			if !v.Static {
				m.opaque(v, Exec, "it could be an option that runs a command")
			}
			continue
		}
		key := strings.ToLower(v.Text[:at])
		body := v.piece(at + 1)
		body = body.piece(len(body.Text) - len(strings.TrimLeft(body.Text, "= \t")))
		for _, o := range sshOptions {
			if o.key == key && body.Text != "none" {
				m.sshValue(o.do, body)
			}
		}
	}
}

func (m *matcher) sshValue(r role, v value) {
	switch r.kind {
	case "SH":
		m.shell(r, []value{v})
	case "LIB":
		m.loads(r, []value{v})
	case "SRC":
		m.source(r, []value{v})
	case "HOST":
		m.hostWord(r, []value{v})
	default:
		m.path(r, v)
	}
}

// copyAway is scp: sources, then a target, each here or on another machine.
func (m *matcher) copyAway(_ role, vs []value) {
	defer m.onPort("-P", len(m.use.Hosts))
	for i, v := range vs {
		kind := "R"
		if i == len(vs)-1 && i > 0 {
			kind = "W"
		}
		m.remoteName(role{param: kind}, []value{v})
	}
}

// rsync is scp with a target that --delete empties of what the source does not have.
func (m *matcher) rsync(_ role, vs []value) {
	for i := range m.use.Lists {
		if len(vs) > 1 { // --files-from is below what is copied, whatever its names begin with
			m.use.Lists[i].From = &Touch{Arg: vs[0].at, Text: vs[0].Text, Static: vs[0].Static,
				Glob: vs[0].Glob}
		}
	}
	for i, v := range vs {
		target := i == len(vs)-1 && i > 0
		if host, _, ok := strings.Cut(v.Text, "::"); ok && !strings.Contains(host, "/") {
			host = host[strings.LastIndexByte(host, '@')+1:]
			m.addHost(Host{Scheme: "rsync", Host: host, Static: true, Upload: target}, v)
			continue
		}
		if !target {
			m.remoteName(role{param: "R"}, []value{v})
			continue
		}
		before := len(m.use.Hosts)
		m.remoteName(role{param: "W"}, []value{v})
		local := len(m.use.Hosts) == before
		if local && slices.ContainsFunc(m.use.Hazards,
			func(h Hazard) bool { return h.Rule == "sync.delete" }) {
			m.touch(Delete, Recursive|Below, v, true)
		}
	}
}

// rclone is REMOTE:PATH or a name here. The parameter is what happens to it.
func (m *matcher) rclone(r role, vs []value) {
	for _, v := range vs {
		remote, _, ok := strings.Cut(v.Text, ":")
		if ok && !strings.Contains(remote, "/") {
			m.addHost(Host{Scheme: "rclone", Host: remote, Static: true, Upload: r.param == "W"}, v)
			continue
		}
		for i := range len(r.param) {
			for _, l := range pathLetters {
				if l.letter == r.param[i] {
					m.touch(l.right, Recursive, v, true)
				}
			}
		}
	}
}

// netcat is HOST PORT: standard input goes there. -l waits for connections instead, and -z only
// checks whether the port answers.
func (m *matcher) netcat(_ role, vs []value) {
	switch {
	case m.has("-l"):
		at := 0
		if len(vs) > 0 {
			at = vs[0].at
		}
		m.hazard("net.listen", at)
	case len(vs) == 0:
	case m.has("-U"):
		m.path(role{kind: "W"}, vs[0])
	default:
		h := Host{Host: vs[0].Text, Static: vs[0].Static, Upload: !m.has("-z"), Input: true}
		if len(vs) > 1 {
			_, h.Port = hostPort("x:" + vs[1].Text)
		}
		m.addHost(h, vs[0])
	}
}

// netShell is a command whose input and output become the connection.
func (m *matcher) netShell(_ role, vs []value) {
	m.hazard("net.shell", vs[0].at)
	m.shell(role{}, vs)
}

func (m *matcher) netProgram(_ role, vs []value) {
	m.hazard("net.shell", vs[0].at)
	m.program(role{}, vs)
}

// socat is an address TYPE:PARAMETERS,OPTIONS of socat(1).
func (m *matcher) socat(_ role, vs []value) {
	for _, v := range vs {
		word, _, _ := strings.Cut(v.Text, ",")
		kind, rest, _ := strings.Cut(word, ":")
		kind = strings.ToUpper(kind)
		arg := v.piece(len(word) - len(rest))
		if len(word) < len(v.Text) {
			arg.Text, arg.Static = rest, true
		}
		m.socatAddress(kind, arg)
	}
}

func (m *matcher) socatAddress(kind string, arg value) {
	switch {
	case slices.Contains([]string{"-", "STDIO", "STDIN", "STDOUT", "STDERR", "FD", "PIPE", "PTY",
		"READLINE"}, kind):
	case slices.Contains([]string{"EXEC", "SYSTEM", "SHELL"}, kind):
		m.netShell(role{}, []value{arg})
	case slices.Contains([]string{"FILE", "GOPEN", "OPEN"}, kind):
		m.path(role{kind: "RW"}, arg)
	case kind == "CREATE" || strings.HasPrefix(kind, "UNIX") || strings.HasPrefix(kind, "ABSTRACT"):
		m.path(role{kind: "W"}, arg)
	case strings.Contains(kind, "LISTEN") || strings.HasSuffix(kind, "-L") || strings.Contains(kind,
		"RECV"):
		m.hazard("net.listen", arg.at)
	case strings.HasPrefix(kind, "TCP"), strings.HasPrefix(kind, "UDP"), strings.HasPrefix(kind,
		"SCTP"),
		strings.HasPrefix(kind, "OPENSSL"), kind == "SSL", strings.HasPrefix(kind, "SOCKS"),
		kind == "PROXY":
		h := Host{Scheme: strings.ToLower(strings.TrimRight(kind, "46")), Static: arg.Static,
			Upload: true}
		h.Host, h.Port = hostPort(arg.Text)
		m.addHost(h, arg)
	case strings.Contains(kind, "/"):
		m.path(role{kind: "RW"}, arg)
	default:
		m.opaque(arg, Net, "an address of socat that is not known")
	}
}

// dnsName is a name to be resolved: the name itself reaches servers elsewhere, so one that
// is made at run time carries data out (CVE-2025-55284).
func (m *matcher) dnsName(_ role, vs []value) {
	for _, v := range vs {
		switch {
		case v.Static && (strings.HasPrefix(v.Text, "+") || v.Text == "" ||
			strings.IndexByte(v.Text, '.') < 0 && !loopback(v.Text)):
		case strings.HasPrefix(v.Text, "@"):
			m.hostWord(role{param: "dns"}, []value{v.piece(1)})
		default:
			m.addHost(Host{Scheme: "dns", Host: v.Text, Static: v.Static, Built: !v.Static}, v)
		}
	}
}

// nameService is getent DATABASE KEY...
func (m *matcher) nameService(_ role, vs []value) {
	if len(vs) > 0 && (vs[0].Text == "shadow" || vs[0].Text == "gshadow") {
		m.path(role{kind: "R"}, value{Arg{Text: "/etc/" + vs[0].Text, Static: true}, vs[0].at})
	}
	if len(vs) > 1 && slices.Contains([]string{"hosts", "ahosts", "ahostsv4", "ahostsv6"},
		vs[0].Text) {
		m.dnsName(role{}, vs[1:])
	}
}
