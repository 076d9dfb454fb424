package console

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/state"
)

// Limits of the input. A form has a message to the agent and a few short fields.
const (
	maxForm    = 16 << 10
	maxHeaders = 16 << 10
)

// A Server serves the inbox of one launcher.
type Server struct {
	inbox  *launcher.Launcher
	token  string
	random io.Reader
	now    func() time.Time
	say    func(string) // prints one line for the person at the terminal
	pages  http.Handler

	door
	traffic

	mu    sync.Mutex
	codes map[string]*code
	shown map[string]time.Time // when the page of a question was first served
}

// A door is where browsers come in.
type door struct {
	listener net.Listener
	base     string // scheme://host, as browsers call it
	lift     func() // the bar
}

// traffic is what keeps browsers up to date, and their attempts few.
type traffic struct {
	live     stream
	tries    tries
	drawings drawings
}

// Listen opens a port and closes it to sandboxes. It passes what the person has to know to say,
// line by line. Only a process that may decide may listen: otherwise the error is that of
// [launcher.Launcher.May].
func Listen(l *launcher.Launcher, a Address, random io.Reader, now func() time.Time,
	say func(string)) (*Server, error) {
	if _, err := l.May(approval.ApproveLow, approval.ChannelWeb); err != nil {
		return nil, err
	}
	var token [32]byte
	if _, err := io.ReadFull(random, token[:]); err != nil {
		return nil, fmt.Errorf("create the page address: %w", err)
	}
	listener, base, err := a.bind(now)
	if err != nil {
		return nil, err
	}
	lift, err := l.Home().Bar(uint16(listener.Addr().(*net.TCPAddr).Port))
	if err != nil {
		listener.Close()
		return nil, err
	}
	s := &Server{
		inbox: l, token: hex.EncodeToString(token[:]), random: random, now: now, say: queued(say),
		door: door{listener, base, lift}, codes: map[string]*code{}, shown: map[string]time.Time{},
		traffic: traffic{live: stream{open: make(chan struct{}, mostStreams)}},
	}
	s.pages = s.routes()
	return s, nil
}

// root is the address of the first page, as a path.
func (s *Server) root() string { return "/" + s.token + "/" }

// URL returns the address of the page.
func (s *Server) URL() string { return s.base + s.root() }

// Serve answers until ctx ends, and announces each new question on the terminal.
func (s *Server) Serve(ctx context.Context) error {
	defer s.lift()
	forget, err := s.register()
	if err != nil {
		s.listener.Close()
		return err
	}
	defer forget()
	changes, err := s.inbox.Changes(ctx)
	if err != nil {
		s.listener.Close()
		return err
	}
	server := &http.Server{
		Handler: s, ReadTimeout: timeout, ReadHeaderTimeout: timeout,
		WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: maxHeaders,
		BaseContext: func(net.Listener) context.Context { return ctx },
		// whoever can connect could fill the terminal with it
		ErrorLog: log.New(io.Discard, "", 0), DisableGeneralOptionsHandler: true,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(s.listener) }()
	go s.live.watch(ctx, s.recorded)
	go func() {
		for range changes {
			if err := s.announce(ctx); err != nil && ctx.Err() == nil {
				s.say("the questions cannot be read now: " + err.Error())
			}
			s.live.changed.beat()
		}
	}()
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	return errors.Join(err, server.Close())
}

// register leaves the address where tadactl key pair looks for it, as long as the console runs.
func (s *Server) register() (forget func(), err error) {
	path, text := s.inbox.Home().Console(), []byte(s.URL()+"\n")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	forget = func() {
		if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, text) {
			_ = os.Remove(path)
		}
	}
	return forget, state.Replace(path, text)
}

// recorded is another text when the record has grown: the anchor is written with every entry, and
// the transcript of a run that goes on with its output.
func (s *Server) recorded() (text string) {
	home := s.inbox.Home()
	paths := []string{filepath.Join(home.Audit(), "anchor.json")}
	running, _ := audit.RunningIDs(home.Audit())
	for _, id := range running {
		paths = append(paths, home.Cast(id))
	}
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil {
			text += fmt.Sprintf("%d %d\n", info.ModTime().UnixNano(), info.Size())
		}
	}
	return text
}

// announce gives each new question a code, and prints it.
func (s *Server) announce(ctx context.Context) error {
	list, err := s.open(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	isOpen := map[string]bool{}
	for _, e := range list {
		isOpen[e.ID] = true
	}
	closed := func(id string) bool { return !isOpen[id] }
	maps.DeleteFunc(s.codes, func(id string, _ *code) bool { return closed(id) })
	maps.DeleteFunc(s.shown, func(id string, _ time.Time) bool { return closed(id) })
	for _, e := range list {
		wrong := 0
		if c := s.codes[e.ID]; c != nil {
			if wrong = c.wrong; c.plan == e.PlanHash {
				continue
			}
		}
		var b [5]byte
		if _, err := io.ReadFull(s.random, b[:]); err != nil {
			return fmt.Errorf("create a code: %w", err)
		}
		c := &code{text: codeAlphabet.EncodeToString(b[:])[:codeLength], plan: e.PlanHash,
			wrong: wrong}
		s.codes[e.ID] = c
		s.say(fmt.Sprintf("%s  R%d  code %s  plan %s", e.ID, e.Risk, c.text,
			plan.Prefix(e.PlanHash)))
	}
	return nil
}

// open returns the questions that wait for an answer, with their payloads, the most dangerous first
// and near-identical ones together.
func (s *Server) open(ctx context.Context) ([]approval.Envelope, error) {
	list, err := s.inbox.Pending(ctx)
	if err != nil {
		return nil, err
	}
	var full []approval.Envelope
	for _, e := range approval.Grouped(list) {
		if e.Decision != nil {
			continue
		}
		if e, err := s.inbox.Envelope(ctx, e.ID); err == nil {
			full = append(full, e)
		}
	}
	return full, nil
}

// envelope returns the open question with exactly this id.
func (s *Server) envelope(ctx context.Context, id string) (approval.Envelope, error) {
	list, err := s.open(ctx)
	if err != nil {
		return approval.Envelope{}, err
	}
	for _, e := range list {
		if e.ID == id {
			return e, nil
		}
	}
	return approval.Envelope{}, fmt.Errorf("question %q: it was answered elsewhere or has expired",
		id)
}
