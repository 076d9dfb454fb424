package audit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// An Index has the places in a log of the few entries that say something about earlier ones, so
// that who looks for a time, or for a run, need not read all of it. It is derived from the log:
// Extend finds out whether it is of this one, and makes it anew if it is not.
type Index struct {
	Through Place // how far it goes
	entries []indexed
}

// An indexed entry is where one begins, and what it says. Of what a person accepted, from is where
// the part begins that is not proven: there, times are in no order.
type indexed struct {
	kind     string
	at, from int64
}

// indexedKinds are the kinds of entries that an index has.
var indexedKinds = []string{KindAccept, KindRecover, kindClock, KindRedact}

// indexVersion begins the text of an index.
const indexVersion = "tada-index/v1"

// String returns the index as ParseIndex reads it: a line for the place, a line for each entry, and
// the SHA-256 of them all.
func (x Index) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", indexVersion, x.Through)
	for _, e := range x.entries {
		fmt.Fprintf(&b, "%s %d %d\n", e.kind, e.at, e.from)
	}
	return fmt.Sprintf("%s%x\n", b.String(), sha256.Sum256([]byte(b.String())))
}

// ParseIndex reads what String wrote; false for anything else.
func ParseIndex(text string) (x Index, ok bool) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 {
		return x, false
	}
	var err error
	if x.Through, err = ParsePlace(lines[1]); err != nil {
		return Index{}, false
	}
	for _, line := range lines[2 : len(lines)-2] {
		var e indexed
		if _, err := fmt.Sscanf(line, "%s %d %d", &e.kind, &e.at, &e.from); err != nil {
			return Index{}, false
		}
		x.entries = append(x.entries, e)
	}
	if x.String() != text {
		return Index{}, false
	}
	return x, true
}

// At returns where the entries of some kinds begin, in order.
func (x Index) At(kinds ...string) (list []int64) {
	for _, e := range x.entries {
		if slices.Contains(kinds, e.kind) {
			list = append(list, e.at)
		}
	}
	return list
}

// Extend reads what the log in dir has got since the index was made. An index of another log is
// made anew. A log that does not exist has an empty one.
func (x *Index) Extend(dir string, c Codec) error {
	ok, err := Holds(dir, x.Through, c)
	if err != nil {
		return err
	}
	if !ok {
		*x = Index{}
	}
	end, err := newestPlace(dir, c)
	if err != nil || end == x.Through {
		return err
	}
	for e, err := range Entries(dir, Filter{From: x.Through.Size,
		To: end.Size, Kinds: indexedKinds, Codec: c}) {
		switch {
		case isBad(err):
		case err != nil:
			return err
		default:
			i := indexed{e.Kind, e.Offset, e.Offset}
			if g, ok := e.Gap(); ok && g.Accepted() {
				i.from = min(g.From.Offset, g.Offset)
			}
			x.entries = append(x.entries, i)
		}
	}
	x.Through = end
	return nil
}

// newestPlace is the place of the last entry of a log; its zero value if there is none.
func newestPlace(dir string, c Codec) (Place, error) {
	for e, err := range Newest(dir, Filter{Codec: c}) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Place{}, nil
		case isBad(err):
		case err != nil:
			return Place{}, err
		default:
			return e.Place(), nil
		}
	}
	return Place{}, nil
}

func isBad(err error) bool {
	var bad *BadEntry
	return errors.As(err, &bad)
}

// Since returns the byte of the log in dir at which the first entry begins that is of a time or
// later; the end of the log if there is none. The index must go to the end.
func (x *Index) Since(dir string, t time.Time, c Codec) (int64, error) {
	s, err := openLog(dir, c)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	want := stampOf(t)
	late := func(f fields) bool { return bytes.Compare(f.time, want[:]) >= 0 }
	for _, part := range x.parts(s.start.offset, s.end()) {
		find := s.first
		if part.mixed {
			find = s.firstOfAll
		}
		at, err := find(part.from, part.to, late)
		if err != nil || at < part.to {
			return at, err
		}
	}
	return s.end(), nil
}

// A stretchOfTime is a part of the log in which time does not go back, or one in which it may.
type stretchOfTime struct {
	from, to int64
	mixed    bool
}

// parts divides the log between two bytes.
func (x *Index) parts(from, to int64) (list []stretchOfTime) {
	cut := func(at int64, mixed bool) {
		if at = min(max(at, from), to); at > from {
			list = append(list, stretchOfTime{from, at, mixed})
			from = at
		}
	}
	for _, e := range x.entries {
		switch e.kind {
		case kindClock:
			cut(e.at, false)
		case KindAccept:
			cut(e.from, false)
			cut(e.at, true)
		}
	}
	cut(to, false)
	return list
}

// firstOfAll is first where is may be true and false in any order.
func (s *segments) firstOfAll(low, end int64, is func(fields) bool) (int64, error) {
	for low < end {
		found, ok, err := s.entryFrom(low, end)
		if err != nil || !ok {
			return end, err
		}
		if is(found.fields) {
			return found.begins, nil
		}
		low = found.after.offset
	}
	return end, nil
}

// Ordered reports whether time does not go back at or after a byte.
func (x Index) Ordered(offset int64) bool {
	return !slices.ContainsFunc(x.entries, func(e indexed) bool {
		return e.at >= offset && (e.kind == kindClock || e.kind == KindAccept)
	})
}

// maxIndex is how long the text of an index may be.
const maxIndex = 64 << 20

// LoadIndex reads an index from a file; false if it is none.
func LoadIndex(path string) (Index, bool) {
	text, err := ReadPlain(path, maxIndex)
	if err != nil {
		return Index{}, false
	}
	return ParseIndex(string(text))
}
