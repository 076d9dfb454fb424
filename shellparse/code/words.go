package code

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/command"
)

//go:embed words.txt
var wordTable string

// Worded reports whether a language is read for its words alone.
func Worded(lang string) bool {
	return strings.Contains(wordTable, "\n"+canonicalName(lang)+":")
}

// The expressions of this file are made together when a text is the first to need them.
type expressions struct {
	// a name in a program is in quotes or behind a blank, and can be put together from literals
	pieces, takesIn, fullName *regexp.Regexp
	// of a compiled language: a word in pieces, the headers of the system, and a character by its
	// number
	joined, includes, numbered *regexp.Regexp
}

var expression = sync.OnceValue(func() expressions {
	return expressions{
		pieces:   regexp.MustCompile(`["']\s*(?:\.\.?|\+)\s*["']`),
		takesIn:  regexp.MustCompile(`(?i)\b(?:include|require|source)\w*[\s("']+\w+://`),
		fullName: regexp.MustCompile(fullName),
		joined: regexp.MustCompile(`##|%:|\?\?[=/]|\\\s*\n|\\[uUN]|concat_idents|paste!|` +
			`#\s*!?\s*\[\s*\$|#\s*!?\s*\[[^\]]*\bpath\s*=`),
		includes: regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*` +
			`<(?:[a-z_0-9]+|bits/stdc\+\+\.h|(?:arpa/inet|assert|byteswap|complex|ctype|` +
			`emmintrin|endian|errno|fcntl|fenv|float|getopt|immintrin|inttypes|iso646|limits|` +
			`locale|malloc|math|memory|omp|pthread|sched|semaphore|setjmp|signal|std\w+|` +
			`strings?|sys/(?:resource|stat|time|types|wait)|tgmath|` +
			`threads|time|uchar|unistd|wchar|wctype|x86intrin|xmmintrin)\.h)>`),
		numbered: regexp.MustCompile(
			`\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{3})`),
	}
})

const fullName = `(?:^|[\s"'(={:])((?:/|~/)[^\s"'` + "`" + `(){}\[\],;<>|*?$\\]+)`

// readName is a variable, an argument of the program, or a name below the directory: what may be
// read there is for the sandbox to say.
const readName = `(?:\w+(?:\[\w+\])?|"(?:\w[\w-]*[./])*[\w-]+")`

// withoutReads is a program in C without the calls that open a file to read it. Few programs have
// one, so the expression is made when it is needed.
func withoutReads(text string) string {
	if !strings.Contains(text, "fopen") && !strings.Contains(text, "fstream") {
		return text
	}
	reads := regexp.MustCompile(`\bfopen\s*\(\s*` + readName + `\s*,\s*"rb?"\s*\)|` +
		`\bifstream\s+\w+\s*\(\s*` + readName + `\s*\)|` +
		`\bperror\s*\(\s*"[^"\\]*"\s*\)`)
	return reads.ReplaceAllString(text, "")
}

// scanWords reads a program in a language that words.txt has: one that does more than compute and
// print is opaque, and every full name in it may be written.
func scanWords(lang, text string) (facts []Fact, opaque bool) {
	if !wordy(lang, text) {
		return nil, false
	}
	if expression().takesIn.MatchString(text) {
		facts = append(facts, Fact{Rule: "code.remote", Risk: 3,
			Message: "executes code from the network", End: len(text)})
	}
	if Worded(lang) {
		for _, m := range expression().fullName.FindAllStringSubmatch(
			expression().pieces.ReplaceAllString(text, ""), maxNames) {
			facts = append(facts, Fact{Right: command.Write, Flags: command.Possible, Text: m[1],
				End: len(text)})
		}
	}
	return facts, true
}

// maxNames bounds the names of one program.
const maxNames = 64

// wordy reports whether a text has one of the words of a language.
func wordy(lang, text string) bool {
	_, entry, ok := strings.Cut(wordTable, "\n"+lang+":")
	head, body, _ := strings.Cut(entry, "\n")
	body, _, _ = strings.Cut(body, "\n\n")
	if !ok || strings.Contains(head, "any") {
		return true
	}
	if strings.Contains(head, "fold") {
		text, body = strings.ToUpper(text), strings.ToUpper(body)
	}
	calls := strings.Contains(head, "calls")
	if strings.Contains(head, "joins") {
		if expression().joined.MatchString(text) {
			return true
		}
		text = expression().includes.ReplaceAllString(text, "")
	}
	if strings.Contains(head, "escapes") {
		text = expression().numbered.ReplaceAllStringFunc(text, unescaped)
		text = withoutScratch(text)
	}
	if lang == "c" {
		text = withoutReads(text)
	}
	words := strings.Fields(body)
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && (isNameByte(text[end]) || text[end] == '.' || text[end] == '$') {
			end++
		}
		switch word := text[i:end]; {
		case word == "" && calls && (text[i] == '`' || strings.IndexByte(")]}'\"", text[i]) >= 0 &&
			called(text[i+1:])):
			return true
		case word == "":
			end++
		case calls && strings.Contains(word, "$") && (called(text[end:]) ||
			strings.HasPrefix(text[end:], "{") || strings.Contains(word, "$$")):
			return true
		case slices.Contains(words, word):
			return true
		default:
			for part := range strings.FieldsFuncSeq(word, func(c rune) bool {
				return c == '.' ||
					c == '$'
			}) {
				if slices.Contains(words, part) {
					return true
				}
			}
		}
		i = end
	}
	return false
}

// called reports whether a bracket follows that hands arguments to what is in front of it.
func called(rest string) bool { return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "(") }

// unescaped is the character that an escape sequence of a text stands for.
func unescaped(escape string) string {
	c, _, _, err := strconv.UnquoteChar(escape, '"')
	if err != nil {
		return escape
	}
	return string(c)
}
