package pathguard

import (
	_ "embed"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tada-run/tada-run/pathguard/resolve"
)

//go:embed table/lasting.txt
var lastingTable string

// A lastingLine is what the table says about a program and a rule.
type lastingLine struct{ facts []string }

// value returns what a fact with a value says; "" for a line without it.
func (l lastingLine) value(fact string) string {
	for _, f := range l.facts {
		if rest, ok := strings.CutPrefix(f, fact+"="); ok {
			return rest
		}
	}
	return ""
}

func (l lastingLine) has(fact string) bool { return slices.Contains(l.facts, fact) }

// lists reports whether a fact with a list of options has this one, with its value or without.
func (l lastingLine) lists(fact, option string) bool {
	name, _, _ := strings.Cut(option, "=")
	return name != "" && slices.Contains(strings.Split(l.value(fact), ","), name)
}

// lastingLineOf returns the line of the table for the words of a command and a rule, if they are
// all such as the line says.
func lastingLineOf(words []string, rule string) (l lastingLine, ok bool) {
	for line := range strings.Lines(lastingTable) {
		keys, facts, found := strings.Cut(line, ": ")
		if !found || line[0] == '#' {
			continue
		}
		program, fields := strings.Fields(keys), strings.Fields(facts)
		if fields[0] != rule || len(words) < len(program) ||
			!slices.Equal(words[:len(program)], program) {
			continue
		}
		l = lastingLine{fields[1:]}
		return l, l.fits(words[len(program):])
	}
	return lastingLine{}, false
}

// maxLastingWords bounds the words of a command, together: a person reads them in a list.
const maxLastingWords = 300

// fits reports whether the words behind the sub-command are what the line says. A word of a device,
// one for the standard input and "--" make a command something else than its words.
func (l lastingLine) fits(words []string) bool {
	others, size := 0, 0
	for i := 0; i < len(words); i++ {
		w := words[i]
		if size += len(w); unseen(w) {
			return false
		}
		name, value, joined := strings.Cut(w, "=")
		switch {
		case w == "" || strings.HasPrefix(w, "/dev/") || strings.HasPrefix(w, "/proc/"),
			w[0] == '-' && !l.lists("options", name):
			return false
		case l.lists("text", name) || l.lists("refs", name):
			if !joined { // the next word is its value
				if i++; i == len(words) {
					return false
				}
				value = words[i]
				size += len(value)
			}
			if unseen(value) || strings.HasPrefix(value, "-") ||
				l.lists("refs", name) && !resolve.PlainRef(value) {
				return false
			}
		case w[0] == '-' && joined:
			return false
		case w[0] != '-':
			if others++; !l.other(w) {
				return false
			}
		}
	}
	return size <= maxLastingWords && l.count(others)
}

// unseen reports whether a word has a character that a person may not see, or a star, which would
// mean what may vary.
func unseen(w string) bool {
	return strings.ContainsFunc(w,
		func(c rune) bool { return c == '*' || !unicode.IsPrint(c) && c != '\n' })
}

// other reports whether a word that is no option is what the line says.
func (l lastingLine) other(w string) bool {
	switch {
	case l.value("files") != "":
		return plainFile(w)
	case l.has("version"):
		return versioned(w)
	case l.has("name"):
		return resolve.PlainRef(w)
	case l.has("number"):
		return isNumber(w)
	case l.has("process"):
		return len(w) >= 4 && strings.Trim(w, processLetters) == ""
	}
	return true
}

// processLetters are those of a pattern that matches what it says.
const processLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/ "

// count reports whether a command has as many other words as the line says.
func (l lastingLine) count(others int) bool {
	switch files := l.value("files"); {
	case files != "":
		return files == strconv.Itoa(others)
	case l.has("version") || l.has("process"):
		return others == 1
	case l.has("number"):
		return others <= 1
	case l.has("one") && !l.has("name"): // a command of a forge
		return others == 0
	}
	return true
}

func isNumber(w string) bool { return w != "" && strings.Trim(w, "0123456789") == "" }

// plainFile reports whether a word names a file that no program looks for by its name, as far as a
// name tells: nothing in it begins with a dot, and it ends with no slash.
func plainFile(word string) bool {
	return !strings.HasSuffix(word, "/") && path.Clean(word) == word &&
		!slices.ContainsFunc(strings.Split(word, "/"),
			func(part string) bool { return strings.HasPrefix(part, ".") })
}

// versioned reports whether a word is a module with one version of it, which stays what it is.
func versioned(word string) bool {
	module, version, _ := strings.Cut(word, "@")
	host, _, _ := strings.Cut(module, "/")
	return strings.Contains(host, ".") && host[0] != '.' && len(version) > 1 && version[0] == 'v' &&
		strings.Count(version, ".") == 2 && strings.Trim(version, "v0123456789.") == ""
}

// A lastingForm is one way to write a command, with stars for what may vary.
type lastingForm struct {
	words  []string
	atMost string
}

// lastingForms returns the words of a command as they are, and with stars for what a line of the
// table lets vary.
func lastingForms(words []string, l lastingLine) []lastingForm {
	forms := []lastingForm{{words, "the same words, with whatever its files hold by then"}}
	loose, what := l.looseTexts(words)
	if len(what) > 0 {
		forms = append(forms, lastingForm{loose, strings.Join(what, ", ")})
	}
	last := len(words) - 1
	if folder, name := path.Split(words[last]); l.has("name") && folder != "" && name != "" {
		named := slices.Clone(loose)
		named[last] = folder + "*"
		forms = append(forms, lastingForm{named,
			strings.Join(append(what, "any name behind "+folder), ", ")})
	}
	return forms
}

// looseTexts puts stars for texts that people read, and for numbers.
func (l lastingLine) looseTexts(words []string) (loose, what []string) {
	loose = slices.Clone(words)
	for i := range loose {
		name, _, joined := strings.Cut(loose[i], "=")
		switch {
		case i > 0 && l.lists("text", words[i-1]) && !strings.Contains(words[i-1], "="):
			loose[i], what = "*", append(what, "any text for "+words[i-1])
		case joined && l.lists("text", name):
			loose[i], what = name+"=*", append(what, "any text for "+name)
		case l.has("number") && isNumber(loose[i]):
			loose[i], what = "*", append(what, "any number for "+words[i])
		}
	}
	return loose, what
}
