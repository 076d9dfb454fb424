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
	"maps"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
)

// Cast writes the transcript as an asciicast v3 with only what players know: no comments and no
// private events. Stderr is shown at its place in the output, line ends are as a terminal needs
// them, and what is missing (redacted, or never kept) is named where it is missing.
func Cast(w io.Writer, r io.Reader) error { return cast(w, r, caster{}) }

// Cast2 writes the same as an asciicast v2, for asciinema before 3.0: the time of an event counts
// from the start, and there is no event for the exit status.
func Cast2(w io.Writer, r io.Reader) error { return cast(w, r, caster{second: true}) }

func cast(w io.Writer, r io.Reader, c caster) error {
	out := bufio.NewWriterSize(w, 64<<10)
	err := each(r, func(h audit.Header) error {
		c.wire = play.NewWire(h)
		if c.authors {
			c.tint = play.NewTint(h)
		}
		if c.second {
			return writeHeader2(out, h)
		}
		return writeHeader(out, h)
	}, func(e audit.Event) error {
		_, err := out.Write(c.lines(e))
		return err
	})
	_, _ = out.Write(c.marked(end)) // the error stays in the buffer
	return errors.Join(err, out.Flush())
}

// end is later than every event.
const end = time.Duration(math.MaxInt64)

// A caster turns events into lines of an asciicast.
type caster struct {
	// ordered drops the characters that change the order of others: terminals ignore them, but a
	// browser would show other words than the real ones (CVE-2021-42574).
	ordered bool
	authors bool        // the echo of typed text has its author's colour
	second  bool        // asciicast v2
	marks   []play.Mark // to be inserted among the session's own, by their time

	wire play.Wire
	tint play.Tint
	last time.Duration
	buf  []byte
	data []byte
}

// lines returns the lines for an event: the marks before it, and its own line.
func (c *caster) lines(e audit.Event) []byte {
	c.buf = c.buf[:0]
	if len(c.marks) > 0 && c.marks[0].At <= e.Time {
		c.marked(e.Time)
	}
	c.event(e)
	return c.buf
}

// marked returns the lines of the marks up to that time.
func (c *caster) marked(until time.Duration) []byte {
	c.buf = c.buf[:0]
	for ; len(c.marks) > 0 && c.marks[0].At <= until; c.marks = c.marks[1:] {
		c.line(c.marks[0].At, audit.CodeMark, []byte(printable(c.marks[0].Label)))
	}
	return c.buf
}

// event adds the line of an event, or nothing for one that players do not know.
func (c *caster) event(e audit.Event) {
	code, data := e.Code, e.Data
	switch {
	case (code == audit.CodeOutput || code == audit.CodeStderr) && e.Redacted:
		code, data = audit.CodeOutput,
			fmt.Appendf(nil, "[redacted, %s]", audit.Plural(e.Length, "byte"))
	case code == audit.CodeOutput || code == audit.CodeStderr:
		c.data = c.shown(c.data[:0], e)
		code, data = audit.CodeOutput, c.data
	case code == audit.CodeGap:
		code, data = audit.CodeMark,
			fmt.Appendf(nil, "%s of output not kept", audit.Plural(e.Length, "byte"))
	}
	if c.authors && code != audit.CodeOutput {
		c.tint.Append(nil, e) // what is typed now may be echoed in later output
	}
	if !strings.ContainsRune("oirmx", rune(code)) || c.second && code == audit.CodeExit {
		return
	}
	if c.ordered {
		data = bytes.Map(func(r rune) rune {
			if unicode.Is(unicode.Bidi_Control, r) {
				return -1
			}
			return r
		}, data)
	}
	c.line(e.Time, code, data)
}

// shown appends what a terminal must receive for some output.
func (c *caster) shown(dst []byte, e audit.Event) []byte {
	if c.authors {
		return c.tint.Append(dst, e)
	}
	return c.wire.Append(dst, e.Code, e.Data)
}

// line adds one line. A mark may come from another clock, but time does not go back for it.
func (c *caster) line(at time.Duration, code byte, data []byte) {
	at = max(at, c.last)
	us := at.Microseconds()
	if !c.second {
		us -= c.last.Microseconds()
	}
	c.last = at
	c.buf = append(c.buf, '[')
	c.buf = strconv.AppendFloat(c.buf, float64(us)/1e6, 'f', 6, 64)
	c.buf = append(c.buf, ',', '"', code, '"', ',')
	c.buf = append(c.buf, quote(data)...)
	c.buf = append(c.buf, ']', '\n')
}

// quote returns a JSON string; bytes that are not UTF-8 become U+FFFD.
func quote(data []byte) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(string([]rune(string(data)))) // a string cannot fail
	return bytes.TrimRight(b.Bytes(), "\n")
}

func writeHeader(w io.Writer, h audit.Header) error {
	h.Wire = ""
	_, err := w.Write(append(h.Line(), '\n'))
	return err
}

// header2JSON is the header of asciicast v2, https://docs.asciinema.org/manual/asciicast/v2/.
type header2JSON struct {
	Version   int               `json:"version"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	Timestamp int64             `json:"timestamp,omitempty"`
	Command   string            `json:"command,omitempty"`
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
}

func writeHeader2(w io.Writer, h audit.Header) error {
	j := header2JSON{2, h.Cols, h.Rows, 0, h.Command, h.Title, maps.Clone(h.Env)}
	if h.Cols <= 0 || h.Rows <= 0 {
		j.Width, j.Height = 80, 24
	}
	if !h.Time.IsZero() {
		j.Timestamp = h.Time.Unix()
	}
	if h.Term != "" {
		if j.Env == nil {
			j.Env = map[string]string{}
		}
		j.Env["TERM"] = h.Term
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(j)
}

// An Event is one event of a transcript in JSON. A redacted one has neither Text nor Base64.
type Event struct {
	Seq      int64  `json:"seq"`
	TimeUS   int64  `json:"time_us"`
	Code     string `json:"code"`
	Author   string `json:"author"`
	Length   int64  `json:"length"`
	Text     string `json:"text,omitempty"`
	Base64   string `json:"base64,omitempty"`
	Redacted bool   `json:"redacted,omitempty"`
}

// EventOf converts e for JSON.
func EventOf(e audit.Event) Event {
	j := Event{Seq: e.Seq, TimeUS: e.Time.Microseconds(), Code: string(rune(e.Code)),
		Author: e.Author, Length: e.Length, Redacted: e.Redacted}
	if utf8.Valid(e.Data) {
		j.Text = string(e.Data)
	} else {
		j.Base64 = base64.StdEncoding.EncodeToString(e.Data)
	}
	return j
}

// JSON writes one JSON object per line: the header, then the events.
func JSON(w io.Writer, r io.Reader) error {
	out := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := each(r, func(h audit.Header) error {
		return writeHeader(out, h)
	}, func(e audit.Event) error { return enc.Encode(EventOf(e)) })
	return errors.Join(err, out.Flush())
}

// Text writes what a person saw, as lines of text; see play.Text.
func Text(w io.Writer, r io.Reader) error {
	return play.Text(context.Background(), w, r, play.TextOptions{})
}

// each reads and verifies a transcript.
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
