package session

import (
	"errors"
	"fmt"
	"time"
)

// A Lease says who may type into a terminal with several clients: one party, or no one.
//
//	starter   who started the session: an agent, or a person. It types when no one took over.
//	taker     a person who took over, until it is given back, is lost, or nothing was typed for Idle
//	nobody    frozen, or the starter is gone
//
// Each change gives a new epoch, and only input that carries the present epoch is accepted: input
// that was meant for another situation is refused. If a lease is lost while the starter is there,
// the session is frozen and does not return to the starter: the person who took over had a reason,
// and falling asleep is no consent.
//
// Parties are numbers that the caller gives, above 0. The zero Lease has no starter and no driver.
// It is not for several goroutines.
type Lease struct {
	Idle time.Duration // 0: a lease does not end by itself

	epoch   uint32
	starter int
	taker   int
	frozen  bool
	name    string // of the taker, for people
	last    time.Time
}

var (
	// ErrStale is wrapped where input carries another epoch than the present one.
	ErrStale = errors.New("control changed before this was typed")
	// ErrNotDriving is wrapped by the error for input of a client that does not drive.
	ErrNotDriving = errors.New("someone else has control")
	// ErrFrozen is wrapped where a session is frozen.
	ErrFrozen = errors.New("the session is frozen")
)

// A TakenError is returned by Take to the second of two.
type TakenError struct {
	By    string
	Since time.Time
}

func (e *TakenError) Error() string { return fmt.Sprintf("%s already has control", e.By) }

// Epoch is the number of the present situation.
func (l *Lease) Epoch() uint32 { return l.epoch }

// Frozen reports whether no one may type and nothing runs.
func (l *Lease) Frozen() bool { return l.frozen }

// Taken returns the name of the person who took over; "" for none.
func (l *Lease) Taken() string { return l.name }

// Driver is the party that may type; 0 is none.
func (l *Lease) Driver() int {
	switch {
	case l.frozen:
		return 0
	case l.taker != 0:
		return l.taker
	}
	return l.starter
}

// Start seats the starter. There is one, once.
func (l *Lease) Start(party int) {
	l.starter = party
	l.epoch++
}

// Take gives the lease to party, even if frozen. It returns a *TakenError while another person has
// it.
func (l *Lease) Take(party int, name string, now time.Time) error {
	if l.taker != 0 && l.taker != party {
		return &TakenError{By: l.name, Since: l.last}
	}
	l.taker, l.name, l.frozen, l.last = party, name, false, now
	l.epoch++
	return nil
}

// Give hands back to the starter. Only the taker can, and with the epoch of now.
func (l *Lease) Give(party int, epoch uint32) error {
	switch {
	case l.taker != party || party == 0:
		return ErrNotDriving
	case l.epoch != epoch:
		return ErrStale
	}
	l.taker, l.name, l.frozen = 0, "", false
	l.epoch++
	return nil
}

// Freeze takes the keys from everyone. A taker keeps the lease: Thaw gives it the keys again.
func (l *Lease) Freeze() {
	if !l.frozen {
		l.frozen = true
		l.epoch++
	}
}

// Thaw undoes Freeze.
func (l *Lease) Thaw(now time.Time) {
	if l.frozen {
		l.frozen, l.last = false, now
		l.epoch++
	}
}

// Leave takes note that a party is gone, and reports whether that froze the session.
func (l *Lease) Leave(party int) (froze bool) {
	switch {
	case party == 0:
		return false
	case party == l.taker:
		l.taker, l.name = 0, ""
		froze = l.starter != 0 && !l.frozen
		l.frozen = l.frozen || froze
	case party == l.starter:
		l.starter = 0
	default:
		return false
	}
	l.epoch++
	return froze
}

// Expire ends a lease without a key for Idle, and reports whether that froze the session. Without a
// starter there is no one to keep out, and it does not end.
func (l *Lease) Expire(now time.Time) (froze bool) {
	if l.taker == 0 || l.starter == 0 || l.frozen || l.Idle <= 0 || now.Sub(l.last) < l.Idle {
		return false
	}
	return l.Leave(l.taker)
}

// Left is how long the lease still has without a key; 0 where it does not end by itself.
func (l *Lease) Left(now time.Time) time.Duration {
	if l.taker == 0 || l.starter == 0 || l.frozen || l.Idle <= 0 {
		return 0
	}
	return max(l.last.Add(l.Idle).Sub(now), time.Millisecond)
}

// Admit returns nil where party may type with that epoch, else an error that wraps ErrFrozen,
// ErrNotDriving or ErrStale.
func (l *Lease) Admit(party int, epoch uint32, now time.Time) error {
	switch {
	case l.frozen:
		return ErrFrozen
	case party == 0 || l.Driver() != party:
		if l.name != "" {
			return fmt.Errorf("%w: %s", ErrNotDriving, l.name)
		}
		return ErrNotDriving
	case epoch != l.epoch:
		return ErrStale
	}
	if party == l.taker {
		l.last = now
	}
	return nil
}
