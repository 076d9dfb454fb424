package pathguard

import (
	_ "embed"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

//go:embed table/lasting.txt
var lastingTable string

// A lastingLine is a line of the table.
type lastingLine struct {
	program string
	facts   []string
}

// every reports whether the line is for every program.
func (l lastingLine) every() bool { return l.program == "*" }

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

// lastingLineOf returns the line of the table for a command and a rule.
func lastingLineOf(c *shellparse.Command, rule string) (l lastingLine, ok bool) {
	plain, options := operands(c)
	for line := range strings.Lines(lastingTable) {
		keys, facts, found := strings.Cut(line, ": ")
		if !found || line[0] == '#' {
			continue
		}
		words, fields := strings.Fields(keys), strings.Fields(facts)
		l = lastingLine{words[0], fields[1:]}
		least, _ := strconv.Atoi(l.value("operands"))
		needs := l.value("needs")
		if fields[0] == rule && (l.every() || l.program == path.Base(c.Name)) &&
			len(plain) >= max(least, len(words)-1) &&
			slices.Equal(plain[:len(words)-1], words[1:]) &&
			(needs == "" || hasOption(options, needs)) {
			return l, true
		}
	}
	return lastingLine{}, false
}

// operands divides the arguments of a command into options and the other words.
func operands(c *shellparse.Command) (plain, options []string) {
	for _, w := range c.Args[min(1, len(c.Args)):] {
		if isOption(w.Text) {
			options = append(options, w.Text)
		} else {
			plain = append(plain, w.Text)
		}
	}
	return plain, options
}

func isOption(word string) bool { return len(word) > 1 && word[0] == '-' }

// A lastingForm is one way to write a command, with stars for what may vary.
type lastingForm struct {
	words  []string
	atMost string
}

// lastingForms returns the words of a command as they are, and with stars for what a line of the
// table lets vary; nothing if a word has a star of its own.
func lastingForms(c *shellparse.Command, l lastingLine) []lastingForm {
	words := make([]string, 0, len(c.Args))
	for _, w := range c.Args[min(1, len(c.Args)):] {
		if strings.ContainsRune(w.Text, '*') {
			return nil
		}
		words = append(words, w.Text)
	}
	forms := []lastingForm{{words, "the same words, with whatever its files hold by then"}}
	loose, what := l.looseTexts(words)
	if len(what) > 0 {
		forms = append(forms, lastingForm{loose, strings.Join(what, ", ")})
	}
	if named, where, ok := l.looseName(loose); ok {
		forms = append(forms, lastingForm{named,
			strings.Join(append(what, "any name behind "+where), ", ")})
	}
	return forms
}

// looseTexts puts stars for texts that people read, and for numbers.
func (l lastingLine) looseTexts(words []string) (loose, what []string) {
	loose = slices.Clone(words)
	texts := strings.Split(l.value("text"), ",")
	for i := range loose {
		name, _, joined := strings.Cut(loose[i], "=")
		switch {
		case joined && isOption(name) && slices.Contains(texts, name):
			loose[i], what = name+"=*", append(what, "any text for "+name)
		case i > 0 && slices.Contains(texts, loose[i-1]):
			loose[i], what = "*", append(what, "any text for "+words[i-1])
		case l.has("number") && loose[i] != "" && strings.Trim(loose[i], "0123456789") == "":
			loose[i], what = "*", append(what, "any number for "+words[i])
		}
	}
	return loose, what
}

// looseName puts a star for the last part of the last operand, if that is a plain name in a folder.
func (l lastingLine) looseName(words []string) (loose []string, where string, ok bool) {
	i := len(words) - 1
	for ; i >= 0 && isOption(words[i]); i-- {
	}
	if !l.has("name") || i < 0 {
		return nil, "", false
	}
	folder, name := path.Split(words[i])
	plain := strings.Trim(words[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"+
		"0123456789._-/") == "" && path.Clean(words[i]) == words[i] && !isOption(name) &&
		!strings.HasPrefix(words[i], "../")
	if folder == "" || folder == "/" || name == "" || !plain ||
		slices.Contains(allRefs, strings.Trim(folder, "/")) {
		return nil, "", false
	}
	loose = slices.Clone(words)
	loose[i] = folder + "*"
	return loose, folder, true
}

// allRefs are folders of git in which every branch or tag is.
var allRefs = []string{"refs", "refs/heads", "refs/tags", "heads", "tags", "refs/remotes"}
