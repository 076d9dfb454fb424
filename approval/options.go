package approval

import (
	"io"
	"os"
	"time"
)

// Options are the facts and limits of a store. Clock and Rand must be set; a duration or number of
// 0 means its default.
type Options struct {
	Clock func() Clock
	Rand  io.Reader // a cryptographic source, for ids and nonces

	TTL       time.Duration // how long a question is valid: 1 h
	Unused    time.Duration // how long an answer may stay unused: 5 min
	Retention time.Duration // how long ended envelopes are kept: 7 days; at least TTL + Skew
	Skew      time.Duration // how far the wall clock may step: 60 s
	Tombstone time.Duration // how long the ids of pruned ones are kept: 90 days
	CoolOff   time.Duration // how long a denied plan is denied again without asking: 10 min
	LockWait  time.Duration // how long to wait for other processes: 30 s

	// Waiting, if set, is called when a wait for another process has taken one second, and again
	// after five, with the file whose lock that process holds.
	Waiting func(lock *os.File, waited time.Duration)

	MaxPending int // open questions of one budget: 10
	MaxHour    int // new questions of one budget in an hour: 100
	MaxOpen    int // open questions of all budgets: 200

	// SecondFactor says that a second factor exists and is checked before Decide. Without one, the
	// highest risk requires only the longer challenge.
	SecondFactor bool

	// Record returns the greatest Seq of the events in the record from a place on; "" is its
	// beginning. It is called in every transaction that changes something, before the change. If
	// the database has not come that far, it is an older copy that was put back, in which used
	// approvals are unused again: the change is refused with ErrBehind. An error of Record refuses
	// it too. If Record is nil, nothing is compared.
	Record func(place string) (seq uint64, err error)
}

func (o Options) withDefaults() (Options, error) {
	if o.Clock == nil || o.Rand == nil {
		return o, &ConfigError{Name: "clock or source of randomness", Value: "nil",
			Need: "both must be given"}
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		def   time.Duration
	}{
		{"ttl", &o.TTL, time.Hour},
		{"unused", &o.Unused, 5 * time.Minute},
		{"retention", &o.Retention, 7 * 24 * time.Hour},
		{"skew", &o.Skew, time.Minute},
		{"tombstone", &o.Tombstone, 90 * 24 * time.Hour},
		{"cool-off", &o.CoolOff, 10 * time.Minute},
		{"lock wait", &o.LockWait, 30 * time.Second},
	} {
		if *d.value < 0 {
			return o, &ConfigError{Name: d.name, Value: d.value.String(),
				Need: "it must not be negative"}
		}
		if *d.value == 0 {
			*d.value = d.def
		}
	}
	if o.MaxPending <= 0 {
		o.MaxPending = 10
	}
	if o.MaxHour <= 0 {
		o.MaxHour = 100
	}
	if o.MaxOpen <= 0 {
		o.MaxOpen = 200
	}
	// A nonce must be remembered for as long as it could be presented.
	if least := o.TTL + o.Skew; o.Retention < least {
		return o, &ConfigError{Name: "retention", Value: o.Retention.String(),
			Need: "it must be at least ttl " + o.TTL.String() + " plus skew " + o.Skew.String()}
	}
	return o, nil
}
