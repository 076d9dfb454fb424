package push

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// mostTries is how often a message is sent to a device that does not get it.
	mostTries = 3
	// firstPause is before the second attempt; the next one is four times as long.
	firstPause = 2 * time.Second
	// longestPause is how long a relay may ask to wait.
	longestPause = time.Minute
)

// deliver sends a message to one device, as long as its passkey is paired and the message is of
// use.
func (s *Sender) deliver(ctx context.Context, to Subscription, m message) error {
	for try, pause := 1, s.pause; ; try, pause = try+1, 4*pause {
		if _, ok := s.book.Find(to.Endpoint); !ok || !s.now().Before(m.until) {
			return nil
		}
		err := s.post(ctx, to, m)
		f, again := errors.AsType[failure](err)
		if !again || try == mostTries || f.after > longestPause {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(pause, f.after)):
		}
	}
}

// outcome keeps what came of a message.
func (s *Sender) outcome(ctx context.Context, to Subscription, err error) {
	if ctx.Err() != nil {
		return
	}
	if errors.Is(err, errGone) {
		if err := s.book.Remove(to.Endpoint); err != nil {
			s.said(to.Endpoint, err)
			return
		}
		s.say("notifications over " + to.Relay() + " end: " + err.Error())
		err = nil
	} else if err != nil {
		err = fmt.Errorf("over %s: %w", to.Relay(), err)
	}
	s.said(to.Endpoint, err)
}

// said keeps the problem of a subscription, and prints one that is new.
func (s *Sender) said(endpoint string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	s.mu.Lock()
	fresh := text != s.problems[endpoint]
	s.problems[endpoint] = text
	if text == "" {
		delete(s.problems, endpoint)
	}
	s.mu.Unlock()
	if fresh && text != "" {
		s.say("notification not sent: " + text)
	}
}

// Problem returns why the last message did not reach a subscription; "" if it did.
func (s *Sender) Problem(endpoint string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problems[endpoint]
}

// testText is what a device shows after [Sender.Test].
const testText = "a test of tada-run"

var (
	errTests  = fmt.Errorf("%d tests in a minute are enough; wait a little", perMinute)
	errNotAdd = errors.New("this device is not notified")
)

// Test sends a message to one device, once, and returns what came of it.
func (s *Sender) Test(ctx context.Context, endpoint string) error {
	to, ok := s.book.Find(endpoint)
	if !ok {
		return errNotAdd
	}
	now := s.now()
	s.mu.Lock()
	s.tests = slices.DeleteFunc(s.tests, func(at time.Time) bool {
		return now.Sub(at) >= time.Minute || now.Before(at)
	})
	many := len(s.tests) >= perMinute
	if !many {
		s.tests = append(s.tests, now)
	}
	s.mu.Unlock()
	if many {
		return errTests
	}
	err := s.post(ctx, to, message{text: testText, until: now.Add(time.Minute)})
	s.outcome(ctx, to, err)
	return err
}
