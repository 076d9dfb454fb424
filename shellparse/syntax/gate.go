package syntax

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gate reads the raw bytes before any parser does, because the parser skips NUL and treats
// CR as a blank where bash takes both for ordinary bytes, and because a reader must not
// take what he sees for something else. It returns every character that needs a mark, and
// an error when the text holds one that no command line needs.
func Gate(text string) (marks []Mark, err *ParseError) {
	if ASCII(text) {
		return nil, nil
	}
	prev := rune(' ')
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		span := Span{i, i + size}
		kind, refused := classify(r, size)
		if kind == "invisible" && r == 0x200D && symbol(prev) {
			kind, refused = "", "" // joins two pictures into one
		}
		if kind == "look-alike" && !confusing(text, span, r) {
			kind = ""
		}
		if kind != "" {
			marks = append(marks, Mark{r, kind, span})
		}
		if refused != "" && err == nil {
			err = &ParseError{Span: span, Text: refused}
		}
		prev = r
		i += size
	}
	return marks, err
}

// Seen drops the mute characters: what is left of them is in quotes, as data.
func Seen(marks []Mark) []Mark {
	return slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool { return m.Kind == "mute" })
}

// ASCII reports whether s is only printable ASCII, tabs and newlines.
func ASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// classify names what is unusual about r, and why a text with it is refused; a Unicode
// space and a mute character are refused later, when they are not in quotes.
func classify(r rune, size int) (kind, refused string) {
	switch {
	case r == utf8.RuneError && size == 1:
		return "invalid", "the text is not valid UTF-8"
	case mute(r):
		return "mute", ""
	case r < ' ' && r != '\n' && r != '\t', r == 0x7f, r >= 0x80 && r <= 0x9f:
		return "control", "the text has a control character"
	case r < 0x80:
		return "", ""
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 &&
		r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
		return "bidi", "the text has a character that changes the direction of writing"
	case r >= 0x200B && r <= 0x200D, r == 0x2060, r == 0xFEFF, r == 0x00AD, r == 0x180E,
		r >= 0x2061 && r <= 0x2064, r >= 0x206A && r <= 0x206F, r >= 0xE0000 && r <= 0xE007F,
		r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x034F, r == 0x2800:
		return "invisible", "the text has an invisible character"
	case r == 0x2028, r == 0x2029, r == 0x85:
		return "control", "the text has a line separator that is not a newline"
	case space(r):
		return "space", ""
	case lookAlike(r):
		return "look-alike", ""
	}
	return "", ""
}

// mute reports whether r is a control character that parsers and shells alike take for an
// ordinary byte: generated scripts have them as separators in here-documents, configure among
// them. NUL and CR are read differently, VT and FF are blanks to the printer, bash marks its
// own escapes with 0x01 and 0x7f, and ESC and BS are there to deceive a reader.
func mute(r rune) bool {
	return r >= 0x02 && r <= 0x07 || r >= 0x0e && r <= 0x1f && r != 0x1b
}

// space reports whether r looks like a blank and is an ordinary character to the shell.
func space(r rune) bool {
	return r == 0xA0 || r == 0x1680 || r >= 0x2000 && r <= 0x200A || r == 0x202F || r == 0x205F ||
		r == 0x3000
}

func symbol(r rune) bool {
	return r == 0xFE0F || r >= 0x2190 && r <= 0x2BFF || r >= 0x1F000 && r <= 0x1FAFF
}

// The letters outside ASCII that most fonts draw like a letter of it: UTS #39, for the
// scripts in common use. Small capitals deceive among letters of ASCII only: a whole word with
// one of them reads as what it is.
const (
	alikeLetters = "аеорсухѕіјԁһԛԝкмтьгпвнАВЕЅІЈКМНОРСТХУԌԜ" + "αοντυρκικχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" +
		"օսոցհլքԱՕՍ" + "ıɑɡɩʏ"
	smallCapitals = "мтьгпвн"
	alikeSigns    = "⁄∕⧸／＼⁓∼˜‐‑‒–—−﹣－․‚‛ʼ＇＂｜＆；＄＞＜＃＊？｀（）｛｝［］～＝．"
)

