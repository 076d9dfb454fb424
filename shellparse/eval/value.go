package eval

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A part is a piece of a word during its expansion, or of the value of a variable.
type part struct {
	kind partKind
	text string  // literal and active: the characters; pattern: a shell pattern
	why  string  // open: why it is not known; literal: "", notSet, disguised or ofSecret
	from Source  // open: where its bytes come from
	many bool    // open: outside quotes, so it may be no field or several
	cuts bool    // pattern: outside quotes, where a blank in a name that matches cuts it
	flow *stream // what is behind the name of a process substitution
	// open: it is a name of a listing, as in "for f in $(git ls-files)", or certainly found
	name bool
	nums bool // open: nothing but digits, on no line or several
	// pattern: the absolute one whose matches it is made of; see Name.Of
	// open, behind a root: what the last component of a found name matches; "" for any
	of string
	// pattern: what stands in a name for the characters that mktemp has chosen
	// open, behind a root: that root
	made string

	// open: a pattern that matches some of the names that it may be; see looselyMatched.
	loose string
}

type partKind uint8

const (
	literal partKind = iota // exactly these characters
	// characters outside quotes: *, ? and [ are still patterns, blanks may still split
	active
	pattern // some name that matches text, as in "for f in *.c"
	account // the home directory of the account text
	number  // open, but certainly only an optional sign and digits
	open    // anything
)

// A value is what a variable holds or a substitution prints.
type value []part

// named says of an unknown value that it is a name out of a listing, if the flow is one.
func (v value) named(f *stream) value {
	v[0].name = f != nil && f.names
	return v
}

// fromListing reports whether a value is a name out of a listing and nothing else.
func (v value) fromListing() bool { return len(v) == 1 && v[0].kind == open && v[0].name }

// belowListed reports whether a value is a name out of a listing, or one in such a directory.
func (v value) belowListed() bool {
	return len(v) > 0 && v[:1].fromListing() && (len(v) == 1 ||
		strings.HasPrefix(v[1].text, "/") && v[1:].whole() &&
			!strings.Contains(v[1:].display(), ".."))
}

// derived is some piece of a value that is not known.
func derived(v value) value {
	if len(v) == 1 && v[0].kind == number {
		return v
	}
	return unknown(v.why(), v.from())
}

func (v value) numeric() bool {
	if len(v) != 1 {
		return false
	}
	_, ok := integer(v[0].text)
	return v[0].kind == number || v[0].known() && ok
}

