package approval_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// A backend makes stores over the same data each time, for the suite.
type backend interface {
	Open(o approval.Options) (*approval.Store, error)
}

// boltBackend opens the same file every time.
type boltBackend struct{ path string }

func newBoltBackend(t testing.TB) backend {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return boltBackend{filepath.Join(dir, "approvals.db")}
}

func (b boltBackend) Open(o approval.Options) (*approval.Store, error) {
	return bolt.Open(b.path, o)
}

func TestBolt(t *testing.T) { testStore(t, newBoltBackend) }

// memory is the same database in memory every time.
type memory struct{ db approval.DB }

func (m memory) Open(o approval.Options) (*approval.Store, error) { return approval.Open(m.db, o) }

// twice is one whose transactions run twice.
type twice struct{ memory }

// The rules are the same over another database.
func TestMemory(t *testing.T) {
	testStore(t, func(testing.TB) backend { return memory{approval.NewMemory()} })
}

// A rule may be run again, after a run that another transaction has overtaken: one that found the
// database as it is, or that found nothing in it.
func TestRunAgain(t *testing.T) {
	for name, other := range map[string]func(*approval.Memory) *approval.Memory{
		"same":  func(m *approval.Memory) *approval.Memory { return m },
		"empty": func(*approval.Memory) *approval.Memory { return approval.NewMemory() },
	} {
		t.Run(name, func(t *testing.T) {
			testStore(t, func(testing.TB) backend {
				m := approval.NewMemory()
				return twice{memory{approval.Again{Memory: m, Other: func() *approval.Memory {
					return other(m)
				}}}}
			})
		})
	}
}

// bench is one store under test with a clock that the test sets.
type bench struct {
	testing.TB
	*approval.Store
	*clock
	backend backend
	o       approval.Options
}

func (b *bench) reopen(change func(*approval.Options)) {
	b.Helper()
	if change != nil {
		change(&b.o)
	}
	s, err := b.backend.Open(b.o)
	if err != nil {
		b.Fatal(err)
	}
	b.Store = s
}

// numbered asks for a plan that differs from others by n.
func (b *bench) numbered(n any, calls ...string) approval.Envelope {
	b.Helper()
	return ask(b, b.Store, plantest.Small(b, func(p map[string]any) { p["n"] = n }, calls...))
}

// approved returns an envelope with an unused approval.
func (b *bench) approved() approval.Envelope {
	b.Helper()
	e := ask(b, b.Store, plantest.Small(b, nil))
	decide(b, b.Store, yes(e))
	return e
}

func (b *bench) state(id string) approval.State {
	b.Helper()
	e, err := b.Get(ctx, id)
	if err != nil {
		b.Fatal(err)
	}
	return e.State
}

func (b *bench) prune() []approval.Event {
	b.Helper()
	events, err := b.Prune(ctx)
	if err != nil {
		b.Fatal(err)
	}
	return events
}

var ctx = context.Background()

// testStore is what every backend of *approval.Store must pass, but for what the test leaves out.
func testStore(t *testing.T, fresh func(testing.TB) backend, without ...string) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *bench)
	}{
		{"envelope B-R1.1 B-R3.1 B-C3 B-C4 B-C5", testEnvelope},
		{"kept B-C2", testKept},
		{"same question E-pend-1", testSameQuestion},
		{"payload B-I5", testBadPayload},
		{"transitions B-R1.1a", testTransitions},
		{"replay B-T2 B-R2.3 B-Q1", testReplay},
		{"injection B-T3 B-R1.4.1", testInjection},
		{"drift B-T4 B-R1.4.5 B-I2", testDrift},
		{"bijection B-R1.4.6", testBijection},
		{"expiry B-R1.4.3 B-R3.2", testExpiry},
		{"clocks B-R3.2a", testClocks},
		{"ttl B-R3.3a", testTTL},
		{"unused E-pend-2", testUnused},
		{"retention B-R2.5", testRetention},
		{"prune B-R2.4 B-R2.4a", testPrune},
		{"per call B-R7.1 B-R7.2 B-R7.3 B-Q2", testPerCall},
		{"cool-off E-deny-3", testCoolOff},
		{"taken back E-deny-3", testUndeny},
		{"near-identical E-deny-3", testKin},
		{"cancel E-pend-3", testCancel},
		{"friction", testFriction},
		{"decide once", testDecideOnce},
		{"budget E-fat-1", testBudget},
		{"flood E-fat-1", testFlood},
		{"nonce B-R2.1", testNonce},
		{"events B-R4.1 B-R4.1a B-R4.1b B-I4", testEvents},
		{"every change B-I4", testEveryChangeIsTold},
		{"crash B-R2.3a B-R4.6a", testUnfinished},
		{"wait", testWait},
		{"grant E-std-1 E-std-4", testGrant},
		{"grant ends E-std-5", testGrantEnds},
		{"grant of a session", testGrantLasts},
		{"grant refused E-std-2 B-R8.2", testGrantRefused},
		{"choice E-std-2 E-std-4", testChoice},
		{"choice refused E-std-2", testChoiceRefused},
		{"signed B-R8.1", testSigned},
		{"signed beforehand E-hl-2", testPresigned},
		{"signed, whole or not at all B-R8.2", testSignedWhole},
		{"codes are replaced for a code E-chan-9", testReplaceTOTP},
		{"read before it is answered E-fat-3", testHasty},
		{"delegation E-del-1", testDelegation},
		{"quorum E-quo-1", testQuorum},
		{"edited plan B-R7.4", testEdited},
		{"one-time codes E-chan-9 E-chan-8", testTOTP},
		{"brake E-fat-3", testBrake},
		{"canary E-fat-4", testCanary},
		{"paging B-R5.2a", testPaging},
		{"level B-R9.1", testLevel},
	} {
		if slices.Contains(without, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{TB: t, backend: fresh(t), clock: newClock()}
			b.o = approval.Options{Clock: b.clock.read, Rand: rand.Reader}
			b.reopen(nil)
			c.test(t, b)
		})
	}
}

// stuck is a source of randomness that repeats itself.
type stuck struct{}

func (stuck) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("no entropy") }
