package approval

import (
	"context"
	"io"
	"os"
	"time"
)

// A Store keeps envelopes. Every method may be called by any number of processes at once.
// An error that is no *[Refused] means that the store failed: nothing was permitted.
type Store interface {
	// Request stores a question before anybody sees it and returns it with true. The same plan
	// asked again in the same session, while pending, returns the envelope that is there with
	// false; it may be answered already (see [Envelope.Approved]). It refuses with ErrDenied
	// while the same plan cools off after a denial, and with ErrBusy when too many are open: the
	// caller has to wait then, which is no denial.
	Request(ctx context.Context, r Request) (Envelope, bool, error)
	// Get returns one envelope, dead ones included until they are pruned. Its State says what the
	// clock says now, even when nothing has stored that yet.
	Get(ctx context.Context, id string) (Envelope, error)
	// Pending returns the envelopes that can still be decided or used, oldest first, without
	// payload.
	Pending(ctx context.Context) ([]Envelope, error)
	// Decide stores a person's answer. When every call is denied the envelope is rejected; else it
	// stays pending until it is consumed, for at most Options.Unused.
	Decide(ctx context.Context, d Decision) ([]Event, error)
	// DecideSigned stores an answer that Verify has checked. It stands for challenge and second
	// factor. It refuses with ErrReplayed one that was taken before, and with ErrScope what its
	// signer may not allow.
	DecideSigned(ctx context.Context, s Signed) ([]Event, error)
	// Present asks a question that was answered beforehand (see [PlanAnswer]) and returns it
	// approved, once for each signed answer. A plan that is not the one that was signed is
	// ErrMismatch.
	Present(ctx context.Context, r Request, s Signed) (Envelope, error)
	// Consume spends an approval. State, both clocks, stored hash, pairing of decisions and calls,
	// and the presented plan are checked and the state is changed in one transaction, so of any
	// number of concurrent claims exactly one gets the permit.
	Consume(ctx context.Context, c Claim) (Permit, error)
	// Finish records what came of a consumed envelope's run. It is an error to finish twice.
	Finish(ctx context.Context, id, outcome, reason string) ([]Event, error)
	// Unfinished returns the runs that were permitted and have not been finished.
	Unfinished(ctx context.Context) ([]Run, error)
	// Grant makes an approved and unused question a standing approval. It refuses with
	// ErrNotGrantable what [Grantable] gives a reason for, and with ErrPending what is not
	// approved as a whole.
	Grant(ctx context.Context, r GrantRequest) (Grant, []Event, error)
	// UseGrant spends one use of the standing approval for this plan in this session. It refuses
	// with ErrNoGrant when there is none that lives. Count, both clocks and plan are checked in the
	// transaction that counts.
	UseGrant(ctx context.Context, session string, payload []byte) (Grant, []Event, error)
	// Grants returns the standing approvals that can be used now, oldest first.
	Grants(ctx context.Context) ([]Grant, error)
	// Revoke ends one standing approval.
	Revoke(ctx context.Context, id, reason string) ([]Event, error)
	// Suspend ends all standing approvals of a session, as every denial in it does.
	Suspend(ctx context.Context, session, reason string) ([]Event, error)
	// Cancel withdraws a pending question, or an answer that was not used.
	Cancel(ctx context.Context, id, reason string) ([]Event, error)
	// Undeny takes a denial back that still keeps its plan from being asked again. The denied
	// question stays denied and standing approvals that it ended stay ended; the plan can be asked
	// again at once. It refuses with ErrUnknown where nothing cools off because of that question.
	Undeny(ctx context.Context, id, approver, channel string) ([]Event, error)
	// Denied returns the questions whose denials keep their plans from being asked again, oldest
	// first, without payload.
	Denied(ctx context.Context) ([]Envelope, error)
	// Prune expires what is too old and removes what has been dead for Options.Retention. Of each
	// a tombstone remains for Options.Tombstone, so that a replay is still called a replay.
	Prune(ctx context.Context) ([]Event, error)
	// Unlogged returns, in order, the stored events that MarkLogged has not removed: those of a
	// process that died between its change and its record.
	Unlogged(ctx context.Context) ([]Event, error)
	// MarkLogged removes events that stand in the record by now. Place is how far the record had
	// come by then, in the caller's own words; "" leaves what is known. Of two places the later one
	// is the greater text.
	MarkLogged(ctx context.Context, place string, seqs ...uint64) error
	// Place returns the place that MarkLogged was given last, and the Seq of the newest event.
	Place(ctx context.Context) (place string, seq uint64, err error)
	// Follow sets the place after a person went on with a record that was changed. It does not
	// compare.
	Follow(ctx context.Context, place string) error
	// Wait returns as soon as the envelope is decided or dead, without polling. It ends with
	// ctx's error, and holds no lock while it waits.
	Wait(ctx context.Context, id string) (Envelope, error)
}

// A Run is one use of an approval that has not told its outcome.
type Run struct {
	Envelope string
	Runner   string // as in the Claim
	Since    time.Time
}

// Options are the facts and limits of a store. Clock and Rand must be set; a duration or number
// that is 0 means its default.
type Options struct {
	Clock func() Clock
	Rand  io.Reader // a cryptographic source, for ids and nonces

	TTL       time.Duration // how long a question lives: 1 h
	Unused    time.Duration // how long an answer may wait for its use: 5 min
	Retention time.Duration // how long the dead are kept: 7 days; at least TTL + Skew
	Skew      time.Duration // how far the wall clock may step: 60 s
	Tombstone time.Duration // how long the names of the pruned are kept: 90 days
	CoolOff   time.Duration // how long a denied plan is denied again without asking: 10 min
	LockWait  time.Duration // how long to wait for other processes: 30 s

	// Waiting, when set, is called by a wait for another process that has taken a second, and again
	// after five, with the file whose lock that process holds.
	Waiting func(lock *os.File, waited time.Duration)

	MaxPending int // open questions of one budget: 10
	MaxHour    int // new questions of one budget in an hour: 100
	MaxOpen    int // open questions of all budgets: 200

	// SecondFactor says that a second factor exists and is checked before Decide. Without one,
	// the highest risk is asked with the longer challenge alone.
	SecondFactor bool

	// Record returns the greatest Seq of the events that the record has from a place on; "" is its
	// beginning. It is asked in every transaction that changes something, before the change. A
	// database that has not come so far is an older one that was put back, in which what was used
	// is unused again: the change is refused with ErrBehind. An error of Record refuses it too. Nil
	// compares with nothing.
	Record func(place string) (seq uint64, err error)

	// at is called between any two steps that a process can be killed at. Tests die there.
	at func(step string)
}

func (o *Options) step(name string) {
	if o.at != nil {
		o.at(name)
	}
}

func (o Options) withDefaults() (Options, error) {
	if o.Clock == nil || o.Rand == nil {
		return o, &ConfigError{Name: "clock or source of randomness", Value: "nil", Need: "both must be given"}
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
			return o, &ConfigError{Name: d.name, Value: d.value.String(), Need: "it must not be negative"}
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
	// A nonce must be remembered for as long as somebody could present it.
	if least := o.TTL + o.Skew; o.Retention < least {
		return o, &ConfigError{Name: "retention", Value: o.Retention.String(),
			Need: "it must be at least ttl " + o.TTL.String() + " plus skew " + o.Skew.String()}
	}
	return o, nil
}
