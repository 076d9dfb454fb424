package code

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// contact carries out the clauses that reach a host, or a file or a host.
func (r *reader) contact(verb, selector, more string, a arguments) bool {
	switch verb {
	case "net", "post", "socket":
		r.network(verb, selector, more, a)
	case "fetch":
		if v, _ := a.arg(selector); v.shape == plain && strings.Contains(v.text, "://") {
			r.network("net", selector, more, a)
		} else {
			r.touch(command.Read, 0, v, r.spanned(v, a))
		}
	case "peer":
		for _, k := range []string{"PeerAddr", "PeerHost"} {
			if v, ok := a.keyword(k); ok {
				a.pos = append([]value{v}, a.pos...)
				break
			}
		}
		r.network("socket", "0", "port=PeerPort", a)
	default:
		return false
	}
	return true
}

// network is a request or a connection.
func (r *reader) network(verb, selector, more string, a arguments) {
	v, ok := a.arg(selector)
	if !ok {
		r.opaque = r.opaque || !strings.HasSuffix(selector, "?")
		return
	}
	if v.shape == reference && strings.HasSuffix(v.text, ".built") {
		return // reported where it was built
	}
	var flags command.Flags
	if verb != "net" || uploads(more, a) {
		flags = command.Upload
	}
	port := value{}
	for s := range strings.FieldsSeq(more) {
		if p, ok := strings.CutPrefix(s, "port="); ok {
			port, _ = a.arg(p)
		}
	}
	if v.shape == list && len(v.items) > 0 { // a (host, port) pair
		if len(v.items) > 1 {
			port = v.items[1]
		}
		v = v.items[0]
	}
	if v.shape == table {
		options := arguments{pos: []value{v}}
		if v, ok = options.arg("host|hostname|url|uri"); !ok {
			if _, local := options.keyword("path"); local {
				return // a socket of this machine
			}
		}
		port, _ = options.arg("port")
		if !ok && port.shape == numeral && !slices.Contains(options.pos[0].keys, "") &&
			r.g.name == "javascript" {
			v = value{shape: plain, text: "localhost"} // what it contacts if nothing else is said
		}
		if _, posts := options.keyword("data"); posts {
			flags |= command.Upload
		}
	}
	span := r.spanned(v, a)
	v.each(func(v value) { r.host(v, port, flags, span) })
}

// uploads reports whether a request that by itself only asks sends something.
func uploads(more string, a arguments) bool {
	for s := range strings.FieldsSeq(more) {
		v, ok := a.arg(s)
		_, notPosition := strconv.Atoi(s)
		switch {
		case !ok || strings.HasPrefix(s, "port="):
		case v.shape == reference && slices.Contains([]string{"None", "null", "undefined", "nil"},
			v.text):
		case v.shape != table || notPosition != nil:
			return true
		}
	}
	if m, ok := a.arg("method"); ok && !(m.shape == plain && (strings.EqualFold(m.text, "get") ||
		strings.EqualFold(m.text, "head"))) {
		return true
	}
	_, body := a.keyword("body")
	return body
}

// ofOwnMachine reports whether a text is the beginning of a URL of this machine.
func ofOwnMachine(text string) bool {
	scheme, rest, ok := strings.Cut(text, "://")
	host, _, whole := strings.Cut(rest, "/")
	host, port, _ := strings.Cut(host, ":")
	return ok && whole && strings.HasPrefix(scheme, "http") &&
		(host == "localhost" || host == "127.0.0.1") && strings.Trim(port, "0123456789") == ""
}

// host adds the fact that one host is contacted.
func (r *reader) host(v, port value, flags command.Flags, span value) {
	if v.shape == numeral { // connect(port, host)
		if v, port = port, v; v.shape != plain {
			v = value{shape: plain, text: "localhost"}
		}
	}
	if v.shape != plain && !v.decoded && !v.home && ofOwnMachine(v.text) {
		v.shape, flags = plain, flags|command.Upload // whatever the rest says, it stays here
	}
	if v.shape != plain || v.decoded || v.home {
		r.opaque = true
		return
	}
	s := v.text
	scheme, rest, isURL := strings.Cut(s, "://")
	if isURL && strings.EqualFold(scheme, "file") {
		r.touch(command.Read, 0, value{shape: plain, text: rest}, span)
		return
	}
	if (port.shape == numeral || port.shape == plain && port.text != "") && !isURL &&
		!strings.HasSuffix(s, ":"+port.text) {
		s += ":" + port.text
	}
	r.add(Fact{Right: command.Net, Flags: flags, Text: s, Start: span.start, End: span.end})
}
