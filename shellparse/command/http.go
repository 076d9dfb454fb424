package command

import (
	"slices"
	"strconv"
	"strings"
)

// header is a header line, or @FILE of them. One that is made at run time could carry
// anything out.
func (m *matcher) header(_ role, vs []value) {
	for _, v := range vs {
		switch {
		case strings.HasPrefix(v.Text, "@"):
			m.path(role{kind: "R"}, v.piece(1))
			m.flags |= Upload
		case !v.Static:
			m.built = true
		}
	}
}

// builtText is text that goes out with a request. Made at run time, it could carry anything.
func (m *matcher) builtText(_ role, vs []value) {
	for _, v := range vs {
		m.built = m.built || !v.Static && !v.Glob
	}
}

// proxy is through whom a request goes: he sees all of it.
func (m *matcher) proxy(_ role, vs []value) {
	m.hostWord(role{param: "http", marks: []string{"upload"}}, vs)
	for i := range m.use.Hosts {
		m.use.Hosts[i].Upload = m.use.Hosts[i].Upload || m.use.Hosts[i].Arg == vs[0].at
	}
}

// serve is a server at all addresses unless an option says which. A sandbox binds it to this
// machine.
func (m *matcher) serve(r role, vs []value) {
	if r.kind == "SERVE" && !m.has("-d") || r.kind == "SERVEDIR" && len(vs) == 0 {
		m.touch(Read, Recursive, value{Arg{Text: ".", Static: true}, -1}, false)
	}
	if m.has("-b") || m.has("-a") || m.has("--host") || m.saysWho("-l", "--listen") {
		return
	}
	at := 0
	if len(vs) > 0 {
		at = vs[0].at
	}
	m.hazard("net.serve", at)
}

// saysWho reports whether one of the options has more than a port, which says who may connect.
func (m *matcher) saysWho(options ...string) bool {
	return slices.ContainsFunc(m.seen, func(g given) bool {
		return g.set && slices.ContainsFunc(options, g.has) && !isPort(g.v)
	})
}

func isPort(v value) bool { return v.Static && strings.Trim(v.Text, "0123456789") == "" }

// published are folders that a build makes for publication.
var published = []string{"_site", "build", "coverage", "dist", "docs", "htmlcov", "out", "public",
	"site", "static", "storybook-static", "www"}

// IsPublished reports whether a folder of that name is made for publication.
func IsPublished(name string) bool { return slices.Contains(published, name) }

// serveDir is a folder that a server shows to everyone who connects.
func (m *matcher) serveDir(r role, vs []value) {
	if len(vs) == 1 && vs[0].Static && strings.IndexAny(vs[0].Text, "/~") != 0 &&
		!strings.Contains(vs[0].Text, "..") && slices.Contains(published, base(vs[0].Text)) {
		return
	}
	for _, v := range vs {
		m.path(role{kind: "R", marks: []string{"recursive"}}, v)
	}
	m.serve(r, vs)
}

// serveURL is SCHEME://HOST:PORT that a server binds; with a PORT alone it matters what it shows.
func (m *matcher) serveURL(_ role, vs []value) {
	for _, v := range vs {
		if isPort(v) {
			continue
		}
		if at := strings.Index(v.Text, "://"); at >= 0 {
			v = v.piece(at + len("://"))
		}
		m.listen(role{}, []value{v})
	}
}

// serveOn is PORT or HOST:PORT of a server that binds this machine alone by default.
func (m *matcher) serveOn(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static || strings.ContainsAny(v.Text, ":.") {
			m.listen(role{}, []value{v})
		}
	}
}

// addressed is the rule of an address in the place of a file whose content is executed: someone
// else writes it. It is "" where none is.
func addressed(kind string) string {
	switch kind {
	case "K8SFILE":
		return "code.remote"
	case "REQUIREMENTS":
		return "pkg.foreign-source"
	}
	return ""
}