func lookAlike(r rune) bool {
	return r >= 0xFF01 && r <= 0xFF5E || strings.ContainsRune(alikeSigns, r) ||
		strings.ContainsRune(alikeLetters, r)
}

// confusing reports whether a look-alike can deceive where it is: a letter among ASCII letters, or
// in the name of a host made of look-alikes only; a sign in a word that has no other script. A
// whole Russian word is only Russian.
func confusing(text string, at Span, r rune) bool {
	if strings.ContainsRune("–—−‐‑‒﹣－", r) {
		return at.Start == 0 || strings.IndexByte(" \t\n", text[at.Start-1]) >= 0 &&
			at.End < len(text) && Letter(text[at.End])
	}
	if between(text, at) {
		return false
	}
	if unicode.IsLetter(r) {
		start, mixed, other := letters(text, at, r)
		return mixed || !other && inHost(text[:start])
	}
	if prev, _ := utf8.DecodeLastRuneInString(text[:at.Start]); prev >= utf8.RuneSelf &&
		unicode.IsLetter(prev) && !lookAlike(prev) {
		return false // the punctuation of its script
	}
	return at.Start > 0 && WordByte(text[at.Start-1]) ||
		at.End < len(text) && WordByte(text[at.End])
}

// inHost reports whether what follows some text is in the name of a host: //name, user@name.
func inHost(before string) bool {
	front := strings.TrimRight(before, hostBytes)
	return strings.HasSuffix(front, "//") || strings.HasSuffix(front, "@")
}

// hostBytes are the letters of a host's name in ASCII.
const hostBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"

// maxLetters bounds how far around a letter its word is looked for.
const maxLetters = 64

// letters returns where the letters around one begin, whether some are of ASCII, and whether
// some are neither that nor look like it.
func letters(text string, at Span, r rune) (first int, mixed, other bool) {
	look := func(r rune) bool {
		if !unicode.IsLetter(r) {
			return false
		}
		mixed = mixed || r < 0x80
		other = other || r >= 0x80 && (!lookAlike(r) || strings.ContainsRune(smallCapitals, r))
		return true
	}
	look(r)
	first, last := at.Start, at.End
	for n := 0; first > 0 && n < maxLetters; n++ {
		r, size := utf8.DecodeLastRuneInString(text[:first])
		if !look(r) {
			break
		}
		first -= size
	}
	for n := 0; last < len(text) && n < maxLetters; n++ {
		r, size := utf8.DecodeRuneInString(text[last:])
		if !look(r) {
			break
		}
		last += size
	}
	return first, mixed, other
}

// between reports whether a letter is an end of a range in a pattern, as in [а-я], whose other
// end is no letter of ASCII either.
func between(text string, at Span) bool {
	before, after := text[:at.Start], text[at.End:]
	if strings.HasSuffix(before, "[") && len(after) > 1 && after[0] == '-' {
		return after[1] >= utf8.RuneSelf
	}
	rest, isEnd := strings.CutSuffix(before, "-")
	r, size := utf8.DecodeLastRuneInString(rest)
	return isEnd && r >= utf8.RuneSelf && strings.HasPrefix(after, "]") &&
		strings.HasSuffix(rest[:len(rest)-size], "[")
}

// Letter reports whether c is a letter of ASCII.
func Letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// WordByte reports whether c is usual in the names of files and programs.
func WordByte(c byte) bool {
	return Letter(c) || c >= '0' && c <= '9' || strings.IndexByte("/.~_-", c) >= 0
}

// Disguised returns the first look-alike of a name whose letters are look-alikes alone, 0 of
// any other name. As a word among others it would only be a word of another language.
func Disguised(name string) rune {
	if ASCII(name) {
		return 0
	}
	var first rune
	for _, r := range name {
		switch {
		case r < 0x80 || !unicode.IsLetter(r):
		case !lookAlike(r):
			return 0
		case first == 0:
			first = r
		}
	}
	return first
}