// fresh returns the one name that a field is, with placeholders for what mktemp has chosen, and
// whether it has such: no file had that name before, so none is meant that fits by chance.
func (v value) fresh() (name string, ok bool) {
	var b strings.Builder
	for _, p := range v {
		switch {
		case p.kind == pattern && p.made != "":
			b.WriteString(p.made)
			ok = true
		case p.kind == literal, p.kind == active && !strings.ContainsAny(p.text, `*?[\`):
			b.WriteString(p.text)
		default:
			return "", false
		}
	}
	return b.String(), ok
}

func (p part) known() bool { return p.kind == literal || p.kind == active }

func known(text string) value { return value{{kind: literal, text: text}} }

func unknown(why string, from Source) value { return value{{kind: open, why: why, from: from}} }

// several reports whether a field may be none or more than one: something unknown outside
// quotes, or a pattern.
func (v value) several() bool {
	for _, p := range v {
		if p.many || p.cuts {
			return true
		}
	}
	return v.globbed()
}

// cut reports whether names that match a pattern are cut at the blanks in them.
func (v value) cut() bool {
	return slices.ContainsFunc(v, func(p part) bool { return p.cuts })
}

// maybeNone reports whether a field may be none: something unknown outside quotes.
func (v value) maybeNone() bool {
	return slices.ContainsFunc(v, func(p part) bool { return p.kind == open && p.many })
}

// vanishes reports whether a field may be none and leave nothing behind.
func (v value) vanishes() bool {
	return !slices.ContainsFunc(v, func(p part) bool { return p.kind != open || !p.many })
}

// maybeMany says of a value that is not known that it may be no field or several.
func (v value) maybeMany() value {
	for i := range v {
		v[i].many = v[i].kind == open || v[i].kind == pattern
	}
	return v
}

// matches returns words as a list keeps them: after pathname expansion a pattern represents the
// names that match it, and expanding it again does not treat it as a pattern.
func matches(words []value) []value {
	for i, v := range words {
		if !v.globbed() {
			continue
		}
		if words = slices.Clone(words); v.from() == Literal &&
			!slices.ContainsFunc(v, func(p part) bool {
				return p.kind == account ||
					p.kind == open || p.kind == number
			}) {
			words[i] = value{{kind: pattern, text: v.glob(), many: true, from: File}}
			continue
		}
		v = slices.Clone(v)
		for j := range v {
			if v[j].kind == active {
				v[j].kind, v[j].many = pattern, true
			}
		}
		words[i] = v
	}
	return words
}

// listed says of a value that is not known that it may be no element of a list or several.
func (v value) listed() value {
	if v.whole() {
		return v
	}
	return slices.Clone(v).maybeMany()
}

// certain is how many of the words come before the first that may be several.
func certain(words []value) int {
	if i := slices.IndexFunc(words, value.several); i >= 0 {
		return i
	}
	return len(words)
}

// text returns the whole value, and false when a piece of it is not known.
func (v value) text() (string, bool) {
	switch {
	case len(v) == 0:
		return "", true
	case len(v) == 1 && v[0].known():
		return v[0].text, true
	}
	var b strings.Builder
	for _, p := range v {
		if !p.known() {
			return b.String(), false
		}
		b.WriteString(p.text)
	}
	return b.String(), true
}

// whole reports whether all of it is known.
func (v value) whole() bool {
	_, ok := v.text()
	return ok
}

// prefix returns what is known before the first unknown piece.
func (v value) prefix() string {
	s, _ := v.text()
	return s
}

// What is worth saying of known characters: that they are those of a name without a value,
// and that they were spelled so that a reader cannot see them.
const (
	notSet    = "a name in it has no value here"
	disguised = "it was spelled in escapes"
	ofSecret  = "it is the value of a secret"
)

// whyFound is why a name that find(1) or a similar program finds is not known. It is a name below
// the root in front of it, and stays that where the shell hands it on as it is.
const whyFound = "it is what find finds"

// foundBelow returns what a value is below that was found, or that is in a folder that was. What is
// in front of a name that may be several, or none, is in front of the first only.
func (v value) foundBelow() (a command.Arg, ok bool) {
	at := slices.IndexFunc(v, func(p part) bool { return p.kind == open && p.why == whyFound })
	if at < 1 {
		return a, false
	}
	a.Text, ok = v[:at].text()
	ok = ok && (v[at].name || a.Text == v[at].made)
	a.Below, a.Base = ok, v[at].of
	if at+1 < len(v) {
		rest, fine := v[at+1:].text()
		ok = ok && v[at].name && fine && strings.HasPrefix(rest, "/") &&
			!strings.Contains(rest, "..")
		a.Base = path.Base(rest)
	}
	return a, ok
}

// lastName is the last component of a name of which only the folder is not known, as in "$d/.env".
func (v value) lastName() string {
	at := len(v)
	for at > 0 && v[at-1].known() {
		at--
	}
	_, last, ok := strings.Cut(v[at:].display(), "/")
	if at == 0 || !ok {
		return ""
	}
	return last
}

// foundAs is a name that is below a root, or fits a pattern.
func foundAs(a command.Arg) value {
	if a.Glob {
		return value{{kind: pattern, text: a.Text, from: File}}
	}
	return value{{text: a.Text}, {kind: open, why: whyFound, of: a.Base, made: a.Text}}
}

// perhapsNone reports whether a value is a name that may not have been found.
func (v value) perhapsNone() bool {
	return slices.ContainsFunc(v, func(p part) bool { return p.why == whyFound && !p.name })
}

// certain is a value that is a name that was found, and not nothing: find may find none.
func (v value) certain() value {
	if _, ok := v.foundBelow(); ok {
		v[len(v)-1].name = true
	}
	return v
}

// is reports whether a part is marked so.
func (v value) is(said string) bool {
	return slices.ContainsFunc(v, func(p part) bool { return p.known() && p.why == said })
}

// said returns the value with that mark.
func (v value) said(what string) value {
	v = append(value(nil), v...)
	for i := range v {
		if v[i].known() {
			v[i].why = what
			break
		}
	}
	return v
}

// escaped reports whether text spells letters with escapes, as \x72 does.
func escaped(text string) bool {
	for i := 0; i+2 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		switch c := text[i]; {
		case c == 'x' || c == 'u' || c == 'U':
			return true
		case c >= '0' && c <= '7' && text[i+1] >= '0' && text[i+1] <= '7' &&
			!strings.HasPrefix(text[i:], "033"):
			return true
		}
	}
	return false
}

// why returns the reason of the first piece that is not known.
func (v value) why() string {
	for _, p := range v {
		if p.why != "" && !p.known() {
			return p.why
		}
	}
	return ""
}

// from returns the worst origin of the pieces that are not known, Literal when all are.
func (v value) from() Source {
	worst := Literal
	for _, p := range v {
		if !p.known() && p.kind != pattern && p.kind != number {
			worst = worse(worst, p.from)
		}
	}
	return worst
}

// worse returns the worse of two origins: Unknown, Network and Decoded before the rest.
func worse(a, b Source) Source { return min(a, b) }

// quoted returns the value as it is between double quotes: nothing in it is active.
func (v value) quoted() value {
	for i, p := range v {
		if p.kind == active {
			v = append(value(nil), v...)
			for j := i; j < len(v); j++ {
				if v[j].kind == active {
					v[j].kind = literal
				}
			}
			break
		}
	}
	return v
}

// maxValue bounds what expansions put together, which could double with each assignment.
const (
	maxValue = 1 << 15
	tooLong  = "it is too long to follow"
)

// maxPiece is the length from which a piece is not joined to the next one any more.
const maxPiece = 512

// size is how many characters of a value are known.
func (v value) size() int {
	n := 0
	for _, p := range v {
		n += len(p.text)
	}
	return n
}

// add appends a part, joining it with the last one where both are known characters.
func (v value) add(p part) value {
	n := len(v)
	switch {
	case n > 0 && v[n-1].why == tooLong:
		return v
	case n >= maxParts:
		return append(v, part{kind: open, why: tooLong})
	case n > 0 && p.kind == open && v[n-1] == p:
		return v // unknown behind unknown says nothing more
	}
	if p.known() && p.flow == nil {
		if p.text == "" && n > 0 && (p.why == "" || v.is(p.why)) {
			return v
		}
		if n > 0 && v.size()+len(p.text) > maxValue {
			return append(v, part{kind: open, why: tooLong})
		}
		// Longer pieces stay apart, because joining copies them.
		if n > 0 && v[n-1].kind == p.kind && v[n-1].flow == nil && len(v[n-1].text) < maxPiece &&
			v[n-1].agrees(p) {
			v[n-1].text += p.text
			if p.why != "" {
				v[n-1].why = p.why
			}
			return v
		}
	}
	return append(v, p)
}

// agrees reports whether two pieces have the same marks, or one of them has none, so that they can
// be one piece.
func (p part) agrees(q part) bool { return p.why == "" || q.why == "" || p.why == q.why }

// patterned reports whether the active characters of a field make it a pathname pattern. A
// bracket counts only when another closes it, or "[ -f x ]" would start with a pattern.
func (v value) patterned() bool {
	for _, p := range v {
		if p.kind == pattern || p.kind == number {
			return true
		}
	}
	return v.globbed()
}

// oneName reports whether only numbers of a field are not known, so that it is one name.
func (v value) oneName() bool {
	return !v.globbed() && !slices.ContainsFunc(v, func(p part) bool { return p.kind == pattern })
}

// globbed reports whether pathname expansion could replace a field.
func (v value) globbed() bool {
	bracket := false
	for _, p := range v {
		switch {
		case p.kind != active:
			continue
		case strings.ContainsAny(p.text, "*?"):
			return true
		}
		i := strings.IndexByte(p.text, '[')
		if strings.LastIndexByte(p.text, ']') > i && (bracket || i >= 0) {
			return true
		}
		bracket = bracket || i >= 0
	}
	return false
}

// display returns the characters of known parts; a pattern is left as it is.
func (v value) display() string {
	var b strings.Builder
	for _, p := range v {
		b.WriteString(p.text)
	}
	return b.String()
}

// glob returns the value as one pattern: quoted characters lose their special meaning.
func (v value) glob() string {
	var b strings.Builder
	for _, p := range v {
		if p.kind == number {
			b.WriteByte('*')
			continue
		}
		if p.kind != literal {
			b.WriteString(p.text)
			continue
		}
		for i := range len(p.text) {
			if strings.IndexByte(`*?[]\`, p.text[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(p.text[i])
		}
	}
	return b.String()
}

// A stream is the bytes that run through a pipe, into a variable or into a file.
type stream struct {
	val     value  // the bytes, as far as they are known
	from    Source // Literal: val holds them; else where they come from
	name    string // the file they come from, with its directory, when from is File
	endless bool   // more comes as long as it is read
	why     string
	ended   bool // nothing comes: /dev/null, or an empty here-document
	names   bool // its lines are names of files or packages: what find, ls or go list print
	digits  digits
	found   []command.Arg // what these names are below, or fit; nil where that is not known
}

// digits says what is known of the numbers in a flow.
type digits uint8

const (
	anything    digits = iota
	nameNumbers        // a name and a colon come before: grep -rn
	lineNumbers        // every line begins with a number and a colon: grep -n
	onlyDigits         // lines of digits: grep -n PATTERN FILE | cut -d: -f1
)

// maxParts bounds the pieces of one output.
const maxParts = 256
