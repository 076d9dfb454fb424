package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// scanXML finds the names that a document takes in: what an entity or a document type points to
// and what XInclude brings. A parser may be told to leave them alone; a document that nobody
// means to expand has no reason to have them.
func scanXML(src string) ([]Fact, bool) {
	s := &lines{src: src}
	for at := 0; at < len(src); {
		open := strings.IndexByte(src[at:], '<')
		if open < 0 {
			break
		}
		at += open + 1
		end := tagEnd(src, at)
		tag := src[at:end]
		switch {
		case strings.HasPrefix(tag, "!ENTITY"), strings.HasPrefix(tag, "!DOCTYPE"):
			s.xmlExternal(tag, at)
			if brackets := strings.IndexByte(tag, '['); brackets >= 0 {
				end = at + brackets + 1 // the entities of a document type stand in it
			}
		case includes(tag):
			if _, value, ok := strings.Cut(tag, "href"); ok {
				s.xmlName(strings.TrimLeft(value, "= \t\n"), at)
			}
		}
		at = end
	}
	return s.facts, s.opaque
}

// includes reports whether a tag is XInclude's, whatever its prefix is called.
func includes(tag string) bool {
	name := firstWord(tag)
	return name == "include" || strings.HasSuffix(name, ":include")
}

// tagEnd is where a tag ends that starts at a position; one with a document type in brackets
// ends where they open.
func tagEnd(src string, at int) int {
	quote := byte(0)
	for i := at; i < len(src); i++ {
		switch c := src[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>' || c == '[':
			return i + 1
		}
	}
	return len(src)
}

// xmlExternal is SYSTEM "name" and PUBLIC "id" "name".
func (s *lines) xmlExternal(tag string, at int) {
	if _, rest, ok := strings.Cut(tag, "SYSTEM"); ok {
		s.xmlName(strings.TrimLeft(rest, " \t\r\n"), at)
	} else if _, rest, ok := strings.Cut(tag, "PUBLIC"); ok {
		_, rest = xmlQuoted(strings.TrimLeft(rest, " \t\r\n"))
		s.xmlName(strings.TrimLeft(rest, " \t\r\n"), at)
	}
}

func (s *lines) xmlName(rest string, at int) {
	name, _ := xmlQuoted(rest)
	switch {
	case strings.Contains(name, "://") && !strings.HasPrefix(name, "file://"):
		s.add(Fact{Right: command.Net, Text: name}, at, at+len(name))
	default:
		s.file(command.Read, 0, strings.TrimPrefix(strings.TrimPrefix(name, "file://localhost"), "file://"), at, at+len(name))
	}
}

func xmlQuoted(s string) (value, rest string) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", s
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return "", ""
	}
	return s[1 : 1+end], s[2+end:]
}