// document is the name of a file, or its address.
func (m *matcher) document(r role, vs []value) {
	for _, v := range vs {
		if !strings.Contains(v.Text, "://") {
			m.path(role{kind: "R"}, v)
			continue
		}
		at := role{}
		if rule := addressed(r.kind); rule != "" {
			m.hazard(rule, v.at)
			at.kind = "URL"
		}
		m.url(at, []value{v})
	}
}

// scriptURL is the name of a script of the project, a file, or an address that is executed.
func (m *matcher) scriptURL(r role, vs []value) {
	for _, v := range vs {
		if !v.Static || strings.ContainsAny(v.Text, "/.") {
			m.source(r, []value{v})
		}
	}
}

// cookie is NAME=VALUE, or a file of them.
func (m *matcher) cookie(r role, vs []value) {
	for _, v := range vs {
		if !strings.Contains(v.Text, "=") {
			m.path(role{kind: "R"}, v)
		}
	}
	m.builtText(r, vs)
}

// curlConfig is a file of curl options, of which each can read, write and send.
func (m *matcher) curlConfig(_ role, vs []value) {
	m.source(role{param: "curl"}, vs)
	m.hazard("code.from-data", vs[0].at)
}

// curlVariable is NAME=VALUE or NAME@FILE.
func (m *matcher) curlVariable(_ role, vs []value) {
	for _, v := range vs {
		if at := strings.IndexAny(v.Text, "=@"); at >= 0 && v.Text[at] == '@' {
			m.path(role{kind: "R"}, v.piece(at+1))
		}
	}
}

// socket is a socket of another process: a program that may write to it can ask that process for
// anything the process can do.
func (m *matcher) socket(_ role, vs []value) {
	for _, v := range vs {
		m.path(role{kind: "W"}, v)
	}
}

// wgetTarget is a URL whose last part becomes the name of a file here.
func (m *matcher) wgetTarget(_ role, vs []value) {
	m.url(role{param: "http"}, vs)
	for _, v := range vs {
		m.download(v)
	}
}

// download writes the last part of a URL, index.html when there is none.
func (m *matcher) download(v value) {
	text := v.Text
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	end := strings.IndexAny(text, "?#")
	if end >= 0 {
		text = text[:end]
	} else if !v.Static {
		m.touch(Write, 0, value{Arg{}, v.at}, true)
		return
	}
	slash := strings.LastIndexByte(text, '/')
	name := "index.html"
	if slash >= 0 && slash+1 < len(text) {
		name = text[slash+1:]
	}
	m.touch(Write, 0, value{Arg{Text: name, Static: true}, v.at}, true)
}

// wgetCommand is a line of wgetrc(5). Most settings are harmless.
func (m *matcher) wgetCommand(r role, vs []value) {
	for _, v := range vs {
		if r.param == "file" {
			m.source(role{param: "wgetrc"}, []value{v})
			m.hazard("code.from-data", v.at)
			continue
		}
		key, _, _ := strings.Cut(v.Text, "=")
		body := v.piece(len(key) + 1)
		switch strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), "-", "_") {
		case "use_askpass":
			m.hazard("code.from-data", v.at)
		case "post_file", "body_file", "input":
			m.path(role{kind: "R"}, body)
			m.flags |= Upload
		case "output_document", "logfile", "dir_prefix":
			m.path(role{kind: "W"}, body)
		}
	}
}

// isMethod reports whether a word is the method of a request, which HTTPie takes in either case.
func isMethod(word string) bool {
	upper := strings.ToUpper(word)
	return word == upper && !strings.ContainsAny(word, ".:/") ||
		slices.Contains([]string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}, upper)
}

// erases reports whether an option is the method that deletes what an address names.
func erases(g given) bool {
	return g.value.kind == "METHOD" && g.set && strings.EqualFold(g.v.Text, "DELETE")
}

// erases notes what a request deletes in a database of this machine: no undo brings that back.
func (m *matcher) erases() {
	for _, h := range m.use.Hosts {
		if loopback(h.Host) && slices.Contains(list("database-ports"), strconv.Itoa(h.Port)) {
			m.hazard("db.destroy", h.Arg)
		}
	}
}

