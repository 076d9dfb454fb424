package control

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/tada-run/tada-run/launcher/session/wire"
)

const (
	// MaxQueue is what may wait for one client; 256 KiB are some screens of a full-screen program.
	MaxQueue = 256 << 10
	// slack is how much output may wait for the driver before the program has to.
	slack = 128 << 10
	// patience is how long a driver may stall the program without reading anything.
	patience = time.Second
	// maxOrders is more than any reader leaves: a client that reads nothing while the lease changes
	// thousands of times is cut off.
	maxOrders = 1 << 20
)

// by is the author of what this client types.
func (s *client) by(epoch uint32) string {
	if !s.person {
		return s.d.Author
	}
	return fmt.Sprintf("human:%d@%s#%d", s.uid, s.tty, epoch)
}

// name is the client for people.
func (s *client) name() string {
	if s.device == "" {
		return s.who
	}
	return s.who + " (" + s.device + ")"
}

// deviceName is what a client calls its device, as the record and other people may have it: one
// line, in which nothing hides.
func deviceName(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	letters := []rune(text)
	return string(letters[:min(len(letters), wire.MaxDevice)])
}

// push queues output.
func (s *client) push(frames []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.lost || s.done:
	case len(s.queue)+len(frames) > MaxQueue && len(s.queue) > 0:
		s.queue, s.lost = s.queue[:0], true
	default:
		if len(s.queue) == 0 {
			s.moved = time.Now()
		}
		s.queue = append(s.queue, frames...)
	}
	s.more.Broadcast()
}

// control queues what must not be dropped.
func (s *client) control(f wire.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	if s.orders = wire.Append(s.orders, f); len(s.orders) > maxOrders {
		s.orders, s.done = nil, true
		s.conn.Close()
	}
	s.more.Broadcast()
}

func (s *client) tell(n wire.Notice) { s.control(wire.JSON(wire.Tell, s.d.lease.Epoch(), n)) }

// ack gives back credit. The Server is locked.
func (s *client) ack(n int) {
	s.owed -= n
	s.control(wire.Frame{Kind: wire.Ack, Body: wire.Count(n)})
}

// pace waits until the queue is short, as long as the client reads.
func (s *client) pace() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > slack && !s.done && !s.lost {
		left := patience - time.Since(s.moved)
		if left <= 0 {
			s.queue, s.lost = s.queue[:0], true
			return
		}
		wake := time.AfterFunc(left, s.more.Broadcast)
		s.more.Wait()
		wake.Stop()
	}
}

// finish queues the last frame.
func (s *client) finish(f wire.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.done = wire.Append(nil, f), true
	s.more.Broadcast()
}

// hurry gives the client Session.Patience from now on, or all the time in the world. There are few
// places for clients, so one that stops in the middle of a frame does not keep its place; and half
// an order must not be carried out when its other half comes an hour later.
func (s *client) hurry(on bool) {
	limit := time.Time{}
	if on {
		limit = time.Now().Add(s.d.Patience)
	}
	_ = s.conn.SetReadDeadline(limit)
}

func (s *client) refuse(err error) {
	s.tell(wire.Notice{Code: wire.CodeRefused, Message: err.Error(), By: s.d.lease.Taken()})
}
