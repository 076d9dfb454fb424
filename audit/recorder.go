package audit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"
)

// A Summary stands for a transcript: what the log remembers of it.
type Summary struct {
	Head     Hash          // of the chain
	Bytes    int64         // of all streams together, as they were, redacted ones included
	Count    int64         // events
	Duration time.Duration // time of the last event
	Redacted []int64       // numbers of the events whose data was removed
}

// RecordOptions are what a Recorder needs from outside.
type RecordOptions struct {
	Now  func() time.Duration // monotonic, from any origin; required
	Rand io.Reader            // salts; required
	// Checkpoint, when set, is called with the state of the transcript every
	// 1 MiB and at the first event after 5 s, so that the log vouches for a
	// session that never closes. Its error is returned by the call that
	// recorded the event. It must not call the Recorder.
	Checkpoint func(Summary) error
	// KeepSecrets stores credentials of a known shape (FindSecrets) like
	// everything else. Without it they are hidden as passwords are.
	KeepSecrets bool
	// MaxBytes is how many bytes of output are kept; 0 means DefaultMaxBytes.
	// What comes beyond is counted and hashed (CodeGap), but for its end.
	MaxBytes int64
	// Rate is how many bytes of output are kept a second, once 16 times as many were kept; 0 means
	// all. What is faster is treated as what is too much, until a second's worth may be kept again.
	Rate int64
}

// DefaultMaxBytes is what one session may store of its output: a person reads
// less, and "yes" fills it in a second.
const DefaultMaxBytes = 256 << 20

const (
	ckptBytes = 1 << 20
	ckptEvery = 5 * time.Second
)

// maxBuffer is how much is written at once: what a relay reads at most, with
// its line ends escaped. The kernel keeps one large write in larger pieces.
const maxBuffer = 128 << 10

// A Recorder writes the transcript of one session. Every method returns when
// the kernel has the event (it survives the death of this process), and only
// then may the bytes be passed on: whatever was shown or typed is in the
// record. Only the end of a call's bytes may wait for the next: up to three
// bytes of an unfinished UTF-8 character, and up to 4 KiB behind what a
// credential begins with (ghp_, AKIA, user: in a URL), until it is known
// whether it is one.
//
// A credential is hidden (CodeHidden), and as many asterisks shown in its
// place. So is what is typed behind a prompt for a password, and its echo.
//
// After an error the record is incomplete and the session must not go on.
// What is left of a half-written event is written first by the next call, so
// that a Gap and an Exit can follow when there is space again.
// Methods may be called from several goroutines.
type Recorder struct {
	mu    sync.Mutex
	f     *os.File
	opts  RecordOptions
	start time.Duration

	sum    Summary
	lastUS int64
	masks  [4]mask // of o, e, i, n
	prompt prompt
	over   overflow

	ckptBytes int64
	ckptUS    int64

	buf    []byte
	failed bool // buf holds the rest of a write that failed
	salts  []byte
	mac    keyed
}

// Create makes a new transcript; a file that is there already is never
// touched (fs.ErrExist). A header of more than 200 kB is refused (ErrTooLong):
// no reader would take it.
func Create(path string, h Header, o RecordOptions) (*Recorder, error) {
	if o.Now == nil || o.Rand == nil {
		return nil, errors.New("create transcript: no clock or no randomness given")
	}
	line := h.line()
	if len(line) >= maxEventLine {
		return nil, fmt.Errorf("create transcript: header: %w: %s, at most %d", ErrTooLong, Plural(len(line), "byte"), maxEventLine-1)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create transcript: %w", err)
	}
	markWriting(f)
	r := &Recorder{f: f, opts: o, start: o.Now()}
	for i := range r.masks {
		r.masks[i].off = o.KeepSecrets
	}
	if r.opts.MaxBytes == 0 {
		r.opts.MaxBytes = DefaultMaxBytes
	}
	r.over.room = r.opts.Rate * burst
	r.sum.Head = sha256.Sum256(line)
	r.buf = append(append(r.buf, line...), '\n')
	if err := r.flush(); err != nil {
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
			if err := r.secret(code, AuthorProgram, p[:n]); err != nil {
				return err
			}
			p = p[n:]
		}
		r.prompt.shown(p)
	}
	return r.stream(code, AuthorProgram, p)
}

