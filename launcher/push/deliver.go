package push

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
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

// A courier brings messages to devices, and keeps what came of the last one.
type courier struct {
	poster
	say   func(string)  // prints one line for the person at the terminal
	pause time.Duration // before the second attempt

	mu       sync.Mutex
	problems map[string]string // of the last message, by endpoint
	tests    []time.Time
}

// deliver sends a message to one device, as long as its passkey is paired and the message is of
// use.
func (c *courier) deliver(ctx context.Context, to Subscription, m message) error {
	for try, pause := 1, c.pause; ; try, pause = try+1, 4*pause {
		_, err := c.book.Find(to.Endpoint)
		if errors.Is(err, ErrNone) || !c.now().Before(m.until) {
			return nil
		}
		if err == nil {
			err = c.post(ctx, to, m)
		}
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
func (c *courier) outcome(ctx context.Context, to Subscription, err error) {
	if ctx.Err() != nil {
		return
	}
	if errors.Is(err, errGone) {
		if err := c.book.Remove(to.Endpoint); err != nil {
			c.said(to.Endpoint, err)
			return
		}
		c.say("notifications over " + to.Relay() + " end: " + err.Error())
		err = nil
	} else if err != nil {
		err = fmt.Errorf("over %s: %w", to.Relay(), err)
	}
	c.said(to.Endpoint, err)
}

// said keeps the problem of a subscription, and prints one that is new.
func (c *courier) said(endpoint string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.mu.Lock()
	fresh := text != c.problems[endpoint]
	c.problems[endpoint] = text
	if text == "" {
		delete(c.problems, endpoint)
	}
	c.mu.Unlock()
	if fresh && text != "" {
		c.say("notification not sent: " + text)
	}
}

// Problem returns why the last message did not reach a subscription; "" if it did.
func (c *courier) Problem(endpoint string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problems[endpoint]
}

// testText is what a device shows after Test.
const testText = "a test of tada-run"

const errTests = reason("these are enough tests for a minute; wait")

// Test sends a message to one device, once, and returns what came of it.
func (c *courier) Test(ctx context.Context, endpoint string) error {
	to, err := c.book.Find(endpoint)
	if err != nil {
		return err
	}
	now := c.now()
	c.mu.Lock()
	c.tests = slices.DeleteFunc(c.tests, func(at time.Time) bool {
		return now.Sub(at) >= time.Minute || now.Before(at)
	})
	many := len(c.tests) >= perMinute
	if !many {
		c.tests = append(c.tests, now)
	}
	c.mu.Unlock()
	if many {
		return errTests
	}
	err = c.post(ctx, to, message{text: testText, until: now.Add(time.Minute)})
	c.outcome(ctx, to, err)
	return err
}
