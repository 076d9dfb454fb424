package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"
)

// A Recorder writes the transcript of one session. Every method returns when the kernel has the
// event (it then survives the death of this process). Only after that may the bytes be passed on:
// everything that was shown or typed is in the record. Only the end of a call's bytes may wait for
// the next: up to three bytes of an unfinished UTF-8 character, and up to 4 KiB after the beginning
// of a possible credential (ghp_, AKIA, user: in a URL), until it is known whether it is one.
//
// A credential is hidden (CodeHidden), and the same number of asterisks is shown instead. So is
// what is typed after a prompt for a password, and its echo.
//
// After an error the record is incomplete and the session must not go on. The next call first
// writes the rest of a half-written event, so that a Gap and an Exit can follow when there is space
// again. Methods may be called from several goroutines.
type Recorder struct {
	mu     sync.Mutex
	events eventWriter
	masks  [4]mask // of o, e, i, n
	prompt prompt
	over   overflow
}

// Create makes a new transcript; it never touches an existing file (fs.ErrExist). A header of more
// than 200 kB is refused (ErrTooLong): no reader would accept it.
func Create(path string, h Header, o RecordOptions) (*Recorder, error) {
	if o.Now == nil || o.Rand == nil {
		return nil, errors.New("create transcript: no clock or no randomness given")
	}
	line := h.Line()
	if len(line) >= maxEventLine {
		return nil, fmt.Errorf("create transcript: header: %w: %s, at most %d", ErrTooLong,
			Plural(len(line), "byte"), maxEventLine-1)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create transcript: %w", err)
	}
	markWriting(f)
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	r := &Recorder{events: eventWriter{f: f, opts: o, start: o.Now()}}
	r.over.out, r.over.room = &r.events, o.Rate*burst
	for i := range r.masks {
		r.masks[i].off = o.KeepSecrets
	}
	r.events.sum.Head = sha256.Sum256(line)
	r.events.buf = append(line, '\n')
	if err := r.events.flush(); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// Output records what the program wrote: code is CodeOutput or CodeStderr.
func (r *Recorder) Output(code byte, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if code == CodeOutput {
		n := r.prompt.echoed(p)
		if n > 0 {
			if err := r.events.secret(code, AuthorProgram, p[:n]); err != nil {
				return err
			}
			p = p[n:]
		}
		r.prompt.shown(p)
	}
	return r.stream(code, AuthorProgram, p)
}

// Input records what is about to be written to the program's terminal. After a prompt for a
// password it is hidden, up to the end of the line: this covers programs that ask without turning
// the echo off.
func (r *Recorder) Input(author string, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.prompt.typed(p); n > 0 {
		if err := r.events.hidden(CodeInput, author, p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return r.stream(CodeInput, author, p)
}

// Stdin records input from the stdin pipe.
func (r *Recorder) Stdin(author string, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream(CodeStdin, author, p)
}

// Hidden records that bytes of a stream passed that are not stored, because they are a password:
// their number, and a commitment whose salt is not stored either.
func (r *Recorder) Hidden(code byte, author string, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events.hidden(code, author, p)
}

// Resize records the terminal's new size.
func (r *Recorder) Resize(cols, rows int) error {
	return r.Note(CodeResize, AuthorTada, fmt.Sprintf("%dx%d", cols, rows))
}

// Mark records a label: a command, an approval, a takeover.
func (r *Recorder) Mark(label string) error { return r.Note(CodeMark, AuthorTada, label) }

// Signal records a signal passed to the program, by name.
func (r *Recorder) Signal(author, name string) error { return r.Note(CodeSignal, author, name) }

// Gap records that n bytes of output were counted and hashed but not kept.
func (r *Recorder) Gap(n int64, sum Hash) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events.gap(n, sum)
}

// Exit records the exit status as a shell would report it.
func (r *Recorder) Exit(status string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.flushHeld(); err != nil {
		return err
	}
	return r.events.note(CodeExit, AuthorTada, 0, []byte(status))
}

// Note records an event without bytes of a stream, of at most 32 KiB (ErrTooLong).
func (r *Recorder) Note(code byte, author, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events.note(code, author, 0, []byte(text))
}

// Summary returns the state of the transcript so far.
func (r *Recorder) Summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events.sum
}

// Sync stores the transcript on disk.
func (r *Recorder) Sync() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events.f.Sync()
}

// Close writes what is held and closes the file, without waiting for the disk. The log has to
// remember the Summary.
func (r *Recorder) Close() (Summary, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.flushHeld()
	if err == nil {
		err = r.events.flush()
	}
	return r.events.sum, errors.Join(err, r.events.f.Close())
}

// Dropped returns how many bytes of output were not kept, because of their number or, if total is
// false, because of their rate alone.
func (r *Recorder) Dropped() (n int64, total bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over.dropped, r.over.kept >= r.events.opts.MaxBytes-maxBuffer
}

// stream records a run of bytes, in events of at most maxChunk.
func (r *Recorder) stream(code byte, author string, p []byte) error {
	m := r.maskOf(code)
	if m.waiting() > 0 && m.author != author {
		if err := r.flushOne(code, m); err != nil {
			return err
		}
	}
	m.author = author
	return r.record(code, m, p, false)
}

// record records what the mask releases.
func (r *Recorder) record(code byte, m *mask, p []byte, last bool) error {
	b, secrets := m.add(p, last)
	at := 0
	err := error(nil)
	for i := 0; i <= len(secrets) && err == nil; i++ {
		end := len(b)
		if i < len(secrets) {
			end = secrets[i].from
		}
		if err = r.plain(code, m.author, b[at:end]); err != nil || i == len(secrets) {
			break
		}
		at = secrets[i].to
		err = r.events.secret(code, m.author, b[end:at])
	}
	m.next(len(b))
	if err != nil {
		return err
	}
	return r.events.commit()
}

// plain records bytes without secrets, unless there are too many.
func (r *Recorder) plain(code byte, author string, p []byte) error {
	if code == CodeOutput || code == CodeStderr {
		room, err := r.over.admit(int64(len(p)))
		if err != nil {
			return err
		}
		if !room {
			return r.over.beyond(code, p)
		}
	}
	for len(p) > 0 {
		n := len(p)
		if n > maxChunk {
			n = maxChunk - unfinished(p[:maxChunk])
		}
		if err := r.events.chunk(code, author, p[:n]); err != nil {
			return err
		}
		if p = p[n:]; len(r.events.buf) >= maxBuffer {
			if err := r.events.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Recorder) maskOf(code byte) *mask {
	switch code {
	case CodeOutput:
		return &r.masks[0]
	case CodeStderr:
		return &r.masks[1]
	case CodeInput:
		return &r.masks[2]
	}
	return &r.masks[3]
}

func (r *Recorder) flushHeld() error {
	for _, code := range []byte{CodeOutput, CodeStderr, CodeInput, CodeStdin} {
		if err := r.flushOne(code, r.maskOf(code)); err != nil {
			return err
		}
	}
	return r.over.closeGap()
}

func (r *Recorder) flushOne(code byte, m *mask) error {
	if m.waiting() == 0 {
		return nil
	}
	return r.record(code, m, nil, true)
}