// Input records what is about to be given to the program's terminal. Behind a
// prompt for a password, up to the end of the line, it is hidden: programs
// that ask without turning the echo off do so in front of the recorder too.
func (r *Recorder) Input(author string, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.prompt.typed(p); n > 0 {
		if err := r.hidden(CodeInput, author, p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return r.stream(CodeInput, author, p)
}

// Stdin records what came through the stdin pipe.
func (r *Recorder) Stdin(author string, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream(CodeStdin, author, p)
}

// Hidden records that bytes of a stream passed which are not kept, because
// they are a password: their number, and a commitment whose salt nobody has.
func (r *Recorder) Hidden(code byte, author string, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hidden(code, author, p)
}

func (r *Recorder) hidden(code byte, author string, p []byte) error {
	salt, err := r.salt()
	if err != nil {
		return err
	}
	c := r.mac.sum(salt, p)
	return r.note(CodeHidden, author, int64(len(p)), fmt.Appendf(nil, "%c %s", code, c))
}

// secret hides bytes that players would have shown, and lets them show
// asterisks: behind a hidden event, as behind a b event, the stream's own
// event with LEN 0 is what a player can show of it.
func (r *Recorder) secret(code byte, author string, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), maxChunk)
		if err := r.hidden(code, author, p[:n]); err != nil {
			return err
		}
		if err := r.add(code, author, 0, stars(p[:n])); err != nil {
			return err
		}
		p = p[n:]
	}
	return r.commit()
}

// stars is p with an asterisk for every byte that is shown; ends of lines
// stay, so that a screen keeps its layout.
func stars(p []byte) []byte {
	out := bytes.Clone(p)
	for i, c := range out {
		if c != '\n' && c != '\r' {
			out[i] = '*'
		}
	}
	return out
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
	return r.gap(n, sum)
}

func (r *Recorder) gap(n int64, sum Hash) error {
	return r.note(CodeGap, AuthorTada, n, fmt.Appendf(nil, "%d %s", n, sum))
}

// Exit records the exit status as a shell would give it.
func (r *Recorder) Exit(status string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.flushHeld(); err != nil {
		return err
	}
	return r.note(CodeExit, AuthorTada, 0, []byte(status))
}

// Note records an event that carries no bytes of a stream, of at most 32 KiB
// (ErrTooLong).
func (r *Recorder) Note(code byte, author, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.note(code, author, 0, []byte(text))
}

func (r *Recorder) note(code byte, author string, length int64, text []byte) error {
	if len(text) > maxChunk {
		return fmt.Errorf("recording %q: %w: %s, at most %d", code, ErrTooLong, Plural(len(text), "byte"), maxChunk)
	}
	if err := r.add(code, author, length, bytes.ToValidUTF8(text, []byte("\ufffd"))); err != nil {
		return err
	}
	return r.commit()
}

// Summary returns the state of the transcript so far.
func (r *Recorder) Summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sum
}

// Sync stores the transcript on disk.
func (r *Recorder) Sync() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.f.Sync()
}

// Close writes what is held and closes the file, without waiting for the
// disk. The Summary is what the log has to remember.
func (r *Recorder) Close() (Summary, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.flushHeld()
	if err == nil {
		err = r.flush()
	}
	return r.sum, errors.Join(err, r.f.Close())
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

// record records what the mask lets go of.
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
		err = r.secret(code, m.author, b[end:at])
	}
	m.next(len(b))
	if err != nil {
		return err
	}
	return r.commit()
}

