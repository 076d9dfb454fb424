package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// A stretch is the last of a stream's text, and which events it came from.
type stretch struct {
	text   []byte
	events []origin
	fresh  int // where the event added last begins
}

type origin struct {
	seq int64
	n   int
}

// add takes in one event, and forgets what is out of reach.
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

// hiddenText marks what the recorder hid already.
var hiddenText = []byte("***")

// secrets returns the events that share in a secret which reaches into the
// one added last.
func (s *stretch) secrets() (found []Secret) {
	for _, shape := range secretShapes() {
		if !bytes.Contains(s.text, []byte(shape.hint)) {
			continue
		}
		found = append(found, s.matches(shape.name, shape.shape(), hiddenText)...)
	}
	return found
}

// matches returns the events that share in a match which reaches into the one
// added last and does not contain but.
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

// find looks through the streams of a transcript.
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

// FindSecrets returns the events of a transcript that hold credentials by
// their shape, for Redact. One that was cut up, by reads or
// because it was typed, is found in every piece. It
// finds what has a shape; a password that looks like a word it cannot find.
func FindSecrets(r io.Reader) ([]Secret, error) {
	return find(r, (*stretch).secrets)
}

// FindText returns the events that share in an occurrence of text, for Redact,
// wherever reads cut it. A text of more than 512 bytes is refused (ErrTooLong).
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

// A Secret is an event that holds something shaped like a credential.
type Secret struct {
	Seq  int64
	Name string // of the shape
}

// secretReach is how much of the event before is looked at together with the
// next one: reads cut a stream anywhere, in the middle of a token too.
const secretReach = 512
