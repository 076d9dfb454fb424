package audit

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"
)

// RecordOptions are what a Recorder needs from outside.
type RecordOptions struct {
	Now  func() time.Duration // monotonic, from any origin; required
	Rand io.Reader            // salts; required
	// Checkpoint, if set, is called with the state of the transcript every 1 MiB and at the first
	// event after 5 s, so that the log vouches for a session that never closes. Its error is
	// returned by the call that recorded the event. It must not call the Recorder.
	Checkpoint func(Summary) error
	// KeepSecrets stores credentials of a known shape (FindSecrets) like everything else. Without
	// it they are hidden like passwords.
	KeepSecrets bool
	// MaxBytes is how many bytes of output are kept; 0 means DefaultMaxBytes. The rest is counted
	// and hashed (CodeGap), except for its end.
	MaxBytes int64
	// Rate is how many bytes of output are kept per second, after 16 times as many were kept; 0
	// means all. Faster output is treated like output beyond MaxBytes until there is room for one
	// second's worth again.
	Rate int64
}

// DefaultMaxBytes is how much output is stored of one session: more than a person reads, and yes(1)
// fills it in a second.
const DefaultMaxBytes = 256 << 20

const (
	ckptBytes = 1 << 20
	ckptEvery = 5 * time.Second
)

// maxBuffer is how much is written at once: the most that a relay reads, with its line ends
// escaped. The kernel stores one large write in larger pieces.
const maxBuffer = 128 << 10

// saltBatch is how much randomness is read at once.
const saltBatch = 2048

// An eventWriter writes the events of a transcript, each with its #t line.
//
// The next call first writes the rest of a half-written event, so that a Gap and an Exit can follow
// when there is space again.
type eventWriter struct {
	f     *os.File
	opts  RecordOptions
	start time.Duration

	sum    Summary
	lastUS int64

	ckptBytes int64
	ckptUS    int64

	buf    []byte
	failed bool // buf holds the rest of a write that failed
	salts  []byte
	mac    keyed
}

// hidden records that bytes passed that are not stored.
func (w *eventWriter) hidden(code byte, author string, p []byte) error {
	salt, err := w.salt()
	if err != nil {
		return err
	}
	c := w.mac.sum(salt, p)
	return w.note(CodeHidden, author, int64(len(p)), fmt.Appendf(nil, "%c %s", code, c))
}

// secret hides bytes that players would have shown, and makes them show asterisks. After a hidden
// event, as after a b event, the stream's own event with LEN 0 is what a player can show.
func (w *eventWriter) secret(code byte, author string, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), maxChunk)
		if err := w.hidden(code, author, p[:n]); err != nil {
			return err
		}
		if err := w.add(code, author, 0, stars(p[:n])); err != nil {
			return err
		}
		p = p[n:]
	}
	return w.commit()
}

// stars returns p with an asterisk for every visible byte; line ends stay, so that a screen keeps
// its layout.
func stars(p []byte) []byte {
	out := bytes.Clone(p)
	for i, c := range out {
		if c != '\n' && c != '\r' {
			out[i] = '*'
		}
	}
	return out
}

func (w *eventWriter) gap(n int64, sum Hash) error {
	return w.note(CodeGap, AuthorTada, n, fmt.Appendf(nil, "%d %s", n, sum))
}

func (w *eventWriter) note(code byte, author string, length int64, text []byte) error {
	if len(text) > maxChunk {
		return fmt.Errorf("recording %q: %w: %s, at most %d", code, ErrTooLong,
			Plural(len(text), "byte"), maxChunk)
	}
	if err := w.add(code, author, length, bytes.ToValidUTF8(text, []byte("\ufffd"))); err != nil {
		return err
	}
	return w.commit()
}

// chunk adds the event for some bytes of a stream. Bytes that are not UTF-8 cannot be spelled in
// JSON: a b event then has the exact bytes, and the stream's own event, with length 0, has what a
// player can show of them.
func (w *eventWriter) chunk(code byte, author string, p []byte) error {
	if utf8.Valid(p) {
		return w.add(code, author, int64(len(p)), p)
	}
	if err := w.add(CodeBytes, author, int64(len(p)), exactBytes(code, p)); err != nil {
		return err
	}
	return w.add(code, author, 0, p)
}

// add puts one event and its #t line into the buffer. After the rest of a failed write it accepts
// nothing: a disk that stays full must not fill the memory too.
func (w *eventWriter) add(code byte, author string, length int64, data []byte) error {
	if w.failed {
		if err := w.flush(); err != nil {
			return err
		}
	}
	salt, err := w.salt()
	if err != nil {
		return err
	}
	us := max((w.opts.Now() - w.start).Microseconds(), w.lastUS)
	from := len(w.buf)
	w.buf = appendEvent(w.buf, us-w.lastUS, code, data)
	l := link{seq: w.sum.Count, us: us, code: code, author: authorWord(author), length: length,
		salt: [16]byte(salt)}
	l.commit = w.mac.sum(salt, w.buf[from:])
	l.chain = l.next(w.sum.Head)

	w.buf = append(l.appendLine(append(w.buf, '\n')), '\n')
	w.lastUS = us
	w.sum.Head, w.sum.Duration = l.chain, time.Duration(us)*time.Microsecond
	w.sum.Count++
	w.sum.Bytes += length
	return nil
}

// commit passes the buffered events to the kernel, and calls Checkpoint when it is due.
func (w *eventWriter) commit() error {
	if err := w.flush(); err != nil {
		return err
	}
	due := w.sum.Bytes-w.ckptBytes >= ckptBytes || w.lastUS-w.ckptUS >= ckptEvery.Microseconds()
	if !due || w.opts.Checkpoint == nil {
		return nil
	}
	w.ckptBytes, w.ckptUS = w.sum.Bytes, w.lastUS
	if err := w.opts.Checkpoint(w.sum); err != nil {
		return fmt.Errorf("checkpoint of the transcript: %w", err)
	}
	return nil
}

// flush writes the buffer. What does not fit stays for the next call: a record must never contain
// half an event.
func (w *eventWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	n, err := w.f.Write(w.buf)
	w.buf = w.buf[:copy(w.buf, w.buf[n:])]
	w.failed = err != nil
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

func (w *eventWriter) salt() ([]byte, error) {
	if len(w.salts) == 0 {
		b := make([]byte, saltBatch)
		if _, err := io.ReadFull(w.opts.Rand, b); err != nil {
			return nil, fmt.Errorf("recording: no randomness: %w", err)
		}
		w.salts = b
	}
	s := w.salts[:16]
	w.salts = w.salts[16:]
	return s, nil
}
