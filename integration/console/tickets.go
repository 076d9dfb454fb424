package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ticketLife is how long a person may take to sign in.
const ticketLife = 2 * time.Minute

var errTicket = errors.New("it was used already, or not within two minutes; try again")

// tickets are what browsers sign in with: random, made here, and good once. A ticket that was given
// out is not kept, because anybody may ask for any number of them; it carries a proof that it was
// made here and when. What is kept are those that a passkey has used.
type tickets struct {
	key [32]byte

	mu   sync.Mutex
	used map[string]time.Time // when they were made
}

// issue returns a new ticket: 128 random bits, its time, and the proof of both.
func (t *tickets) issue(random io.Reader, now time.Time) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("create a ticket: %w", err)
	}
	text := hex.EncodeToString(b[:]) + "." + strconv.FormatInt(now.UnixMilli(), 10)
	return text + "." + t.proof(text), nil
}

func (t *tickets) proof(text string) string {
	mac := hmac.New(sha256.New, t.key[:])
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// made returns when a ticket was made; the error is errTicket if it was not made here, or not just
// now.
func (t *tickets) made(ticket string, now time.Time) (time.Time, error) {
	at := strings.LastIndexByte(ticket, '.')
	if at < 0 || !hmac.Equal([]byte(ticket[at+1:]), []byte(t.proof(ticket[:at]))) {
		return time.Time{}, errTicket
	}
	_, digits, _ := strings.Cut(ticket[:at], ".")
	ms, err := strconv.ParseInt(digits, 10, 64)
	made := time.UnixMilli(ms)
	if age := now.Sub(made); err != nil || age < -time.Millisecond || age >= ticketLife {
		return time.Time{}, errTicket
	}
	return made, nil
}

// spend takes a ticket that a passkey has signed. The second time the error is errTicket.
func (t *tickets) spend(ticket string, now time.Time) error {
	made, err := t.made(ticket, now)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.used, func(_ string, made time.Time) bool {
		return now.Sub(made) >= ticketLife
	})
	if _, used := t.used[ticket]; used {
		return errTicket
	}
	if t.used == nil {
		t.used = map[string]time.Time{}
	}
	t.used[ticket] = made
	return nil
}
