package catalog

import (
	_ "embed"
	"path"
	"strings"
	"sync"
)

//go:embed secrets.txt
var secretsText string

var secrets = sync.OnceValue(func() *Table {
	return &Table{text: secretsText, more: ofAgents(": file", "secret", "login")}
})

// Secrets returns the table of what holds secrets.
func Secrets() *Table { return secrets() }

// SecretName reports whether a word is the name of a variable that holds a secret, as
// AWS_SECRET_ACCESS_KEY and db_password are.
func SecretName(word string) bool {
	name := strings.ToUpper(word)
	for _, part := range secretEntries().names {
		switch part.fact {
		case "inside":
			if strings.Contains(name, part.key) {
				return true
			}
		case "ends":
			if strings.HasSuffix(name, part.key) || name == part.key[1:] {
				return true
			}
		case "whole":
			if name == part.key {
				return true
			}
		case "apart":
			name = strings.ReplaceAll(name, part.key, "")
		}
	}
	return false
}

// SecretSetting reports whether a key of a framework's settings, such as database or app.key, is of
// a secret, or of a section that has some.
func SecretSetting(key string) bool {
	e := Secrets().Lookup(strings.ToLower(key))
	return e.Has("section") || SecretName(key)
}

// SecretFile reports whether a name is that of a file with secrets, or of one below such a folder,
// on whatever machine it is: in a container, or in a commit.
func SecretFile(name string) bool {
	secret := false
	for keys, e := range Secrets().Groups() {
		fact, _ := e.First()
		if fact != "file" && fact != "public" {
			continue
		}
		for key := range strings.SplitSeq(keys, " ") {
			if covers(key, name) {
				if fact == "public" {
					return false
				}
				secret = true
			}
		}
	}
	return secret
}

// covers reports whether a key of the table is a name, or a folder above it.
func covers(key, name string) bool {
	switch key[0] {
	case '/':
		return strings.HasPrefix(name+"/", key+"/")
	case '~':
		rest, home := strings.CutPrefix(name, "~/")
		if below, ok := strings.CutPrefix(name, "/home/"); ok {
			_, rest, home = strings.Cut(below, "/")
		} else if below, ok := strings.CutPrefix(name, "/root/"); ok {
			rest, home = below, true
		}
		return home && strings.HasPrefix(rest+"/", key[len("~/"):]+"/")
	}
	parts := strings.Split(name, "/")
	n := strings.Count(key, "/") + 1
	for i := range len(parts) - n + 1 {
		if fits, _ := path.Match(key, strings.Join(parts[i:i+n], "/")); fits {
			return true
		}
	}
	return false
}

// A Token is a mark with which an issuer begins its tokens.
type Token struct {
	Mark, Name string
	Form       string // a regular expression of what follows it; "" where text is not searched
	More       byte   // beside letters, digits, "_" and "-", that the form may have; 0 for none
	Midword    bool   // it counts behind a letter too
}

// Tokens returns the marks of tokens.
func Tokens() []Token { return secretEntries().tokens }

// secretEntries are what is asked of the table often. Of agents it has only files.
var secretEntries = sync.OnceValue(func() (s struct {
	names  []struct{ key, fact string }
	tokens []Token
}) {
	s.tokens = make([]Token, 0, 48)
	own := Table{text: secretsText}
	for keys, e := range own.Groups() {
		fact, value := e.First()
		if fact == "file" || fact == "public" {
			continue
		}
		for key := range strings.SplitSeq(keys, " ") {
			if fact != "token" {
				s.names = append(s.names, struct{ key, fact string }{key, fact})
				continue
			}
			t := token(e)
			t.Mark, t.Name = key, value
			s.tokens = append(s.tokens, t)
		}
	}
	return s
})

// token returns what an entry says about the form of tokens.
func token(e Entry) (t Token) {
	for fact, value := range e.Facts() {
		switch fact {
		case "form":
			t.Form = value
		case "midword":
			t.Midword = true
		case "more":
			t.More = value[0]
		}
	}
	return t
}
