package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Event codes. o, i, r, m and x are asciicast's own
// (https://docs.asciinema.org/manual/asciicast/v3/); players skip the others.
const (
	CodeOutput = 'o' // what the program wrote to its terminal, or to its stdout pipe
	CodeStderr = 'e' // to its stderr pipe
	CodeInput  = 'i' // what was typed
	CodeStdin  = 'n' // input from the stdin pipe
	CodeResize = 'r' // COLSxROWS
	CodeMark   = 'm' // a label
	CodeExit   = 'x' // exit status
	CodeSignal = 's' // a signal that was passed on
	CodeTerm   = 't' // the terminal's modes from here on, in words of stty(1)
	CodeGap    = 'g' // BYTES SHA256: output that was counted but not kept
	CodeBytes  = 'b' // CODE BASE64: exact bytes that are not UTF-8
	CodeHidden = 'h' // CODE COMMITMENT: bytes that were never stored, a password
)

// Authors that this package knows. The caller chooses the others: "agent:ID", "human:UID@TTY" and
// "term:CLIENT".
const (
	AuthorProgram = "program"
	AuthorTada    = "tada"
)

// maxChunk is the most data in one event; longer runs are split. It limits the memory of every
// reader.
const maxChunk = 32 << 10

// castVersion begins what is hashed for each link of a transcript's chain.
const castVersion = "tada-cast/v1\n"

// A Header is the first line of a transcript.
type Header struct {
	Cols, Rows int               // 0 becomes 80x24: players refuse a terminal without size
	Term       string            // $TERM
	Time       time.Time         // start
	Command    string            // as judged
	Title      string            //
	Env        map[string]string // what the caller wants to show; never the whole environment
	// Wire says what the output was written to, if that is known: TagPipe or TagTerminal. It is one
	// of asciicast's tags. Line ends differ between pipes and terminals.
	Wire string
}

// Tags for Header.Wire.
const (
	TagPipe     = "pipe"
	TagTerminal = "terminal"
)

type headerJSON struct {
	Version   int               `json:"version"`
	Term      termJSON          `json:"term"`
	Timestamp int64             `json:"timestamp,omitempty"`
	Command   string            `json:"command,omitempty"`
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Tags      []string          `json:"tags,omitempty"`
}

type termJSON struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type,omitempty"`
}

// Line returns the header as the first line of a transcript, without the newline.
func (h Header) Line() []byte {
	j := headerJSON{Version: 3, Term: termJSON{h.Cols, h.Rows, h.Term}, Command: h.Command,
		Title: h.Title, Env: h.Env}
	if j.Term.Cols <= 0 || j.Term.Rows <= 0 {
		j.Term.Cols, j.Term.Rows = 80, 24
	}
	if !h.Time.IsZero() {
		j.Timestamp = h.Time.Unix()
	}
	if h.Wire != "" {
		j.Tags = []string{h.Wire}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(j) // strings, ints and a map of strings cannot fail
	return bytes.TrimSuffix(b.Bytes(), newline)
}

func parseHeader(line []byte) (Header, error) {
	var j headerJSON
	if err := json.Unmarshal(line, &j); err != nil {
		return Header{}, fmt.Errorf("header is not JSON: %w", err)
	}
	if j.Version != 3 {
		return Header{}, fmt.Errorf("asciicast version is %d, not 3", j.Version)
	}
	h := Header{Cols: j.Term.Cols, Rows: j.Term.Rows, Term: j.Term.Type, Command: j.Command,
		Title: j.Title, Env: j.Env}
	for _, tag := range j.Tags {
		if tag == TagPipe || tag == TagTerminal {
			h.Wire = tag
		}
	}
	if j.Timestamp != 0 {
		h.Time = time.Unix(j.Timestamp, 0).UTC()
	}
	return h, nil
}

// appendInterval writes seconds with all six digits, so that the intervals add up exactly to the
// times in the #t lines.
func appendInterval(dst []byte, us int64) []byte {
	dst = strconv.AppendInt(dst, us/1e6, 10)
	dst = append(dst, '.')
	frac := us % 1e6
	for unit := int64(1e5); unit > 0; unit /= 10 {
		dst = append(dst, byte('0'+frac/unit%10))
	}
	return dst
}

// appendEvent writes an event line without newline.
func appendEvent(dst []byte, us int64, code byte, data []byte) []byte {
	dst = appendText(appendOpening(dst, us, code), data)
	return append(dst, '"', ']')
}

// appendOpening writes an event line up to its text.
func appendOpening(dst []byte, us int64, code byte) []byte {
	dst = appendInterval(append(dst, '['), us)
	return append(dst, ',', '"', code, '"', ',', '"')
}

// appendText escapes valid UTF-8; every invalid byte becomes U+FFFD.
func appendText(dst, data []byte) []byte {
	if !utf8.Valid(data) {
		data = lossy(data)
	}
	for {
		var n int
		dst, n = appendPlain(dst, data)
		if n == len(data) {
			return dst
		}
		c := data[n]
		data = data[n+1:]
		if short := shortEscape[c]; short != 0 {
			dst = append(dst, '\\', short)
			continue
		}
		const digits = "0123456789abcdef"
		dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
}

// shortEscape has the letter after the backslash, for bytes that have one in JSON.
var shortEscape = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't'}

// unescape appends the bytes that a JSON string represents. It knows the escapes that appendText
// writes; ok is false for any other, and for a text that is not a string.
func unescape(dst, quoted []byte) (text []byte, ok bool) {
	if len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return dst, false
	}
	for in := quoted[1 : len(quoted)-1]; ; {
		n := plainRun(in)
		if dst = append(dst, in[:n]...); n == len(in) {
			return dst, true
		}
		if in[n] != '\\' || n+1 == len(in) {
			return dst, false
		}
		in = in[n+1:]
		if c := longEscape[in[0]]; c != 0 {
			dst, in = append(dst, c), in[1:]
			continue
		}
		var code [2]byte
		if len(in) < 5 || in[0] != 'u' || !decodeHex(code[:], in[1:5]) || code[0] != 0 ||
			code[1] >= utf8.RuneSelf {
			return dst, false
		}
		dst, in = append(dst, code[1]), in[5:]
	}
}

