package push

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"
)

// A Sender sends what waits to all devices.
type Sender struct {
	courier
	open   chan []Question // the newest list
	turn   *os.File        // the lock of the console that sends
	posted sync.WaitGroup
	settle time.Duration
}

// NewSender returns the sender of a book. It passes each problem to say once; the text may have
// words of a relay in it.
func NewSender(b *Book, say func(string)) *Sender {
	return &Sender{
		courier: courier{poster: poster{b, b.dir.Now, newClient(outside, nil)}, say: say,
			pause: firstPause, problems: map[string]string{}},
		open: make(chan []Question, 1), settle: settle,
	}
}

// Notify says which questions are open. It never waits.
func (s *Sender) Notify(open []Question) {
	for {
		select {
		case s.open <- open:
			return
		case <-s.open: // an older list, which is not needed now
		}
	}
}

// Run sends until ctx ends. It returns when nothing is being sent any more.
func (s *Sender) Run(ctx context.Context) {
	defer s.posted.Wait()
	if err := s.book.Prune(); err != nil {
		s.say("notifications: " + err.Error())
	}
	p := pace{settle: s.settle}
	var open []Question
	for again := (<-chan time.Time)(nil); ; {
		select {
		case <-ctx.Done():
			if s.turn != nil {
				s.turn.Close()
			}
			return
		case open = <-s.open:
		case <-again:
		}
		list, at := p.next(s.now(), open)
		again = nil
		if !at.IsZero() {
			again = time.After(at.Sub(s.now()))
		}
		if s.sends() {
			for _, m := range list {
				s.sendAll(ctx, m)
			}
		}
	}
}

// sends reports whether this console is the one that sends.
func (s *Sender) sends() bool {
	if s.turn == nil {
		s.turn, _ = s.book.dir.Lock("pushing", syscall.LOCK_EX|syscall.LOCK_NB)
	}
	return s.turn != nil
}

// sendAll sends a message to all devices, and does not wait for it.
func (s *Sender) sendAll(ctx context.Context, m message) {
	list, err := s.book.List()
	if err != nil {
		s.said("", err)
		return
	}
	for _, to := range list {
		s.posted.Go(func() { s.outcome(ctx, to, s.deliver(ctx, to, m)) })
	}
}
