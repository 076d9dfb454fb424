package push

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// A message is one text, and until when it is of use.
type message struct {
	text  string
	until time.Time
	topic string // a later message with it takes the place of one that waits at the relay
}

// errGone is returned for a subscription that the relay does not have any more.
const errGone = reason("the relay does not have this subscription any more")

// A failure is an attempt that may succeed later.
type failure struct {
	error
	after time.Duration // that the relay asks to wait
}

// A poster speaks to relays.
type poster struct {
	book   *Book
	now    func() time.Time
	client *http.Client
}

// post hands one message to the relay of a subscription. The error is a failure, or one that stays.
func (p *poster) post(ctx context.Context, to Subscription, m message) error {
	relay, err := to.url()
	if err != nil {
		return err
	}
	key, err := p.book.key()
	if err != nil {
		return err
	}
	who, err := authorization(key, relay, p.now())
	if err != nil {
		return err
	}
	sender, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // it does not fail
	body, err := seal(to, m.text, room, sender, salt)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, relay.String(),
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	left := int(m.until.Sub(p.now()).Seconds())
	for name, value := range map[string]string{"Authorization": who,
		"Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream",
		"TTL": strconv.Itoa(max(left, 0)), "Urgency": "high", "User-Agent": "tada-run"} {
		r.Header.Set(name, value)
	}
	if m.topic != "" {
		r.Header.Set("Topic", m.topic)
	}
	answer, err := p.client.Do(r)
	if err != nil {
		return unsent(err)
	}
	answer.Body.Close() // unread: what a relay says is of no use here
	return refusal(answer, p.now())
}

// unsent is the error of a request without an answer, without the endpoint, which is a secret.
func unsent(err error) error {
	if errors.Is(err, errInside) {
		return errInside
	}
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	return failure{fmt.Errorf("the relay cannot be reached: %w", err), 0}
}

// refusal is the error that the status of an answer is.
func refusal(answer *http.Response, now time.Time) error {
	status := answer.StatusCode
	err := fmt.Errorf("the relay answered with status %d", status)
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusNotFound || status == http.StatusGone:
		return errGone
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return failure{err, retryAfter(answer.Header.Get("Retry-After"), now)}
	}
	return err
}

// retryAfter reads a number of seconds or a date; 0 for anything else.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
