package console

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

const (
	// mostSessions is how many there are at once; another one ends the one that was used least
	// lately.
	mostSessions = 32
	// idleLife is how long a session lives without a request, and wholeLife in all.
	idleLife  = 12 * time.Hour
	wholeLife = 7 * 24 * time.Hour
)

// A session is one browser that was let in.
type session struct {
	known
	path   string // 64 hexadecimal digits: the first part of the paths of its pages
	cookie string // 64 others, which the browser sends with that path only
	tries  tries

	intents intents

	ctx context.Context // done when the session has ended
	end context.CancelFunc
}

// known is what a person may know of a session. Only the times change.
type known struct {
	entrant
	id          string // in the list, in forms and in the record
	began, last time.Time
}

// An entrant is who was let in.
type entrant struct {
	device  string // "Firefox on Linux"
	how     string // it was let in: "link", "passkey" or "pairing"
	passkey []byte // its id, if it was one
	signer  string // the passkey in words
}

// String is how the terminal and the record call it.
func (e entrant) String() string {
	if e.signer == "" {
		return e.device
	}
	return e.device + ", passkey " + e.signer
}

// sessions are those that have not ended.
type sessions struct {
	mu  sync.Mutex
	all []*session
}

// begin adds a session with new secrets. gone is the one that made room for it, or nil.
func (l *sessions) begin(random io.Reader, now time.Time, from entrant) (s, gone *session,
	err error) {
	now = now.Round(0) // by the wall clock: the other one stands still while the machine sleeps
	var secret [64]byte
	if _, err := io.ReadFull(random, secret[:]); err != nil {
		return nil, nil, fmt.Errorf("create a session: %w", err)
	}
	s = &session{path: hex.EncodeToString(secret[:32]), cookie: hex.EncodeToString(secret[32:]),
		known: known{entrant: from, began: now, last: now}}
	sum := sha256.Sum256([]byte(s.path))
	s.id = hex.EncodeToString(sum[:6])
	s.ctx, s.end = context.WithCancel(context.Background())
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) >= mostSessions {
		gone = slices.MinFunc(l.all, func(a, b *session) int { return a.last.Compare(b.last) })
		l.remove(gone)
	}
	l.all = append(l.all, s)
	return s, gone, nil
}

// remove ends a session. The lock is held.
func (l *sessions) remove(s *session) {
	s.end()
	l.all = slices.DeleteFunc(l.all, func(o *session) bool { return o == s })
}

// find returns the session of a request with this path and these cookies, and what is known of it,
// and counts the request as its last. It returns nil if there is none: both secrets are needed.
func (l *sessions) find(path string, cookies []string, now time.Time) (*session, known) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.all {
		if subtle.ConstantTimeCompare([]byte(s.path), []byte(path)) != 1 {
			continue
		}
		// a server on another port of the same host may have added some
		own := slices.ContainsFunc(cookies, func(c string) bool {
			return subtle.ConstantTimeCompare([]byte(s.cookie), []byte(c)) == 1
		})
		if !own {
			return nil, known{}
		}
		if back := s.last.Sub(now); back > 0 {
			// a clock that was set back gives no time back: what was used of it stays used
			s.began, s.last = s.began.Add(-back), now.Round(0)
		}
		if s.over(now) == "" {
			s.last = now.Round(0)
		}
		return s, s.known
	}
	return nil, known{}
}

// has reports whether there is a session with this path.
func (l *sessions) has(path string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.all, func(s *session) bool {
		return subtle.ConstantTimeCompare([]byte(s.path), []byte(path)) == 1
	})
}

// over returns why a session ends now, or "".
func (k known) over(now time.Time) string {
	switch {
	case now.Sub(k.last) >= idleLife:
		return "it was not used for 12 hours"
	case now.Sub(k.began) >= wholeLife:
		return "it is 7 days old"
	}
	return ""
}

// list returns the sessions, the one that was used last first.
func (l *sessions) list() (list []known) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.all {
		list = append(list, s.known)
	}
	slices.SortFunc(list, func(a, b known) int {
		return cmp.Or(b.last.Compare(a.last), cmp.Compare(a.id, b.id))
	})
	return list
}

// endOf ends the session with an id, and returns it; nil if there is none.
func (l *sessions) endOf(id string) *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.all {
		if s.id == id {
			l.remove(s)
			return s
		}
	}
	return nil
}