// longEscape is the inverse of shortEscape.
var longEscape = [256]byte{'"': '"', '\\': '\\', 'n': '\n', 'r': '\r', 't': '\t'}

// lossy is what a player shows for bytes that are not UTF-8.
func lossy(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/2)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		out = utf8.AppendRune(out, r)
		data = data[n:]
	}
	return out
}

// A link is the #t line after an event. It commits to the event through C, an HMAC keyed with a
// salt of its own. When the salt is deleted with the data, the chain still holds and the data
// cannot be guessed.
type link struct {
	seq    int64
	us     int64 // since the start
	code   byte
	author string
	length int64 // bytes of the stream that the event represents
	commit Hash
	chain  Hash
	salt   [16]byte
	gone   bool   // redacted: the salt is deleted
	claim  []byte // of a link that was read: the part of its line that the chain covers
}

// appendClaim writes the part of the line that the chain covers.
func (l *link) appendClaim(dst []byte) []byte {
	dst = strconv.AppendInt(dst, l.seq, 10)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, l.us, 10)
	dst = append(dst, ' ', l.code, ' ')
	dst = append(dst, l.author...)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, l.length, 10)
	dst = append(dst, ' ')
	return hex.AppendEncode(dst, l.commit[:])
}

func (l *link) appendLine(dst []byte) []byte {
	dst = append(dst, "#t "...)
	dst = l.appendClaim(dst)
	dst = append(dst, ' ')
	dst = hex.AppendEncode(dst, l.chain[:])
	dst = append(dst, ' ')
	if l.gone {
		return append(dst, '-')
	}
	return hex.AppendEncode(dst, l.salt[:])
}

// next returns the chain after this link.
func (l *link) next(prev Hash) Hash {
	var buf [256]byte
	return chained(prev, l.appendClaim(buf[:0]))
}

// chained returns the chain after a link whose line is claim.
func chained(prev Hash, claim []byte) Hash {
	var buf [512]byte
	b := append(buf[:0], castVersion...)
	b = hex.AppendEncode(b, prev[:])
	b = append(b, ' ')
	return sha256.Sum256(append(b, claim...))
}

// parseLink reads a #t line; it accepts only the one spelling.
func parseLink(line []byte) (l link, ok bool) {
	var w [9][]byte
	rest := line
	for i := range w {
		var more bool
		if w[i], rest, more = bytes.Cut(rest, []byte(" ")); more == (i == len(w)-1) {
			return l, false
		}
	}
	if string(w[0]) != "#t" || len(w[3]) != 1 || len(w[4]) > maxAuthor {
		return l, false
	}
	var err [3]error
	l.seq, err[0] = strconv.ParseInt(string(w[1]), 10, 64)
	l.us, err[1] = strconv.ParseInt(string(w[2]), 10, 64)
	l.length, err[2] = strconv.ParseInt(string(w[5]), 10, 64)
	l.code, l.author, l.gone = w[3][0], string(w[4]), string(w[8]) == "-"
	fits := decodeHex(l.commit[:], w[6]) && decodeHex(l.chain[:], w[7]) &&
		(l.gone || decodeHex(l.salt[:], w[8]))
	if !fits || err != [3]error{} || l.seq < 0 || l.us < 0 || l.length < 0 {
		return l, false
	}
	var buf [512]byte
	if !bytes.Equal(l.appendLine(buf[:0]), line) {
		return l, false
	}
	l.claim = line[len("#t ") : len(line)-len(w[7])-len(w[8])-2]
	return l, true
}

func decodeHex(to, text []byte) bool {
	if len(text) != 2*len(to) {
		return false
	}
	_, err := hex.Decode(to, text)
	return err == nil
}

const maxAuthor = 64

// authorWord makes any text one word of the #t line.
func authorWord(s string) string {
	if s == "" {
		return "unknown"
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, s[:min(len(s), maxAuthor)])
}

// A keyed computes HMAC-SHA256 with short keys. Unlike crypto/hmac it does not allocate for each
// key, and it does not copy the message: a recorder hashes every byte that passes.
type keyed struct {
	hash  hash.Hash
	block [sha256.BlockSize]byte
	out   [sha256.Size]byte
}

func (k *keyed) sum(key, msg []byte) Hash {
	if k.hash == nil {
		k.hash = sha256.New()
	}
	k.pass(key, 0x36, msg)
	k.pass(key, 0x5c, k.out[:])
	return k.out
}

// pass computes one of the two hashes of RFC 2104, over the padded key and then msg, into out.
func (k *keyed) pass(key []byte, x byte, msg []byte) {
	for i := range k.block {
		k.block[i] = x
		if i < len(key) {
			k.block[i] ^= key[i]
		}
	}
	k.hash.Reset()
	k.hash.Write(k.block[:])
	k.hash.Write(msg)
	k.hash.Sum(k.out[:0])
}

// exactBytes returns the data of a b event.
func exactBytes(code byte, p []byte) []byte {
	return base64.StdEncoding.AppendEncode([]byte{code, ' '}, p)
}

// unfinished returns how many bytes at the end of p begin a character that is not complete.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
