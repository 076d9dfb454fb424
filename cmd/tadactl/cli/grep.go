package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/archive"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/state"
)

// grep prints the lines of the sessions that contain the text, as a person saw them. A session
// that cannot be read is named, and the others are searched.
func (c *ctl) grep(ctx context.Context, l *launcher.Launcher, w *wanted, text string) error {
	ids, err := w.sessions(l)
	u := unread{out: c.err}
	if err = u.add("", err); err != nil {
		return err
	}
	c.sayUnknown(&w.touched)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open, err := l.Browse()
	if err != nil {
		return err
	}
	var r past.Run
	for found := range search(ctx, open, ids, text) {
		for s := range found {
			if ctx.Err() != nil {
				break
			}
			if err := u.add(s.id, s.err); err != nil {
				return err
			}
			if err := c.printFound(l, w, &r, s); err != nil {
				return err
			}
		}
	}
	return cmp.Or(ctx.Err(), u.failed())
}

// printFound prints what was found in a session, if the session began when it is wanted. r is the
// run that was looked up last.
func (c *ctl) printFound(l *launcher.Launcher, w *wanted, r *past.Run, s searched) error {
	since, until, err := w.span()
	if err != nil {
		return err
	}
	timed := !since.IsZero() || !until.IsZero()
	if known := r.ID == s.id; !known && len(s.lines) > 0 && (c.json || timed) {
		if *r, err = l.Past(s.id); err != nil && !errors.Is(err, state.ErrNoSuch) {
			return err
		}
	}
	r.ID = s.id
	if timed && (r.Began.Before(since) || !until.IsZero() && !r.Began.Before(until)) {
		return nil
	}
	for _, line := range s.lines {
		if err := c.printLine(*r, line.n, line.text); err != nil {
			return err
		}
	}
	return nil
}

// An unread is what could not be searched.
type unread struct {
	out      io.Writer
	named    map[string]bool
	tampered bool
}

// add names what could not be searched, once. Other errors than of sessions are returned.
func (u *unread) add(id string, err error) error {
	if err == nil {
		return nil
	}
	said := fmt.Sprintf("session %q: %v", id, err)
	bad, known := errors.AsType[*audit.BadEntry](err)
	switch damaged, in := errors.AsType[*archive.DamagedError](err); {
	case in:
		said = damaged.Error()
	case id == "":
		return err
	case known && !bad.Torn:
		said, u.tampered = err.Error(), true
	}
	if !u.named[said] {
		fmt.Fprintf(u.out, "tadactl: not searched: %s\n", said)
	}
	if u.named == nil {
		u.named = map[string]bool{}
	}
	u.named[said] = true
	return nil
}

// failed is the error at the end.
func (u *unread) failed() error {
	status := 1
	if u.tampered {
		status = exit.Tampered
	}
	if len(u.named) == 0 {
		return nil
	}
	return failf(status, "%s of the record could not be searched; try: tadactl audit verify --full",
		audit.Plural(len(u.named), "file"))
}

// sessions are the ids of the sessions that may be selected, in order.
func (w *wanted) sessions(l *launcher.Launcher) (ids []string, err error) {
	if w.any() {
		runs, err := w.runs(l)
		for _, r := range runs {
			ids = append(ids, r.ID)
		}
		return ids, err
	}
	since, until, err := w.span()
	if err != nil {
		return nil, err
	}
	// an id is older than its run's beginning by the time that a question waited
	const longest = 2 * time.Hour
	ids, err = l.Sessions()
	return slices.DeleteFunc(ids, func(id string) bool {
		at := state.TimeOf(id)
		return at.Before(since.Add(-longest)) || !until.IsZero() && at.After(until)
	}), err
}

// A searched is a session in which something was found, or why it could not be searched. What was
// found comes in several of them if it is much.
type searched struct {
	id    string
	lines []numbered
	err   error
}

// muchFound is how many bytes of lines one searched has.
const muchFound = 64 << 10

type numbered struct {
	n    int
	text string
}

// searchAtOnce is how many sessions are searched in one go.
const searchAtOnce = 64

// search searches sessions on all processors, and returns the results in their order. What was
// found waits until it is read.
func search(ctx context.Context, open opener, ids []string, text string) <-chan chan searched {
	results := make(chan chan searched, 2*runtime.GOMAXPROCS(0))
	go func() {
		defer close(results)
		for part := range slices.Chunk(ids, searchAtOnce) {
			found := make(chan searched, 4)
			select {
			case results <- found:
			case <-ctx.Done():
				return
			}
			go func() {
				defer close(found)
				s := searcher{open: open, text: []byte(text), sieve: play.NewSieve(text),
					found: found}
				for _, id := range part {
					s.search(ctx, id)
				}
			}()
		}
	}()
	return results
}

// An opener opens the transcript of a session.
type opener func(id string) (io.ReadSeekCloser, error)

// A searcher searches one session after the other.
type searcher struct {
	open  opener
	text  []byte
	sieve *play.Sieve
	found chan<- searched
	raw   bytes.Buffer
}

// search searches one session.
func (w *searcher) search(ctx context.Context, id string) {
	var lines []numbered
	size := 0
	send := func(err error) error {
		if lines == nil && err == nil {
			return nil
		}
		select {
		case w.found <- searched{id, lines, err}:
		case <-ctx.Done():
			return ctx.Err()
		}
		lines, size = nil, 0
		return nil
	}
	err := w.lookThrough(ctx, id, func(n int, line string) error {
		lines = append(lines, numbered{n, line})
		if size += len(line); size < muchFound {
			return nil
		}
		return send(nil)
	})
	if err != nil {
		lines = nil // of a session that does not verify, what comes last is not shown
	}
	_ = send(err) // nobody reads any more
}

// maxSieved is the longest transcript that is read into memory to find out whether it is worth
// drawing.
const maxSieved = 4 << 20

// lookThrough calls found with the lines of a session that contain the text. A session without a
// transcript was refused, or dropped, and has none.
func (w *searcher) lookThrough(ctx context.Context, id string,
	found func(n int, line string) error) error {
	f, err := w.open(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := ctx.Err(); err != nil {
		return err
	}
	w.raw.Reset()
	if _, err := io.Copy(&w.raw, io.LimitReader(f, maxSieved)); err != nil {
		return err
	}
	if w.raw.Len() < maxSieved && !w.sieve.MayShow(w.raw.Bytes()) {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	g := finder{text: w.text, found: found}
	err = play.Text(ctx, &g, f, play.TextOptions{})
	if bad, ok := errors.AsType[*audit.BadEntry](err); ok && bad.Torn {
		err = nil // it still runs, or its recorder died
	}
	return errors.Join(err, g.line())
}

func (c *ctl) printLine(r past.Run, n int, line string) error {
	if !c.json && !notice.UTF8() && c.onTerminal() {
		line = ascii(line)
	}
	return c.say(map[string]any{"id": r.ID, "began": r.Began.Format(time.RFC3339Nano),
		"line": n, "text": line}, "%s:%d:%s\n", r.ID, n, line)
}

// ascii writes what a terminal without UTF-8 would show as other characters.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}
