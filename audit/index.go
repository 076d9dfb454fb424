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

// An indexed entry is where one begins, and what it says.
type indexed struct {
	kind string
	at   int64
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
		fmt.Fprintf(&b, "%s %d\n", e.kind, e.at)
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
		if _, err := fmt.Sscanf(line, "%s %d", &e.kind, &e.at); err != nil {
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
			x.entries = append(x.entries, indexed{e.Kind, e.Offset})
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
	low := s.start.offset
	for _, high := range append(x.At(kindClock), s.end()) { // between, time does not go back
		at, err := s.first(low, high,
			func(f fields) bool { return bytes.Compare(f.time, want[:]) >= 0 })
		if err != nil || at < high {
			return at, err
		}
		low = high
	}
	return s.end(), nil
}

// SetBackAfter reports whether the clock of the log was set back at or after a byte.
func (x Index) SetBackAfter(offset int64) bool {
	at := x.At(kindClock)
	return len(at) > 0 && at[len(at)-1] >= offset
}