// plain records bytes that hide nothing, unless there are too many.
func (r *Recorder) plain(code byte, author string, p []byte) error {
	if code == CodeOutput || code == CodeStderr {
		room, err := r.admit(int64(len(p)))
		if err != nil {
			return err
		}
		if !room {
			return r.beyond(code, p)
		}
	}
	for len(p) > 0 {
		n := len(p)
		if n > maxChunk {
			n = maxChunk - unfinished(p[:maxChunk])
		}
		if err := r.chunk(code, author, p[:n]); err != nil {
			return err
		}
		if p = p[n:]; len(r.buf) >= maxBuffer {
			if err := r.flush(); err != nil {
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

// unfinished returns how many bytes at the end of p begin a character that
// is not complete yet.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func (r *Recorder) flushHeld() error {
	for _, code := range []byte{CodeOutput, CodeStderr, CodeInput, CodeStdin} {
		if err := r.flushOne(code, r.maskOf(code)); err != nil {
			return err
		}
	}
	return r.closeGap()
}

func (r *Recorder) flushOne(code byte, m *mask) error {
	if m.waiting() == 0 {
		return nil
	}
	return r.record(code, m, nil, true)
}

// chunk adds the event for some bytes of a stream. Bytes that are not UTF-8
// have no spelling in JSON: a b event then holds them exactly, and the
// stream's own event, with length 0, what a player can show of them.
func (r *Recorder) chunk(code byte, author string, p []byte) error {
	if utf8.Valid(p) {
		return r.add(code, author, int64(len(p)), p)
	}
	if err := r.add(CodeBytes, author, int64(len(p)), exactBytes(code, p)); err != nil {
		return err
	}
	return r.add(code, author, 0, p)
}

// add puts one event and its #t line into the buffer. Behind the rest of a
// failed write nothing is taken in: a disk that stays full must not fill the
// memory too.
func (r *Recorder) add(code byte, author string, length int64, data []byte) error {
	if r.failed {
		if err := r.flush(); err != nil {
			return err
		}
	}
	salt, err := r.salt()
	if err != nil {
		return err
	}
	us := max((r.opts.Now() - r.start).Microseconds(), r.lastUS)
	from := len(r.buf)
	r.buf = appendEvent(r.buf, us-r.lastUS, code, data)
	l := link{seq: r.sum.Count, us: us, code: code, author: authorWord(author), length: length, salt: [16]byte(salt)}
	l.commit = r.mac.sum(salt, r.buf[from:])
	l.chain = l.next(r.sum.Head)

	r.buf = append(l.appendLine(append(r.buf, '\n')), '\n')
	r.lastUS = us
	r.sum.Head, r.sum.Duration = l.chain, time.Duration(us)*time.Microsecond
	r.sum.Count++
	r.sum.Bytes += length
	return nil
}

// commit hands the buffered events to the kernel, and the log its checkpoint
// when one is due.
func (r *Recorder) commit() error {
	if err := r.flush(); err != nil {
		return err
	}
	due := r.sum.Bytes-r.ckptBytes >= ckptBytes || r.lastUS-r.ckptUS >= ckptEvery.Microseconds()
	if !due || r.opts.Checkpoint == nil {
		return nil
	}
	r.ckptBytes, r.ckptUS = r.sum.Bytes, r.lastUS
	if err := r.opts.Checkpoint(r.sum); err != nil {
		return fmt.Errorf("checkpoint of the transcript: %w", err)
	}
	return nil
}

// flush writes the buffer. What does not fit stays for the next call: cutting
// off half an event would be the one thing a record must never do.
func (r *Recorder) flush() error {
	if len(r.buf) == 0 {
		return nil
	}
	n, err := r.f.Write(r.buf)
	r.buf = r.buf[:copy(r.buf, r.buf[n:])]
	r.failed = err != nil
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// saltBatch is how much randomness is asked for at once.
const saltBatch = 2048

func (r *Recorder) salt() ([]byte, error) {
	if len(r.salts) == 0 {
		b := make([]byte, saltBatch)
		if _, err := io.ReadFull(r.opts.Rand, b); err != nil {
			return nil, fmt.Errorf("recording: no randomness: %w", err)
		}
		r.salts = b
	}
	s := r.salts[:16]
	r.salts = r.salts[16:]
	return s, nil
}
