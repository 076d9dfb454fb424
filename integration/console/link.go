package console

import (
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// A link is the address on the terminal. It lets one browser in; then there is another one.
type link struct {
	mu    sync.Mutex
	token string // 64 hexadecimal digits
}

// renew makes the next link.
func (l *link) renew(random io.Reader) error {
	var token [32]byte
	if _, err := io.ReadFull(random, token[:]); err != nil {
		return fmt.Errorf("create the page address: %w", err)
	}
	l.token = hex.EncodeToString(token[:])
	return nil
}

// use reports whether a token is that of the link, which then is another.
func (l *link) use(token string, random io.Reader) (ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(l.token)) != 1 {
		return false, nil
	}
	l.token = "" // also if there is no other
	return true, l.renew(random)
}

var errAhead = errors.New("a link is opened by a person, not ahead of time and not by a script")

// isAhead reports whether a browser only wants to have a page ready: nobody has opened it.
func isAhead(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		if strings.Join(r.Header.Values(name), "") != "" {
			return true
		}
	}
	// a browser that says so is told apart from a script or a picture
	mode := r.Header.Get("Sec-Fetch-Mode")
	return mode != "" && mode != "navigate"
}