// httpie is [METHOD] URL ITEM... of HTTPie: items with = or @ make a body.
func (m *matcher) httpie(_ role, vs []value) {
	if len(vs) > 1 && vs[0].Static && isMethod(vs[0].Text) {
		method := strings.ToUpper(vs[0].Text)
		if !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, method) {
			m.flags |= Upload
		}
		if method == "DELETE" {
			defer m.erases()
		}
		vs = vs[1:]
	}
	if len(vs) == 0 {
		return
	}
	target := vs[0]
	if strings.HasPrefix(target.Text, ":") {
		target.Text = "localhost" + target.Text
	}
	m.url(role{param: "http"}, []value{target})
	for _, v := range vs[1:] {
		at := strings.IndexAny(v.Text, "=@:")
		switch {
		case at < 0 || strings.HasPrefix(v.Text[at:], "=="):
		case v.Text[at] == '@':
			m.flags |= Upload
			m.path(role{kind: "R"}, v.piece(at+1))
		case strings.Contains(v.Text[at:], "=@"):
			m.flags |= Upload
			m.path(role{kind: "R"}, v.piece(strings.Index(v.Text, "=@")+2))
		case v.Text[at] == '=' || strings.HasPrefix(v.Text[at:], ":="):
			m.flags |= Upload
		}
	}
}

// opensslPass is pass:TEXT, env:NAME, file:NAME, fd:N or stdin.
// opensslForm is how a key is written: some versions write all of it as PVK, whatever else is said.
func (m *matcher) opensslForm(_ role, vs []value) {
	for _, v := range vs {
		m.shows = m.shows || !v.Static || v.Text != "DER" && v.Text != "PEM"
	}
}

func (m *matcher) opensslPass(_ role, vs []value) {
	for _, v := range vs {
		if strings.HasPrefix(v.Text, "file:") {
			m.path(role{kind: "R"}, v.piece(len("file:")))
		}
	}
}

// scriptName is nmap --script: with a slash it is a file of Lua.
func (m *matcher) scriptName(_ role, vs []value) {
	for _, v := range vs {
		if !v.Static || strings.Contains(v.Text, "/") {
			m.touch(Read, Source, v, true)
		}
	}
}

// ftpCommands are lines of lftp(1), in which ! runs a shell.
func (m *matcher) ftpCommands(_ role, vs []value) {
	for _, v := range vs {
		if at := strings.IndexByte(v.Text, '!'); at >= 0 {
			shell := v.piece(at + 1)
			m.nest(Nested{Via: "lftp !", Shell: &shell.Arg, Arg: v.at})
			continue
		}
		m.flags |= Upload
		for line := range strings.FieldsFuncSeq(v.Text,
			func(r rune) bool { return strings.ContainsRune(";\n&|", r) }) {
			m.ftpCommand(v, strings.Fields(line))
		}
	}
}

// ftpCommand is one of them.
func (m *matcher) ftpCommand(v value, words []string) {
	for _, word := range words[min(1, len(words)):] {
		arg := value{Arg{Text: word, Static: v.Static}, v.at}
		switch {
		case strings.HasPrefix(word, "-"):
		case words[0] == "open" || words[0] == "connect":
			m.url(role{param: "ftp"}, []value{arg})
		case words[0] == "put" || words[0] == "mput" || words[0] == "source":
			m.touch(Read, 0, arg, true)
		case words[0] == "get" || words[0] == "mget" || words[0] == "pget":
			m.touch(Write, 0, arg, true)
		}
	}
}

// share is \\HOST\SHARE or //HOST/SHARE.
func (m *matcher) share(_ role, vs []value) {
	for _, v := range vs {
		name := strings.TrimLeft(v.Text, `\/`)
		end := strings.IndexAny(name, `\/`)
		if end >= 0 {
			name = name[:end]
		}
		m.addHost(Host{Scheme: "smb", Host: name, Static: v.Static || end >= 0, Upload: true}, v)
	}
}
