package quarantine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A Reviewer is a program that reviews files inside a sandbox.
type Reviewer struct {
	Argv      []string // the program by its path, and its arguments
	Name      string   // its argument 0; "" is its path
	Env       []string // NAME=value; nothing else of the caller's environment is passed on
	Runtime   []string // folders that the program reads to run: its libraries and scripts
	Endpoints []string // HOST or HOST:PORT of the model; without any, no network at all
	Grace     time.Duration
	Level     sandbox.Level // the least level; None counts as Base

	most sandbox.Level // of tests
}

// DefaultGrace is the time between SIGTERM and SIGKILL.
const DefaultGrace = 5 * time.Second

// A Review is the result of a review.
type Review struct {
	Session  string
	Response Response        // only when Err is nil
	Err      error           // *ResponseError, ErrTimeout, or that the program could not be started
	Status   sandbox.Status  // of the program
	Receipt  sandbox.Receipt // of its sandbox
	Silenced int64           // bytes on standard error, which are not shown
	// its last lines, made inert, of a program that ended before it read the prompt
	Failure []string
}

// Channel is the descriptor on which a reviewer calls tools; see [Session.Converse].
const Channel = 3

// Review runs a program as a quarantined agent over files below a root. It confines the program in
// a sandbox of its own, whatever hooks its platform has. The program may read what it needs to run
// and the files that it is referred to, whose descriptors are opened here; it can write nothing,
// reach nothing but named endpoints, and execute no other program. Its output is checked against
// the schema, and returned as a [Response] or not at all.
//
// The order matters. The sandbox is set up before there is a key, because the processes that set it
// up share this process's memory. The memory is closed ([Harden]) before the key is made, and only
// then does the program get its prompt.
func (all *Sessions) Review(ctx context.Context, o Options, files []string, r Reviewer, log *Log,
	slots *Slots) Review {
	o = o.filled()
	o.OnlyReferred = true
	c, err := r.stage(o, files)
	if err != nil {
		return Review{Err: err}
	}
	defer c.close()
	began := time.Now()
	process, receipt, err := sandbox.Start(c.profile, c.command)
	c.away()
	if err != nil {
		return Review{Err: fmt.Errorf("start the reviewer: %w", err)}
	}
	out := Review{Receipt: receipt}
	s, err := all.reviewed(o, slots)
	if err != nil {
		process.Kill()
		_, _ = process.Wait()
		out.Err = err
		return out
	}
	defer func() { _ = all.Destroy(s.ID) }()
	out.Session = s.ID
	var timedOut bool
	out.Err = s.instruct(c, files, log)
	if out.Err != nil {
		process.Kill()
	}
	answer := c.listen(process)
	stop := context.AfterFunc(ctx, process.Kill)
	out.Status, err = process.Wait()
	stop()
	timedOut = out.Status.Exceeded == sandbox.LimitWall || time.Since(began) >= o.Timeout
	text, tooLong := answer()
	out.Silenced = c.silenced
	if out.Err == nil {
		out.Err = err
	}
	if out.Err == nil {
		out.Response, out.Err = s.conclude(text, tooLong, timedOut, out.Status, log)
	}
	if out.Err != nil && len(text) == 0 && c.unread() {
		out.Failure = s.failure(c.last)
	}
	return out
}

// reviewed makes the session of a review, with its one agent.
func (all *Sessions) reviewed(o Options, slots *Slots) (*Session, error) {
	if err := Harden(); err != nil {
		return nil, err
	}
	s, err := all.Create(o)
	if err != nil {
		return nil, err
	}
	if _, err := s.Register(s.ID, slots); err != nil {
		_ = all.Destroy(s.ID)
		return nil, err
	}
	return s, nil
}

// instruct writes the prompts to the program: references, and no byte of any file.
func (s *Session) instruct(c *cell, files []string, log *Log) error {
	references := make([]Reference, len(files))
	for i, name := range files {
		var err error
		if references[i], err = s.Refer(name, false); err != nil {
			return err
		}
	}
	prompt := s.Prompt() + "\n" + BuildUserContentPrompt(references)
	c.told = len(prompt)
	go func() {
		_, _ = io.WriteString(c.in, prompt) // a program may not read it
		c.in.Close()
	}()
	go s.Converse(c.channel, s.ID, log)
	return nil
}

