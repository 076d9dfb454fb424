package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/distant"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/push"
	"github.com/tada-run/tada-run/launcher/state"
)

// Listen opens a port and closes it to sandboxes. It passes what the person has to know to say,
// line by line. Only a process that may decide may listen: otherwise the error is that of
// [launcher.Launcher.May].
func Listen(l *launcher.Launcher, a Address, random io.Reader, now func() time.Time,
	say func(string)) (*Server, error) {
	if _, err := l.May(approval.ApproveLow, approval.ChannelWeb); err != nil {
		return nil, err
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
		inbox: l, random: random, now: now, say: queued(say),
		door: door{listener, base, lift}, codes: map[string]*code{}, shown: map[string]time.Time{},
		traffic: traffic{live: stream{open: make(chan struct{}, mostStreams)},
			others: others{fleet: distant.Of(l.Home())}},
	}
	s.sender = push.NewSender(s.book(), s.say)
	s.questions = questions{read: l.Pending, full: l.Envelope, row: s.row, now: now}
	s.pages, s.public = s.inside(), s.outside()
	_, err = io.ReadFull(random, s.tickets.key[:])
	if err = errors.Join(err, s.link.renew(random)); err != nil {
		lift()
		listener.Close()
		return nil, err
	}
	return s, nil
}

// Serve answers until ctx ends, and announces each new question on the terminal.
func (s *Server) Serve(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
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
		ConnContext: withConnection,
		// whoever can connect could fill the terminal with it
		ErrorLog: log.New(io.Discard, "", 0), DisableGeneralOptionsHandler: true,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(s.listener) }()
	var beside sync.WaitGroup
	beside.Go(func() { s.live.watch(ctx, s.recorded) })
	beside.Go(func() { s.sender.Run(ctx) })
	beside.Go(func() { s.clear(ctx) })
	beside.Go(func() { s.watchOthers(ctx) })
	beside.Go(func() {
		for range changes {
			s.questions.changed()
			s.tellCodes(ctx)
			s.tellDevices(ctx)
			s.live.changed.beat()
		}
	})
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	err = errors.Join(err, server.Close())
	stop()
	beside.Wait()
	for _, k := range s.sessions.list() {
		s.left(s.sessions.endOf(k.id), "the console has stopped")
	}
	return err
}

// tellCodes announces new questions, or says why it cannot, once.
func (s *Server) tellCodes(ctx context.Context) {
	now := ""
	if err := s.announce(ctx); err != nil {
		now = "the questions cannot be read now: " + err.Error()
	}
	s.mu.Lock()
	was := s.away
	s.away = now
	s.mu.Unlock()
	if now != "" && now != was && ctx.Err() == nil {
		s.say(now)
	}
}

// watchOthers follows what other machines ask, until ctx ends.
func (s *Server) watchOthers(ctx context.Context) {
	if s.others.fleet.IsNone() {
		return
	}
	for list := range s.others.fleet.Watch(ctx) {
		s.others.mu.Lock()
		if s.others.last = list; list.Away != nil {
			s.others.last.Questions = nil
		}
		s.others.mu.Unlock()
		s.tellCodes(ctx)
		s.live.changed.beat()
	}
}

// clear ends sessions whose time is over, and all when the console stops.
func (s *Server) clear(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			s.sweep()
		}
	}
}

// register leaves the address where tadactl key pair looks for it, as long as the console runs.
func (s *Server) register() (forget func(), err error) {
	path, text := s.inbox.Home().Console(), []byte(s.base+"/\n")
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
