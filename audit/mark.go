package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// A Place is a place in the log. Count entries end at byte Size; the last of them is Last bytes
// long, newline included, and has the hash Head.
type Place struct {
	Count, Size, Last int64
	Head              Hash
}

// placeVersion begins the text of a place, and so that of a mark.
const placeVersion = "tada-mark/v1"

// String returns the place as ParsePlace reads it. The order of the texts is the order of the
// places in a log.
//
//	tada-mark/v1 COUNT SIZE LAST HEAD CHECK
//
// The numbers are decimal, padded with zeros to 15, 15 and 7 digits. HEAD is 64 hex digits. CHECK
// is 16 hex digits: the first 8 bytes of the SHA-256 of everything before it, the space included.
func (p Place) String() string {
	b := fmt.Appendf(nil, "%s %015d %015d %07d %s ", placeVersion, p.Count, p.Size, p.Last, p.Head)
	sum := sha256.Sum256(b)
	return string(fmt.Appendf(b, "%x", sum[:8]))
}

// ParsePlace reads what String wrote. It accepts no other spelling.
func ParsePlace(text string) (p Place, err error) {
	var version, head, check string
	n, _ := fmt.Sscanf(text, "%s %d %d %d %s %s", &version, &p.Count, &p.Size, &p.Last, &head,
		&check)
	h, ok := parseHash([]byte(head))
	p.Head = h
	if n != 6 || !ok || p.String() != text {
		return Place{}, fmt.Errorf("%q is not a position in a log", text)
	}
	return p, nil
}

// Point returns the place as others remember it.
func (p Place) Point() Point { return Point{p.Count, p.Head} }

// Place returns the place in the log after this entry.
func (e Entry) Place() Place {
	line := appendLine(nil, e.Kind, e.Body, e.Prev, e.Seq, stampOf(e.Time))
	n := int64(len(line)) + 1
	return Place{Count: e.Seq + 1, Size: e.Offset + n, Last: n, Head: e.Hash}
}

// A mark is what is remembered of the log outside its folder, in a file that the caller names
// (LogOptions.Mark). If the folder is gone, or an old copy was put back, a log without anchor and
// entries is not taken for a first run.
//
// It is one place and a newline, overwritten with every store, and says only what is on the disk:
// after a power cut it cannot know more than the log. Once a mark is on the disk, the file lock in
// the folder has one byte, so that a missing or damaged mark is not mistaken for one that never
// existed. Otherwise an old folder could be put back unnoticed.
type mark struct {
	Place
	state markState
}

type markState int

const (
	markNone  markState = iota // no file is named, or it is missing
	markEmpty                  // made, and never written
	markBad                    // not a mark
	markWhole
)

// lockMark is the content of the file lock once a mark is on the disk.
const lockMark = "1"

// readMark returns the mark in a file.
func readMark(path string) (m mark, err error) {
	if path == "" {
		return m, nil
	}
	b, err := ReadPlain(path, 256)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, nil
	case err != nil:
		return m, err
	case len(b) == 0:
		return mark{state: markEmpty}, nil
	}
	text, ended := strings.CutSuffix(string(b), "\n")
	p, err := ParsePlace(text)
	if err != nil || !ended {
		return mark{state: markBad}, nil
	}
	return mark{p, markWhole}, nil
}

// missing says what is wrong with a mark that should exist; had says whether there was one.
func (m mark) missing(had bool) string {
	switch {
	case m.state == markBad:
		return "it was changed, so its record of the log is lost"
	case m.state == markEmpty && had:
		return "it is empty, but the end of the log was remembered in it"
	case m.state == markNone && had:
		return "it is gone, but the end of the log was remembered in it"
	}
	return ""
}

// against returns what a log with this anchor lacks of what the mark remembers.
func (m mark) against(a Anchor) string {
	switch {
	case m.Count > 0 && a.Count == 0:
		return fmt.Sprintf("the folder is new, but the mark outside of it counts %s",
			Plural(m.Count, "entry"))
	case m.Count > a.Count || m.Size > a.Size:
		return fmt.Sprintf(
			"it was put back to an older state: the mark outside of it counts %s, it has %d",
			Plural(m.Count, "entry"), a.Count)
	}
	return ""
}
