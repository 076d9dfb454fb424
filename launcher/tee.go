package launcher

import (
	"bytes"
	"sync"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/session"
)

// A tee puts every byte that the session carries into the transcript before it is passed on.
type tee struct {
	to     *audit.Recorder
	hidden func() bool // the command reads something that it does not show
	secret func() bool // only the driver may know what is shown; nil for never
	meter  *meter      // nil where output has no limit
	modes  func() (session.LineModes, bool)
	last   session.LineModes // in the transcript; it begins with session.Cooked unwritten

	mu    sync.Mutex
	tails [3]tail // by stream; of a command that was handed over read while it prints
	cause error   // why recording broke off
	lost  []byte  // what was read and is not in the transcript
}

// eventCode is the code of the transcript for a stream: standard error through its own pipe is
// distinguished, everything else is output.
func eventCode(s session.Stream) byte {
	if s == session.Stderr {
		return audit.CodeStderr
	}
	return audit.CodeOutput
}

// Output records what the command printed.
func (t *tee) Output(stream session.Stream, p []byte) error {
	room := t.meter.take(len(p))
	if err := t.output(stream, p[:room]); err != nil || room == len(p) {
		return err
	}
	return session.Enough(room)
}

func (t *tee) output(stream session.Stream, p []byte) error {
	if t.secret != nil && t.secret() {
		err := t.to.Hidden(audit.CodeOutput, audit.AuthorProgram, p)
		if err != nil {
			t.breaks(err, p)
		}
		return err
	}
	if err := t.look(); err != nil {
		t.breaks(err, p)
		return err
	}
	t.mu.Lock()
	t.tails[stream].add(p)
	t.mu.Unlock()
	kept := t.to.Summary().Bytes
	err := t.to.Output(eventCode(stream), p)
	if err != nil {
		t.breaks(err, p[min(max(0, t.to.Summary().Bytes-kept), int64(len(p))):])
	}
	return err
}

// look records the mode in which the terminal takes keys if it has changed. It is called for each
// piece of output or input, because a mode in which nothing was shown or typed has changed nothing
// that anyone could see.
func (t *tee) look() error {
	if t.modes == nil {
		return nil
	}
	now, open := t.modes()
	if !open || now == t.last {
		return nil
	}
	t.last = now
	return t.to.Note(audit.CodeTerm, audit.AuthorProgram, now.String())
}

// breaks remembers the first failure, after which nothing more is read.
func (t *tee) breaks(cause error, lost []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cause == nil {
		t.cause, t.lost = cause, bytes.Clone(lost)
	}
}

// broken returns why recording broke off, nil when it did not, and what of the output is lost.
func (t *tee) broken() (lost []byte, cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost, t.cause
}

// Input records what was typed, and of a password only that there was one.
func (t *tee) Input(author string, p []byte) error {
	err := t.typed(author, p)
	if err != nil {
		t.breaks(err, nil) // the command does not get it
	}
	return err
}

func (t *tee) typed(author string, p []byte) error {
	if err := t.look(); err != nil {
		return err
	}
	if t.hidden != nil && t.hidden() || t.secret != nil && t.secret() {
		return t.to.Hidden(audit.CodeInput, author, p)
	}
	return t.to.Input(author, p)
}

// Resize records the terminal's new size.
func (t *tee) Resize(cols, rows int) error { return t.to.Resize(cols, rows) }

// complaints is the end of standard error, or of the one stream that both went to.
func (t *tee) complaints() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range []session.Stream{session.Stderr, session.Screen, session.Stdout} {
		if text := t.tails[s].text; len(text) > 0 {
			return bytes.Clone(text)
		}
	}
	return nil
}

// maxTail is how much of the last output is kept to explain a failure by.
const maxTail = 16 << 10

// A tail keeps the end of a stream.
type tail struct{ text []byte }

func (t *tail) add(p []byte) {
	if len(p) >= maxTail {
		t.text = append(t.text[:0], p[len(p)-maxTail:]...)
		return
	}
	if over := len(t.text) + len(p) - 2*maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[len(t.text)-maxTail:]...)
	}
	t.text = append(t.text, p...)
}
