package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/state"
)

// grep prints the lines of the sessions that contain the text, as a person saw them.
func (c *ctl) grep(ctx context.Context, l *launcher.Launcher, w *wanted, text string) error {
	ids, err := w.sessions(l)
	if err != nil {
		return err
	}
	since, until, err := w.span()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open, err := l.Browse()
	if err != nil {
		return err
	}
	for found := range search(ctx, open, ids, text) {
		for _, s := range <-found {
			if s.err != nil {
				return unproven(s.err)
			}
			r := launcher.Past{ID: s.id}
			if c.json || !since.IsZero() || !until.IsZero() {
				if r, err = l.Past(s.id); err != nil && !errors.Is(err, state.ErrNoSuch) {
					return err
				}
				if r.Began.Before(since) || !until.IsZero() && !r.Began.Before(until) {
					continue
				}
			}
			for _, line := range s.lines {
				if err := c.printLine(r, line.n, line.text); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
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

// A searched is a session in which something was found, or why it could not be searched.
type searched struct {
	id    string
	lines []numbered
	err   error
}

type numbered struct {
	n    int
	text string
}

// searchAtOnce is how many sessions are searched in one go.
const searchAtOnce = 64

// search searches sessions on all processors, and returns the results in their order.
func search(ctx context.Context, open opener, ids []string, text string) <-chan chan []searched {
	results := make(chan chan []searched, 2*runtime.GOMAXPROCS(0))
	go func() {
		defer close(results)
		for part := range slices.Chunk(ids, searchAtOnce) {
			found := make(chan []searched, 1)
			select {
			case results <- found:
			case <-ctx.Done():
				return
			}
			go func() {
				s := searcher{open: open, text: []byte(text), sieve: play.NewSieve(text)}
				found <- s.searchAll(ctx, part)
			}()
		}
	}()
	return results
}

// maxSieved is the longest transcript that is read into memory to find out whether it is worth
// drawing.
const maxSieved = 4 << 20

// A searcher searches one session after the other.
type searcher struct {
	open  opener
	text  []byte
	sieve *play.Sieve
	raw   bytes.Buffer
}

// An opener opens the transcript of a session.
type opener func(id string) (io.ReadSeekCloser, error)

func (w *searcher) searchAll(ctx context.Context, ids []string) (list []searched) {
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		s := searched{id: id}
		if s.err = w.search(ctx, &s); s.lines != nil || s.err != nil {
			list = append(list, s)
		}
	}
	return list
}

func (w *searcher) search(ctx context.Context, s *searched) error {
	f, err := w.open(s.id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was refused, or dropped
	}
	if err != nil {
		return err
	}
	defer f.Close()
	w.raw.Reset()
	if _, err := io.Copy(&w.raw, io.LimitReader(f, maxSieved)); err != nil {
		return err
	}
	if w.raw.Len() < maxSieved && !w.sieve.MayShow(w.raw.Bytes()) {
		return nil
	}
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	g := finder{text: w.text, found: func(n int, line string) error {
		s.lines = append(s.lines, numbered{n, line})
		return nil
	}}
	err = play.Text(ctx, &g, f, play.TextOptions{})
	var bad *audit.BadEntry
	if errors.As(err, &bad) && bad.Torn {
		err = nil // it still runs, or its recorder died
	}
	return errors.Join(err, g.line())
}

func (c *ctl) printLine(r launcher.Past, n int, line string) error {
	return c.say(map[string]any{"id": r.ID, "began": r.Began.Format(time.RFC3339Nano),
		"line": n, "text": line}, "%s:%d:%s\n", r.ID, n, line)
}

// A finder receives a text, and reports the lines that contain another.
type finder struct {
	text  []byte
	found func(n int, line string) error
	rest  []byte
	n     int
}

func (g *finder) Write(p []byte) (int, error) {
	g.rest = append(g.rest, p...)
	for {
		i := bytes.IndexByte(g.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := g.rest[:i]
		g.rest = g.rest[i+1:]
		if err := g.look(line); err != nil {
			return 0, err
		}
	}
}

// line examines what came after the last end of a line.
func (g *finder) line() error {
	if len(g.rest) == 0 {
		return nil
	}
	return g.look(g.rest)
}

func (g *finder) look(line []byte) error {
	g.n++
	if !bytes.Contains(line, g.text) {
		return nil
	}
	return g.found(g.n, string(line))
}
