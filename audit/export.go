package audit

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// ExportCast writes the transcript as an asciicast v3 that holds nothing but
// what players know: no comments, no private events, and stderr shown where
// it appeared among the output.
func ExportCast(w io.Writer, r io.Reader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var line []byte
	var last time.Duration
	err := export(r, func(h Header) error {
		_, err := out.Write(append(h.line(), '\n'))
		return err
	}, func(e Event) error {
		code := e.Code
		if code == CodeStderr {
			code = CodeOutput
		}
		if !strings.ContainsRune("oirmx", rune(code)) {
			return nil
		}
		line = append(appendEvent(line[:0], (e.Time-last).Microseconds(), code, e.Data), '\n')
		last = e.Time
		_, err := out.Write(line)
		return err
	})
	return errors.Join(err, out.Flush())
}

// eventJSON is a line of ExportJSON.
type eventJSON struct {
	Seq      int64  `json:"seq"`
	TimeUS   int64  `json:"time_us"`
	Code     string `json:"code"`
	Author   string `json:"author"`
	Length   int64  `json:"length"`
	Text     string `json:"text,omitempty"`
	Base64   string `json:"base64,omitempty"` // instead of text, for what is not UTF-8
	Redacted bool   `json:"redacted,omitempty"`
}

// ExportJSON writes one JSON object per line: the header, then the events.
func ExportJSON(w io.Writer, r io.Reader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := export(r, func(h Header) error {
		_, err := out.Write(append(h.line(), '\n'))
		return err
	}, func(e Event) error {
		j := eventJSON{Seq: e.Seq, TimeUS: e.Time.Microseconds(), Code: string(rune(e.Code)), Author: e.Author, Length: e.Length, Redacted: e.Redacted}
		if utf8.Valid(e.Data) {
			j.Text = string(e.Data)
		} else {
			j.Base64 = base64.StdEncoding.EncodeToString(e.Data)
		}
		return enc.Encode(j)
	})
	return errors.Join(err, out.Flush())
}

// ExportText writes what the program printed as lines of text: no escape
// sequences, and a line that was written over (a progress bar) as it was left.
// What a full-screen program drew is not reconstructed.
func ExportText(w io.Writer, r io.Reader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var l textLine
	t := tame{plain: true}
	var buf []byte
	err := export(r, nil, func(e Event) error {
		if e.Code != CodeOutput && e.Code != CodeStderr {
			return nil
		}
		buf = t.append(buf[:0], e.Data)
		return l.write(out, buf)
	})
	if len(l.text) > 0 {
		err = errors.Join(err, l.end(out))
	}
	return errors.Join(err, out.Flush())
}

// A textLine is one line of a terminal that is not full-screen.
type textLine struct {
	text []rune
	at   int
}

// maxLineRunes ends a line that has no end, such as a binary file.
const maxLineRunes = 1 << 16

func (l *textLine) write(out *bufio.Writer, p []byte) error {
	for s := string(p); s != ""; {
		if rest, ok := strings.CutPrefix(s, "\x1b["); ok { // only CSI K passes a plain tame
			n := strings.IndexByte(rest, 'K')
			if rest[:n] == "" || rest[:n] == "0" {
				l.text = l.text[:min(l.at, len(l.text))]
			} else if rest[:n] == "2" {
				l.text = l.text[:0]
			}
			s = rest[n+1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch {
		case r == '\n':
			if err := l.end(out); err != nil {
				return err
			}
		case r == '\r':
			l.at = 0
		case r == '\b':
			l.at = max(l.at-1, 0)
		case r == '\t', r >= ' ':
			l.put(r)
		}
		if len(l.text) == maxLineRunes {
			if err := l.end(out); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *textLine) put(r rune) {
	for len(l.text) <= l.at {
		l.text = append(l.text, ' ')
	}
	l.text[l.at] = r
	l.at++
}

func (l *textLine) end(out *bufio.Writer) error {
	_, err := fmt.Fprintln(out, strings.TrimRight(string(l.text), " "))
	l.text, l.at = l.text[:0], 0
	return err
}

// export runs over a transcript, verifying it.
func export(r io.Reader, header func(Header) error, event func(Event) error) error {
	t, err := NewReader("transcript", r)
	if err != nil {
		return err
	}
	if header != nil {
		if err := header(t.Header); err != nil {
			return err
		}
	}
	for {
		e, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = event(e)
		}
		if err != nil {
			return err
		}
	}
}
