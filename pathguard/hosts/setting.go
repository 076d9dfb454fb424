package hosts

import (
	"iter"
	"net/url"
	"slices"
	"strings"
)

// maxNamed bounds the hosts that count of one text: the others are asked about.
const maxNamed = 64

// Named returns the hosts, as HOST:PORT, whose addresses a text of settings gives to one of the
// setting's keys.
func (s Setting) Named(text string) (list []string) {
	for e := range s.entries(text) {
		for _, host := range addresses(e.line, e.key) {
			if slices.Contains(list, host) {
				continue
			}
			if list = append(list, host); len(list) == maxNamed {
				return list
			}
		}
	}
	return list
}

// An entry is a line of settings that belongs to a key of the setting.
type entry struct {
	key, line string
	section   string // the last word of the section that it is in
	first     bool   // the key is in this line
}

// entries yields the lines of a text that belong to the setting's keys. It reads what all the
// formats of registries.txt have in common: a line is a key and its values, and a line that is
// indented or an item of a list continues the key before.
func (s Setting) entries(text string) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		var at entry
		for line := range strings.Lines(uncommented(text)) {
			trimmed := strings.TrimSpace(line)
			if trimmed == "" || strings.ContainsRune("#;!", rune(trimmed[0])) {
				continue
			}
			if name, ok := strings.CutPrefix(trimmed, "["); ok && strings.HasSuffix(name, "]") {
				at.section = strings.Trim(name, "[]")
				at.section = at.section[strings.LastIndexByte(at.section, '.')+1:]
			}
			key, value := keyOf(trimmed)
			item := trimmed[0] == '-' || line[0] == ' ' || line[0] == '\t'
			at.first = s.has(key)
			switch {
			case at.first:
				at.key = key
			case !item || key != "" && value != "":
				at.key = ""
			}
			if at.line = trimmed; at.key != "" && !yield(at) {
				return
			}
		}
	}
}

// uncommented is a text without the parts between <!-- and -->.
func uncommented(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<!--")
		if b.WriteString(before); !found {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "-->")
	}
}

// has reports whether a key is one of the setting's. Keys of the environment are compared as npm
// does it, without regard to case.
func (s Setting) has(key string) bool {
	return slices.ContainsFunc(s.Keys, func(k string) bool { return s.means(k, key) })
}

// means reports whether an entry of the table means a key.
func (s Setting) means(k, key string) bool {
	switch {
	case strings.HasPrefix(k, "*"):
		return strings.HasSuffix(strings.ToLower(key), k[1:])
	case strings.HasSuffix(k, "*"):
		return strings.HasPrefix(key, k[:len(k)-1])
	}
	return key == k || s.File == "" && strings.EqualFold(key, k)
}

// keyOf cuts a line after its key: key = value, key: value, key value, <key>value, "key": "value".
func keyOf(line string) (key, value string) {
	end := len(line)
	for i := range len(line) {
		c := line[i]
		if i > 0 && (c == ' ' || c == '\t' || c == '=' || c == '>') && line[:i] != "-" ||
			c == ':' && i > 0 && (i == len(line)-1 || line[i+1] == ' ') {
			end = i
			break
		}
	}
	return strings.Trim(line[:end], "\"'<:- "), strings.TrimSpace(line[min(end+1, len(line)):])
}

// addresses are the hosts of the addresses in a line. GOPROXY lists several in one value, and a
// checksum database is named by its host alone.
func addresses(line, key string) (list []string) {
	words := strings.FieldsFunc(line,
		func(r rune) bool { return strings.ContainsRune(" \t\"'`,|<>()=", r) })
	for _, word := range words {
		if !strings.Contains(word, "://[") {
			word = strings.Trim(word, "[]")
		}
		if key == "GOSUMDB" && !strings.ContainsAny(word, "/+:") && strings.Contains(word, ".") {
			word = "https://" + word
		}
		if host := Of(word); host != "" {
			list = append(list, host)
		}
	}
	return list
}

// portOf is the port of a scheme that packages come by.
func portOf(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	case "ssh":
		return "22"
	case "git":
		return "9418"
	}
	return ""
}

// cratesIndex is what Cargo.lock calls the public registry, which is asked elsewhere.
const cratesIndex = "registry+https://github.com/rust-lang/crates.io-index"

// Of returns the host of an address, as HOST:PORT; "" of anything else. A prefix may come before
// the address: sparse+https://, x@https://.
func Of(address string) string {
	end := strings.Index(address, "://")
	if end < 0 || address == cratesIndex {
		return ""
	}
	at := strings.LastIndexAny(address[:end], "+@") + 1
	u, err := url.Parse(address[at:])
	if err != nil || portOf(u.Scheme) == "" || u.Hostname() == "" || u.Hostname() == "0.0.0.0" ||
		strings.ContainsAny(u.Hostname(), "*/$%{") {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = portOf(u.Scheme)
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
