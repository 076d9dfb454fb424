package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
)

// Cast writes the transcript as an asciicast v3 that holds nothing but what
// players know: no comments, no private events; stderr shown where it appeared
// among the output; line ends as a terminal needs them; and what is missing
// (redacted, or never kept) named where it is missing.
func Cast(w io.Writer, r io.Reader) error { return cast(w, r, caster{}) }

func cast(w io.Writer, r io.Reader, c caster) error {
	out := bufio.NewWriterSize(w, 64<<10)
	err := each(r, func(h audit.Header) error {
		c.wire = play.NewWire(h)
		return writeHeader(out, h)
	}, func(e audit.Event) error {
		_, err := out.Write(c.line(e))
		return err
	})
	return errors.Join(err, out.Flush())
}

// A caster turns events into lines of an asciicast.
type caster struct {
	// ordered leaves out the characters that change the order of others:
	// terminals pass over them, and a browser would show other words than those
	// that are there (CVE-2021-42574).
	ordered bool

	wire play.Wire
	last time.Duration
	buf  []byte
	data []byte
}

// line returns the line of an event, or nothing for one that players do not
// know.
func (c *caster) line(e audit.Event) []byte {
	code, data := e.Code, e.Data
	switch {
	case (code == audit.CodeOutput || code == audit.CodeStderr) && e.Redacted:
		code, data = audit.CodeOutput, fmt.Appendf(nil, "[redacted, %d bytes]", e.Length)
	case code == audit.CodeOutput || code == audit.CodeStderr:
		c.data = c.wire.Append(c.data[:0], code, data)
		code, data = audit.CodeOutput, c.data
	case code == audit.CodeGap:
		code, data = audit.CodeMark, fmt.Appendf(nil, "%d bytes of output were not kept", e.Length)
	}
	if !strings.ContainsRune("oirmx", rune(code)) {
		return nil
	}
	if c.ordered {
		data = bytes.Map(func(r rune) rune {
			if unicode.Is(unicode.Bidi_Control, r) {
				return -1
			}
			return r
		}, data)
	}
	us := (e.Time - c.last).Microseconds()
	c.last = e.Time
	c.buf = append(c.buf[:0], '[')
	c.buf = strconv.AppendFloat(c.buf, float64(us)/1e6, 'f', 6, 64)
	c.buf = append(c.buf, ',', '"', code, '"', ',')
	c.buf = append(c.buf, quote(data)...)
	return append(c.buf, ']', '\n')
}

// quote is a JSON string; bytes that are not UTF-8 become U+FFFD.
func quote(data []byte) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(string([]rune(string(data)))) // a string cannot fail
	return bytes.TrimRight(b.Bytes(), "\n")
}

type headerJSON struct {
	Version   int               `json:"version"`
	Term      termJSON          `json:"term"`
	Timestamp int64             `json:"timestamp,omitempty"`
	Command   string            `json:"command,omitempty"`
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
}

type termJSON struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type,omitempty"`
}

func writeHeader(w io.Writer, h audit.Header) error {
	j := headerJSON{3, termJSON{h.Cols, h.Rows, h.Term}, 0, h.Command, h.Title, h.Env}
	if h.Cols <= 0 || h.Rows <= 0 {
		j.Term.Cols, j.Term.Rows = 80, 24
	}
	if !h.Time.IsZero() {
		j.Timestamp = h.Time.Unix()
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(j)
}

type eventJSON struct {
	Seq      int64  `json:"seq"`
	TimeUS   int64  `json:"time_us"`
	Code     string `json:"code"`
	Author   string `json:"author"`
	Length   int64  `json:"length"`
	Text     string `json:"text,omitempty"`
	Base64   string `json:"base64,omitempty"`
	Redacted bool   `json:"redacted,omitempty"`
}

// JSON writes one JSON object per line: the header, then the events.
func JSON(w io.Writer, r io.Reader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := each(r, func(h audit.Header) error {
		return writeHeader(out, h)
	}, func(e audit.Event) error {
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

// Text writes what a person saw, as lines of text; see play.Text.
func Text(w io.Writer, r io.Reader) error {
	return play.Text(context.Background(), w, r, play.TextOptions{})
}

// each runs over a transcript, verifying it.
func each(r io.Reader, header func(audit.Header) error, event func(audit.Event) error) error {
	t, err := audit.NewReader("transcript", r)
	if err != nil {
		return err
	}
	if err := header(t.Header); err != nil {
		return err
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
