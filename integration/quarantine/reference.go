package quarantine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
)

// A Reference names one file for one session and for a short time. It contains no content and gives
// no right by itself: a process that gets one can have it verified, and nothing else.
type Reference struct {
	Path      string            // absolute, without links, "." or ".."; any bytes but NUL
	Timestamp int64             // when it was signed, in seconds since 1970
	SessionID string            // a UUID
	SHA       [sha256.Size]byte // of the content, when Bound
	Bound     bool              // the reference is valid only for this content
	HMAC      [sha256.Size]byte
}

// maxPath is PATH_MAX (limits.h): no system call accepts a longer path.
const maxPath = 4096

// maxURI is the longest possible URI: every byte of the path escaped, and the parameters.
const maxURI = len("typed://") + 3*maxPath + len("?hmac=&ts=&sid=&sha=") + 64 + 19 + 36 + 64

// URI returns the reference as text: typed://<path>?hmac=<hex>&ts=<unix>&sid=<uuid>, followed by
// &sha=<hex> if the content is bound.
func (r Reference) URI() string {
	b := make([]byte, 0, len(r.Path)+256)
	b = append(b, "typed://"...)
	b = appendEscaped(b, r.Path)
	b = append(b, "?hmac="...)
	b = hex.AppendEncode(b, r.HMAC[:])
	b = append(b, "&ts="...)
	b = strconv.AppendInt(b, r.Timestamp, 10)
	b = append(b, "&sid="...)
	b = append(b, r.SessionID...)
	if r.Bound {
		b = append(b, "&sha="...)
		b = hex.AppendEncode(b, r.SHA[:])
	}
	return string(b)
}

// message returns the bytes that are signed: canonical JSON of the reference. The version is in the
// longer form, so that neither form can be read as the other.
func (r Reference) message() ([]byte, error) {
	fields := map[string]any{"path": r.Path, "timestamp": r.Timestamp, "sessionId": r.SessionID}
	if r.Bound {
		fields["sha"] = hex.EncodeToString(r.SHA[:])
		fields["v"] = 2
	}
	return canonical.Append(nil, fields)
}

// expires returns when the reference expires.
func (r Reference) expires(ttl time.Duration) time.Time {
	return time.Unix(r.Timestamp, 0).Add(ttl)
}

// ParseURI is the exact inverse of [Reference.URI]. It accepts a text only if it is the one
// spelling of a reference, so that no two texts mean the same file and nothing can be added. Every
// error wraps ErrMalformed.
func ParseURI(uri string) (Reference, error) {
	if len(uri) > maxURI {
		return Reference{}, malformed("it is %s long", audit.Plural(len(uri), "byte"))
	}
	rest, ok := strings.CutPrefix(uri, "typed://")
	if !ok {
		return Reference{}, malformed("it does not begin with typed://")
	}
	escaped, query, ok := strings.Cut(rest, "?")
	if !ok {
		return Reference{}, malformed("it has no parameters")
	}
	var r Reference
	var err error
	if r.Path, err = unescape(escaped); err != nil {
		return Reference{}, err
	}
	if err := checkPath(r.Path); err != nil {
		return Reference{}, err
	}
	if err := r.parameters(query); err != nil {
		return Reference{}, err
	}
	if r.URI() != uri { // an unnecessary escape, a sign, a leading zero, upper-case digits
		return Reference{}, malformed("it is not in canonical form")
	}
	return r, nil
}

// parameters reads the query. Each parameter occurs once, in this order.
func (r *Reference) parameters(query string) error {
	words := strings.Split(query, "&")
	if len(words) != 3 && len(words) != 4 {
		return malformed("it has %s, want hmac, ts, sid and perhaps sha",
			audit.Plural(len(words), "parameter"))
	}
	values := make([]string, len(words))
	for i, name := range []string{"hmac=", "ts=", "sid=", "sha="}[:len(words)] {
		var ok bool
		if values[i], ok = strings.CutPrefix(words[i], name); !ok {
			return malformed("parameter %d is not %q", i+1, strings.TrimSuffix(name, "="))
		}
	}
	if err := digest(&r.HMAC, values[0], "hmac"); err != nil {
		return err
	}
	ts, err := strconv.ParseInt(values[1], 10, 64)
	if err != nil || ts < 0 {
		return malformed("ts is not a number of seconds")
	}
	if !isUUID(values[2]) {
		return malformed("sid is not a version 4 UUID")
	}
	r.Timestamp, r.SessionID = ts, values[2]
	if r.Bound = len(values) == 4; r.Bound {
		return digest(&r.SHA, values[3], "sha")
	}
	return nil
}

func digest(into *[sha256.Size]byte, text, name string) error {
	if len(text) != 2*len(into) {
		return malformed("%s has %s, want %d", name, audit.Plural(len(text), "character"),
			2*len(into))
	}
	if _, err := hex.Decode(into[:], []byte(text)); err != nil {
		return malformed("%s is not hexadecimal", name)
	}
	return nil
}

// checkPath refuses a path that, as far as its text shows, is not the one name of its file. The
// code that opens it handles links.
func checkPath(p string) error {
	switch {
	case len(p) > maxPath:
		return malformed("its path is %s long", audit.Plural(len(p), "byte"))
	case !path.IsAbs(p):
		return malformed("its path is not absolute")
	case path.Clean(p) != p:
		return malformed("its path is not canonical")
	case strings.IndexByte(p, 0) >= 0:
		return malformed("its path holds a NUL")
	}
	return nil
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// appendEscaped writes the bytes of p. The characters that RFC 3986 calls unreserved, and the
// slash, are written as themselves; every other byte is percent-encoded. So a file's name in a
// prompt is never text that a model could take for an instruction, nor a delimiter.
func appendEscaped(b []byte, p string) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(p) {
		if c := p[i]; unreserved(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}

func unreserved(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	return strings.IndexByte("-._~/", c) >= 0
}

func unescape(s string) (string, error) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+3 > len(s) {
			return "", malformed("its path ends in the middle of an escape")
		}
		n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", malformed("its path has a percent sign without two digits")
		}
		b = append(b, byte(n))
		i += 2
	}
	return string(b), nil
}
