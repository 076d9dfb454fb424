package command

import (
	"slices"
	"strconv"
	"strings"
)

// talkers are schemes in which the address or standard input goes out word by word.
var talkers = []string{"dict", "gopher", "gophers", "smtp", "smtps", "telnet"}

func (m *matcher) addHost(h Host, v value) {
	h.Arg = v.at
	if isMetadata(h.Host) {
		m.hazard("secret.print", v.at)
	}
	h.Upload = h.Upload || slices.Contains(talkers, h.Scheme)
	m.use.Hosts = append(m.use.Hosts, h)
}

// url is an address with a scheme, or without one where the parameter gives the default.
// A file: address is a name here, not a place in the network.
func (m *matcher) url(r role, vs []value) {
	for _, v := range vs {
		scheme, _, ok := strings.Cut(v.Text, "://")
		switch {
		case ok && strings.EqualFold(scheme, "file"):
			m.fileURL(r, v)
		case ok && scheme == "unix" && hasMark(r, "container.daemon"):
			// one of this machine, about which a question comes when it is connected to
		case !ok && strings.HasPrefix(v.Text, "/"):
			m.path(role{kind: "R"}, v)
		case ok || r.param != "":
			h := parseURL(v.Arg, r.param)
			h.Upload = hasMark(r, "upload")
			m.addHost(h, v)
			if strings.Contains(v.Text, "/_delete_by_query") { // of Elasticsearch and OpenSearch
				m.hazard("db.destroy", v.at)
			}
		case !v.Static:
			m.addHost(Host{}, v)
		default:
			m.remoteName(role{kind: "REMOTE", param: "local", marks: r.marks}, []value{v})
		}
	}
}

func hasMark(r role, want string) bool { return slices.Contains(r.marks, want) }

// fileURL is file:///name or file://host/name.
func (m *matcher) fileURL(r role, v value) {
	v = v.piece(len("file://"))
	if slash := strings.IndexByte(v.Text, '/'); slash > 0 {
		v = v.piece(slash)
	}
	if r.param != "W" {
		r.param = "R"
	}
	m.path(role{kind: r.param}, v)
}

// parseURL takes an address apart by RFC 3986, leniently: what curl would contact counts,
// not what the RFC forbids.
func parseURL(a Arg, scheme string) Host {
	h := Host{Scheme: scheme, Built: !a.Static && !a.Glob}
	rest := a.Text
	if s, r, ok := strings.Cut(rest, "://"); ok {
		h.Scheme, rest = strings.ToLower(s), r
	}
	end := strings.IndexAny(rest, `/?#\`)
	h.Static = a.Static || a.Glob || end >= 0
	if end >= 0 {
		rest = rest[:end]
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	h.Host, h.Port = hostPort(rest)
	// which a shell reads as a pattern
	v6 := strings.HasPrefix(rest, "[") && strings.Contains(h.Host, ":")
	if a.Glob && (strings.ContainsAny(h.Host, "*?[{") || strings.HasPrefix(rest, "[") && !v6) {
		h.Static = false
	}
	return h
}

// hostPort splits host:port, and [v6]:port.
func hostPort(text string) (string, int) {
	if strings.HasPrefix(text, "[") {
		host, port, _ := strings.Cut(text[1:], "]")
		n, _ := strconv.Atoi(strings.TrimPrefix(port, ":"))
		return host, n
	}
	host, port, ok := strings.Cut(text, ":")
	if !ok || strings.Contains(port, ":") {
		return text, 0
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return host, 0
	}
	return host, n
}

// hostWord is [user@]host[:port].
func (m *matcher) hostWord(r role, vs []value) {
	for _, v := range vs {
		if strings.Contains(v.Text, "://") {
			m.url(r, []value{v})
			continue
		}
		text := v.Text
		if at := strings.LastIndexByte(text, '@'); at >= 0 {
			text = text[at+1:]
		}
		input := hasMark(r, "sends-input")
		h := Host{Scheme: r.param, Static: v.Static, Upload: input || hasMark(r, "upload"),
			Input: input}
		h.Host, h.Port = hostPort(text)
		m.addHost(h, v)
	}
}

// remoteName is a name here or host:name there, as scp(1), rsync(1) and git(1) take it: a colon
// before the first slash makes it remote. The parameter says what happens to it: "R" is fetched
// from, "W" is written to, "local" is a git remote, whose name may be in its configuration.
func (m *matcher) remoteName(r role, vs []value) {
	for _, v := range vs {
		if rest, ok := strings.CutPrefix(v.Text, "sftp:"); ok && !strings.HasPrefix(rest, "//") {
			v = v.piece(len("sftp:")) // restic -r sftp:user@host:path
		}
		colon := strings.IndexByte(v.Text, ':')
		slash := strings.IndexByte(v.Text, '/')
		switch {
		case strings.Contains(v.Text, "://"):
			m.remoteURL(r, v)
		case colon > 0 && (slash < 0 || colon < slash):
			host := v.Text[:colon]
			if at := strings.LastIndexByte(host, '@'); at >= 0 {
				host = host[at+1:]
			}
			m.addHost(Host{Scheme: "ssh", Host: host, Static: true, Upload: r.param == "W",
				Built: !v.Static}, v)
		case r.param == "local":
			if slash >= 0 || strings.HasPrefix(v.Text, ".") {
				m.path(role{kind: "R"}, v)
			}
		case r.param == "W":
			m.path(role{kind: "W"}, v)
		default:
			m.path(role{kind: "R"}, v)
		}
	}
}

func (m *matcher) remoteURL(r role, v value) {
	if strings.HasPrefix(v.Text, "file://") {
		m.fileURL(r, v)
		return
	}
	h := parseURL(v.Arg, "")
	h.Upload = r.param == "W"
	m.addHost(h, v)
}
