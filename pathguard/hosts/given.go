package hosts

import (
	"net/url"
	"strings"
)

// Given returns what a text of settings says to a tool, as variables of the environment by which
// the tool takes the same: NAME=value. Passwords are left out, and an address that looks as if a
// token were in it is not given.
func (s Setting) Given(text string) (list []string) {
	values := map[string]string{}
	var names []string
	for e := range s.entries(text) {
		name := s.variable(e)
		if name == "" {
			continue
		}
		old, known := values[name]
		if !known {
			names = append(names, name)
		}
		if e.first && known {
			old = "" // the last one counts
		}
		values[name] = strings.TrimSpace(old + " " + plainValue(e))
	}
	for _, name := range names {
		if value := values[name]; value != "" && !strings.Contains(value, unfit) {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// variable returns the variable for an entry; "" for none. A star in its name is replaced by the
// key, or by the section that the key is in, as the table has the star.
func (s Setting) variable(e entry) string {
	for _, k := range s.Keys {
		name := s.Vars[k]
		switch {
		case name == "" || !s.means(k, e.key):
			continue
		case strings.HasPrefix(k, "*"):
			return strings.Replace(name, "*", e.key, 1)
		}
		section := strings.ToUpper(strings.ReplaceAll(e.section, "-", "_"))
		return strings.Replace(name, "*", section, 1)
	}
	return ""
}

// unfit represents a word that is not given.
const unfit = "\x00"

// plainValue is the value in a line of settings, without passwords.
func plainValue(e entry) string {
	value := e.line
	if e.first {
		_, value = keyOf(e.line)
		value = strings.TrimLeft(value, "=: ")
	}
	words := strings.FieldsFunc(value,
		func(r rune) bool { return strings.ContainsRune(" \t\"'[]", r) })
	for i, word := range words {
		if strings.HasPrefix(word, "#") {
			words = words[:i]
			break
		}
		words[i] = plainList(strings.Trim(word, ","), ",", "|")
	}
	return strings.Join(words, " ")
}

// plainList is a word with addresses between separators, as GOPROXY has them.
func plainList(word string, separators ...string) string {
	if len(separators) == 0 {
		return plainAddress(word)
	}
	parts := strings.Split(word, separators[0])
	for i, part := range parts {
		parts[i] = plainList(part, separators[1:]...)
	}
	return strings.Join(parts, separators[0])
}

// plainAddress is a word without the password of an address.
func plainAddress(word string) string {
	if strings.ContainsAny(word, "${}%") {
		return unfit // it depends on what is not here
	}
	if !strings.Contains(word, "://") {
		return word
	}
	u, err := url.Parse(word)
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return unfit
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if len(part) >= 16 && strings.ContainsAny(part, "0123456789") {
			return unfit
		}
	}
	u.User = nil
	return u.String()
}