// conclude turns the output into an answer.
func (s *Session) conclude(text []byte, tooLong, timedOut bool, status sandbox.Status,
	log *Log) (Response, error) {
	event := Event{Time: s.o.Now(), Type: EventResponseInvalid, Session: s.ID, Agent: s.ID}
	response, err := s.ParseResponse(text)
	switch {
	case tooLong:
		err = invalid("it has more than %d bytes", MaxResponse)
	case err == nil && status.Shell() != 0 && !timedOut:
		err = invalid("the reviewer failed with status %d", status.Shell())
	}
	if timedOut {
		event.Type = EventTimeout
		if err == nil { // whole, and not the last word
			response.Status = "partial"
		} else {
			err = fmt.Errorf("%w after %v: %w", ErrTimeout, s.o.Timeout, err)
		}
	}
	if err != nil || timedOut {
		event.Reason = "partial"
		if err != nil {
			event.Reason = err.Error()
		}
		if logErr := log.Add(event); logErr != nil {
			err = errors.Join(err, logErr)
		}
	}
	if err != nil {
		return Response{}, err
	}
	return response, nil
}

// failure makes the end of standard error safe to show, like the texts of an answer: the program's
// arguments may have given it a reviewed file.
func (s *Session) failure(text []byte) []string {
	q := newQuotes()
	q.add(string(text))
	if !s.compare(q) {
		return nil
	}
	whole, _ := q.cut(string(text))
	whole, _ = audit.HideSecrets(whole)
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(whole, "?")), "\n")
	lines = lines[max(0, len(lines)-3):]
	for i := range lines {
		lines[i], _ = neutral(lines[i], 300)
	}
	return lines
}

// A cell is both ends of the reviewer's connections.
type cell struct {
	profile  sandbox.Profile
	command  sandbox.Command
	in       *os.File // the prompt goes here
	out, err *os.File
	channel  *os.File
	theirs   []*os.File
	ours     []*os.File
	silenced int64
	told     int      // bytes of the prompt
	last     []byte   // of standard error
	rest     *os.File // the prompt's pipe, to see afterwards whether the program read it
}

// unread reports whether the program read nothing of its prompt. It is called after the program has
// ended.
func (c *cell) unread() bool {
	left, err := io.ReadAll(c.rest)
	return err == nil && len(left) == c.told
}

// end keeps the last bytes that are written to it.
type end struct{ c *cell }

const endSize = 2 << 10

func (e end) Write(p []byte) (int, error) {
	e.c.last = append(e.c.last, p...)
	e.c.last = append([]byte(nil), e.c.last[max(0, len(e.c.last)-endSize):]...)
	return len(p), nil
}

// connect makes the descriptors of the program.
func (c *cell) connect() error {
	top, err := os.Open("/") // its working directory: no user's folder
	if err != nil {
		return err
	}
	c.ours, c.command.Dir = append(c.ours, top), top
	// no child that is started in the meantime inherits them; other systems have no flag for that
	syscall.ForkLock.RLock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(pair[0])
		syscall.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return fmt.Errorf("channel of the reviewer: %w", err)
	}
	c.channel = os.NewFile(uintptr(pair[0]), "channel")
	c.ours = append(c.ours, c.channel)
	ends := [4]*os.File{Channel: os.NewFile(uintptr(pair[1]), "channel")}
	for i, ours := range []**os.File{&c.in, &c.out, &c.err} {
		r, w, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("pipes of the reviewer: %w", err)
		}
		if i == 0 {
			if c.rest, err = duplicate(r); err != nil {
				return fmt.Errorf("pipes of the reviewer: %w", err)
			}
			c.ours = append(c.ours, c.rest)
		}
		if ends[i], *ours = r, w; i > 0 {
			ends[i], *ours = w, r
		}
		c.ours = append(c.ours, *ours)
	}
	c.theirs = append(c.theirs, ends[:]...)
	c.command.Files = ends[:]
	return nil
}

// duplicate returns another descriptor of f.
func duplicate(f *os.File) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "prompt"), nil
}

// away closes the descriptors that the program has, so that its end is seen.
func (c *cell) away() {
	for _, f := range c.theirs {
		if f != nil {
			f.Close()
		}
	}
	c.theirs = nil
}

func (c *cell) close() {
	c.away()
	for _, f := range c.ours {
		f.Close()
	}
}

// listen reads what the program prints. Output longer than a response may be ends the program.
func (c *cell) listen(process *sandbox.Process) func() (text []byte, tooLong bool) {
	type heard struct {
		text    []byte
		tooLong bool
	}
	answer := make(chan heard, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(c.out, MaxResponse+1))
		h := heard{text, len(text) > MaxResponse}
		if h.tooLong {
			process.Kill()
		}
		answer <- h
	}()
	quiet := make(chan struct{})
	go func() {
		defer close(quiet)
		c.silenced, _ = io.Copy(end{c}, c.err)
	}()
	return func() ([]byte, bool) {
		h := <-answer
		<-quiet
		return h.text, h.tooLong
	}
}
