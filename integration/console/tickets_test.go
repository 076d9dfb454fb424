package console

import (
	"crypto/rand"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

// Each byte of a ticket counts, and each ticket once; a clock that is set back makes none valid
// again.
func TestTickets(t *testing.T) {
	t.Parallel()
	var all, others tickets
	others.key[0] = 1
	now := time.Now()
	ticket, err := all.issue(rand.Reader, now)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(ticket) {
		for _, with := range []byte{ticket[i] ^ 1, '0', '.'} {
			forged := ticket[:i] + string(with) + ticket[i+1:]
			if _, err := all.made(forged, now); err == nil && forged != ticket {
				t.Errorf("byte %d: %q is taken", i, forged)
			}
		}
		if _, err := all.made(ticket[:i], now); err == nil {
			t.Errorf("%d bytes are taken", i)
		}
	}
	for name, err := range map[string]error{
		"of another console": others.spend(ticket, now),
		"too late":           all.spend(ticket, now.Add(ticketLife)),
		"too early":          all.spend(ticket, now.Add(-time.Hour)),
	} {
		if err == nil {
			t.Error(name)
		}
	}
	if err := all.spend(ticket, now); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Duration{0, time.Minute, -time.Hour, ticketLife, 0, 1} {
		if err := all.spend(ticket, now.Add(at)); err == nil {
			t.Errorf("taken a second time, after %v", at)
		}
	}
}

func FuzzTicket(f *testing.F) {
	var all tickets
	f.Add("00.1.00")
	f.Add("..")
	f.Fuzz(func(t *testing.T, ticket string) {
		if _, err := all.made(ticket, time.UnixMilli(1)); err == nil {
			t.Errorf("%q is taken", ticket)
		}
	})
}

// The name of a browser is short, and has only words of this package.
func FuzzDevice(f *testing.F) {
	f.Add("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	f.Add("Firefox/\u202e\n\x1b[2J")
	f.Add(strings.Repeat("ä", 10_000))
	f.Fuzz(func(t *testing.T, agent string) {
		name := deviceOf(agent)
		if utf8.RuneCountInString(name) > 40 || strings.ContainsFunc(name, func(r rune) bool {
			return r != ' ' && (r < 'A' || r > 'z')
		}) {
			t.Errorf("%q", name)
		}
	})
}

// Attempts that failed before the clock was set back count as if they had failed just then.
func TestTriesWithTheClockSetBack(t *testing.T) {
	t.Parallel()
	var own tries
	now := time.Now()
	for range mostTries {
		if !own.begin(now) {
			t.Fatal("too few")
		}
		own.end(now, true)
	}
	if own.begin(now) || own.begin(now.Add(-time.Hour)) {
		t.Error("more are left")
	}
	if !own.begin(now.Add(-time.Hour + triesLife + time.Second)) {
		t.Error("an hour longer, because the clock was set back")
	}
}

// Attempts at once are no more than one after the other.
func TestTriesAtOnce(t *testing.T) {
	t.Parallel()
	var own tries
	now := time.Now()
	own.begin(now)
	own.end(now, false) // gives its place back
	var begun atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if own.begin(now) {
				begun.Add(1)
			}
		})
	}
	all.Wait()
	if n := begun.Load(); n != mostTries {
		t.Errorf("%d are under way", n)
	}
	for range mostTries {
		own.end(now, true)
	}
	if own.begin(now) {
		t.Error("more are left")
	}
}
