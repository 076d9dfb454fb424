package approval_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// Every kind of bad input. Each is an error of its own with an outcome in the record, an exit
// status and a sentence, and permits nothing afterwards. B-R1.4.1, B-R1.4.3, B-R1.4.6, B-R4.1a,
// B-R5.2
func TestBadInput(t *testing.T) {
	t.Parallel()
	k := newKey(t, "dg")
	trust := trustOf(t, k.TrustLine())
	type scene struct {
		*approval.Store
		*clock
		path string
		e    approval.Envelope // approved, of two calls
	}
	answer := func(s scene, change func(*approval.Decision)) error {
		d := yes(ask(t, s, plantest.Small(t, func(p map[string]any) { p["n"] = 1 }, "c1", "c2")))
		change(&d)
		_, err := s.Decide(ctx, d)
		return err
	}
	use := func(s scene, change func(*approval.Claim)) error {
		c := claim(s.e)
		c.Envelope = s.e.ID
		change(&c)
		_, err := s.Consume(ctx, c)
		return err
	}
	asIs := func(*approval.Claim) {}
	handIn := func(s scene, change func([]byte) []byte) error {
		_, err := approval.Verify(change(signed(t, k, s.e, s.Now, nil)), trust, host, s.Now)
		return err
	}
	codes, words := map[string]string{}, map[string]string{}
	for _, c := range []struct {
		name    string
		do      func(s scene) error
		want    error
		outcome string
		spent   bool // the earlier approval is no longer valid
	}{
		{"unknown", func(s scene) error {
			return use(s, func(c *approval.Claim) { c.Envelope = "nowhere" })
		}, approval.ErrUnknown, "rejected:unknown", false},
		{"expired", func(s scene) error { s.advance(5 * time.Minute); return use(s, asIs) },
			approval.ErrExpired, "rejected:expired", true},
		{"replayed", func(s scene) error {
			if err := use(s, asIs); err != nil {
				t.Fatal(err)
			}
			return use(s, asIs)
		}, approval.ErrReplayed, "rejected:replayed", true},
		{"tampered", func(s scene) error {
			edit(t, s.path, func(tx *bbolt.Tx) error {
				return tx.Bucket([]byte("payloads")).Put([]byte(s.e.ID),
					slices.Concat(s.e.Payload, []byte(" ")))
			})
			return use(s, asIs)
		}, approval.ErrTampered, "rejected:tampered", true},
		{"mismatched", func(s scene) error {
			return use(s, func(c *approval.Claim) { c.PlanHash = strings.Repeat("0", 64) })
		},
			approval.ErrMismatch, "rejected:mismatch", true},
		{"reordered", func(s scene) error {
			return answer(s, func(d *approval.Decision) { slices.Reverse(d.Calls) })
		}, approval.ErrReordered, "rejected:bijection", false},
		{"duplicated", func(s scene) error {
			return answer(s, func(d *approval.Decision) { d.Calls[1] = d.Calls[0] })
		}, approval.ErrDuplicated, "rejected:bijection", false},
		{"one missing", func(s scene) error {
			return answer(s, func(d *approval.Decision) { d.Calls = d.Calls[:1] })
		}, approval.ErrBijection, "rejected:bijection", false},
		{"truncated", func(s scene) error {
			return handIn(s, func(b []byte) []byte { return b[:len(b)/2] })
		}, approval.ErrTruncated, "rejected:truncated", false},
		{"oversized", func(s scene) error {
			return handIn(s, func(b []byte) []byte {
				return append(b, make([]byte, approval.MaxRequest)...)
			})
		}, approval.ErrOversized, "rejected:oversized", false},
		{"oversized words", func(s scene) error {
			return answer(s, func(d *approval.Decision) {
				d.Calls[0].Message = strings.Repeat("w", approval.MaxMessage+1)
			})
		}, approval.ErrOversized, "rejected:oversized", false},
		{"malformed", func(s scene) error {
			return handIn(s, func([]byte) []byte { return []byte("hello\n") })
		}, approval.ErrMalformed, "rejected:malformed", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scene{clock: newClock()}
			s.Store, s.path = open(t, s.clock, nil)
			s.e = ask(t, s, plantest.Small(t, nil, "c1", "c2"))
			decide(t, s, yes(s.e))
			err := c.do(s)
			f, known := approval.Explain(err)
			if !errors.Is(err, c.want) || !known || f.Outcome != c.outcome || f.Exit != 126 {
				t.Fatalf("%v is told as %+v", err, f)
			}
			// before an envelope is known the error is a TokenError, and Explain has its outcome
			var r *approval.Refused
			if errors.As(err, &r) && r.Outcome != c.outcome {
				t.Errorf("the store says %q", r.Outcome)
			}
			if other := codes[f.Code]; other != "" && !strings.HasPrefix(c.name, other) {
				t.Errorf("the code %q is that of %q", f.Code, other)
			}
			if other := words[f.Message]; other != "" && !strings.HasPrefix(c.name, other) {
				t.Errorf("the words %q are those of %q", f.Message, other)
			}
			codes[f.Code], words[f.Message] = c.name, c.name
			if err := use(s, asIs); (err != nil) != c.spent {
				t.Errorf("the approval afterwards: %v", err)
			}
		})
	}
}
