package code

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A program may write to a name that it works out: open(self.path, "w"). The sandbox keeps that
// within the workspace, and undo takes it back, so it is no question by itself. It is one where the
// program gets the name from elsewhere, or where the text has the name of a place that matters.

// vaguely notes that a name which is not known is written. It reports false where more than the
// content of a file may change, or where the name starts at the root.
func (r *reader) vaguely(right command.Right, flags command.Flags, v value) bool {
	if right != command.Write && right != command.Create || flags&^command.Append != 0 ||
		v.decoded || strings.HasPrefix(v.text, "/") || strings.HasPrefix(v.text, "~") {
		return false
	}
	r.vague = true
	r.loose = r.loose || v.shape != unknown || v.text == "" || !isNameByte(v.text[0])
	return true
}

// places adds the names of the text that those which are not known may be, and the directory
// itself. The program is opaque if it can have others.
func (r *reader) places() {
	if !r.vague {
		return
	}
	for _, d := range r.dirs {
		r.opaque = r.opaque || d.shape != plain || d.home
		r.place(d.text)
	}
	r.place(".")
	letters := map[string]bool{} // that are texts of their own
	for i := 0; i < len(r.toks); i++ {
		switch t := r.toks[i]; t.kind {
		case name:
			if r.handsOn(i) {
				continue
			}
			word := strings.TrimLeft(t.text, "$@%&")
			r.opaque = r.opaque || slices.Contains(givers, word) ||
				r.loose && slices.Contains(tellers, word)
		case dynamic:
			r.opaque = r.opaque || r.src[t.start] != '/' // else a pattern of JavaScript
		case text, piece, words:
			r.place(t.text)
			r.opaque = r.opaque || spelt(t.text)
			if len(t.text) == 1 && isNameByte(t.text[0]) && !strings.Contains(modes, t.text) {
				letters[t.text] = true
			}
			for s := range strings.FieldsFuncSeq(t.text, BetweenNames) {
				if s != t.text {
					r.place(s)
				}
			}
		case open:
			r.opaque = r.opaque || r.loose && t.text == "shell"
			if t.text == "regexp" {
				i = max(i, t.match) // a pattern is no name
			}
		}
	}
	for _, s := range r.glued {
		r.place(s)
	}
	r.opaque = r.opaque || len(letters) > maxLetters
}

// modes are the letters by which a file is opened.
const modes = "rwaxbtU"

// maxLetters is how many different letters a text may have one by one. Who makes names of more does
// not want them to be read.
const maxLetters = 3

// spelt reports whether a text has a word letter by letter, with something in between, or makes
// letters of numbers.
func spelt(s string) bool {
	if strings.Contains(s, "%c") {
		return true
	}
	run, at := 0, 0
	for ; at < len(s); at++ {
		alone := isLetter(s[at]) && (at+1 == len(s) || !isNameByte(s[at+1]) || s[at+1] == '_') &&
			(at == 0 || !isNameByte(s[at-1]) || s[at-1] == '_')
		switch {
		case !alone:
			run = 0
			continue
		case run > 0 && s[at-1] == ' ':
			run = 0 // words of a sentence
		}
		if run++; run > maxLetters {
			return true
		}
		at++ // what is in between
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// handsOn reports whether a name is a keyword of a call, or the input of a program that is written
// to.
func (r *reader) handsOn(i int) bool {
	next := r.toks[i+1:]
	return next[0].is("=") || next[0].is(".") && len(next) > 1 && r.toks[i].text == "stdin" &&
		slices.Contains([]string{"write", "flush", "close", "end"}, next[1].text)
}

func (r *reader) place(s string) {
	switch {
	case !MayBePlace(s):
	case len(r.facts) > maxFacts:
		r.opaque = true
	default:
		r.facts = append(r.facts,
			Fact{Right: command.Write, Maybe: true, Text: s, End: len(r.src)})
	}
}

// BetweenNames reports whether a character separates names inside a text: of JSON, of a list.
func BetweenNames(c rune) bool { return strings.ContainsRune(" \t\n\x00'\"`()[]{}<>,;|&=", c) }

// maxFacts bounds the names that a program adds in this way.
const maxFacts = 256

// MayBePlace reports whether a text may be the name of something that is hidden, or elsewhere.
func MayBePlace(s string) bool {
	if s == "" || s == "/" || strings.Trim(s, ".") == "" && len(s) > 2 ||
		strings.ContainsAny(s, "\n\x00") || len(s) >= 1<<12 || strings.Contains(s, "://") {
		return false
	}
	return strings.ContainsAny(s[:1], "/~.") ||
		strings.Contains(s, "/.") && !strings.Contains(s, " ")
}

// givers are the names by which a program gets text from its caller, finds its user's home, or
// makes text that a person cannot read.
var givers = []string{
	"stdin", "STDIN", "input", "raw_input", "fileinput", "gets", "ARGF",
	"environ", "getenv", "env", "ENV", "environb",
	"home", "expanduser", "homedir", "HOME", "userInfo", "getpwnam", "getpwuid", "pwd", "Dir",
	"expand_path", "expandvars", "parents",
	"chr", "fromCharCode", "fromCodePoint", "fromhex", "unhexlify", "b64decode", "base64", "atob",
	"Buffer", "codecs", "translate", "maketrans", "reversed", "reverse", "pack", "unpack",
	"decompress", "zlib", "rot13", "bytes", "bytearray", "ord", "unquote", "decodeURIComponent"}

// tellers are the names by which it gets text from other programs and machines. Such a text may be
// the end of a name, as the id of what was asked for is, but not all of one.
var tellers = []string{
	"subprocess", "check_output", "getoutput", "popen", "Popen", "system", "popen2", "popen3",
	"open2", "open3", "execSync", "spawnSync", "execFileSync", "exec", "spawn", "execFile", "fork",
	"child_process", "backticks", "readpipe", "qx", "IO", "Open3", "socket", "recv", "urlopen",
	"urllib", "requests", "httpx", "aiohttp", "fetch", "http", "https", "axios", "LWP", "Net",
	"readlines"}
