package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// A stretch is the last part of a stream's text, and the events that it came from.
type stretch struct {
	text   []byte
	events []origin
	fresh  int // where the event added last begins
}

type origin struct {
	seq int64
	n   int
}

// add adds one event, and drops what is too far back to matter.
func (s *stretch) add(e Event) {
	drop := max(0, len(s.text)-secretReach)
	s.text = append(s.text[:copy(s.text, s.text[drop:])], e.Data...)
	for drop > 0 && len(s.events) > 0 {
		n := min(drop, s.events[0].n)
		s.events[0].n -= n
		drop -= n
		if s.events[0].n == 0 {
			s.events = s.events[1:]
		}
	}
	s.fresh = len(s.text) - len(e.Data)
	s.events = append(s.events, origin{e.Seq, len(e.Data)})
}

// hiddenText marks what the recorder already hid.
var hiddenText = []byte("***")

// secrets returns the events that contain a part of a secret that extends into the one added last.
func (s *stretch) secrets() (found []Secret) {
	for _, shape := range secretShapes() {
		if !bytes.Contains(s.text, []byte(shape.hint)) {
			continue
		}
		found = append(found, s.matches(shape.name, shape.shape(), hiddenText)...)
	}
	return found
}

// matches returns the events that contain a part of a match that extends into the one added last
// and does not contain but.
func (s *stretch) matches(name string, shape *regexp.Regexp, but []byte) (found []Secret) {
	for _, at := range shape.FindAllIndex(s.text, -1) {
		if at[1] <= s.fresh || but != nil && bytes.Contains(s.text[at[0]:at[1]], but) {
			continue
		}
		from := 0
		for _, r := range s.events {
			if from < at[1] && from+r.n > at[0] {
				found = append(found, Secret{r.seq, name})
			}
			from += r.n
		}
	}
	return found
}

// find searches the streams of a transcript.
func find(r io.Reader, in func(*stretch) []Secret) ([]Secret, error) {
	t, err := NewReader("transcript", r)
	if err != nil {
		return nil, err
	}
	streams := map[byte]*stretch{}
	var found []Secret
	for {
		e, err := t.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return found, err
		}
		if e.Code != CodeOutput && e.Code != CodeStderr && e.Code != CodeInput &&
			e.Code != CodeStdin {
			continue
		}
		s := streams[e.Code]
		if s == nil {
			s = &stretch{}
			streams[e.Code] = s
		}
		s.add(e)
		for _, x := range in(s) {
			if !slices.Contains(found[max(0, len(found)-secretReach):], x) {
				found = append(found, x)
			}
		}
	}
}

// FindSecrets returns the events of a transcript that contain credentials by their shape, for
// Redact. A credential that was split, by reads or because it was typed, is found in every piece.
// It finds only what has a known shape, not a password that looks like a word.
func FindSecrets(r io.Reader) ([]Secret, error) {
	return find(r, (*stretch).secrets)
}

// FindText returns the events that contain a part of an occurrence of text, for Redact, however
// reads split it. A text of more than 512 bytes is refused (ErrTooLong).
func FindText(r io.Reader, text string) ([]int64, error) {
	if len(text) == 0 || len(text) > secretReach {
		return nil, fmt.Errorf("find a text of %s: %w: at least 1, at most %d",
			Plural(len(text), "byte"), ErrTooLong, secretReach)
	}
	shape := regexp.MustCompile(regexp.QuoteMeta(text))
	found, err := find(r, func(s *stretch) []Secret { return s.matches("", shape, nil) })
	events := make([]int64, len(found))
	for i, f := range found {
		events[i] = f.Seq
	}
	return events, err
}

// A Secret is an event that contains something shaped like a credential.
type Secret struct {
	Seq  int64
	Name string // of the shape
}

// secretReach is how much of the events before is searched together with the next one: reads split
// a stream anywhere, in the middle of a token too.
const secretReach = 512
