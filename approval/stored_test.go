package approval_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// Every byte that a store writes during a long series of changes, with a fixed clock and a fixed
// source of randomness: other programs, and older ones, read these files. Each change is followed
// by what it returned.
func TestStoredGolden(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	w := &writer{TB: t, out: &out, clock: newClock(),
		path: filepath.Join(privateDir(t), "approvals.db")}
	w.o = approval.Options{Clock: w.read, Rand: rand.NewChaCha8([32]byte{1})}
	w.open()
	w.questions()
	w.signed()
	w.pruned()
	dump(t, w.path, &out)
	w.rebuilt()
	dump(t, w.path, &out)
	const golden = "testdata/stored.golden"
	got := hashed(out.String())
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	written := strings.Split(out.String(), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(lines) || line != lines[i] {
			t.Fatalf("line %d of %s is another: %s", i+1, golden, written[i])
		}
	}
	if got != string(want) {
		t.Fatalf("%s is longer", golden)
	}
}

// hashed shortens the lines of a text to their beginnings and hashes.
func hashed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		sum := sha256.Sum256([]byte(line))
		fmt.Fprintf(&out, "%x %.48q\n", sum[:8], line)
	}
	return out.String()
}

// A writer makes the changes and writes down what they return.
type writer struct {
	testing.TB
	out *strings.Builder
	*clock
	path  string
	o     approval.Options
	store *approval.Store
	told  []approval.Event
}

func (w *writer) open() {
	w.Helper()
	var err error
	if w.store, err = bolt.Open(w.path, w.o); err != nil {
		w.Fatal(err)
	}
}

// say writes what a change returned, and moves the clock.
func (w *writer) say(what string, events []approval.Event, err error) {
	fmt.Fprintf(w.out, "%s: %v\n", what, err)
	for _, e := range events {
		fmt.Fprintf(w.out, "\t%s\n", e.Body())
	}
	w.told = append(w.told, events...)
	w.advance(1500 * time.Millisecond)
}

func (w *writer) ask(what string, r approval.Request) approval.Envelope {
	if r.Session == "" {
		r.Session = "s1"
	}
	e, created, err := w.store.Request(context.Background(), r)
	w.say(fmt.Sprint("ask ", what, " ", created), e.Events, err)
	return e
}

func (w *writer) decide(what string, d approval.Decision) {
	events, err := w.store.Decide(context.Background(), d)
	w.say("decide "+what, events, err)
}

func (w *writer) use(what string, e approval.Envelope) {
	p, err := w.store.Consume(context.Background(), claim(e))
	w.say("use "+what, p.Events, err)
}

func (w *writer) plan(n any, calls ...string) []byte {
	return plantest.Small(w, func(p map[string]any) {
		p["n"] = n
		p["reasons"] = []any{map[string]any{"rule": "delete.tree", "verdict": "ask",
			"message": "deletes"}}
	}, calls...)
}

func (w *writer) risky(n any, risk int) []byte {
	return plantest.Small(w, func(p map[string]any) { p["n"], p["risk"] = n, risk })
}

// questions are asked, answered, used, denied, withdrawn, granted and counted.
func (w *writer) questions() {
	ctx := context.Background()
	used := w.ask("used", approval.Request{Payload: w.plan(1), Through: "bash -c",
		Requester: "you"})
	w.ask("used again", approval.Request{Payload: w.plan(1)})
	d := yes(used)
	d.Via = approval.Via{Channel: approval.ChannelTadactl, Terminal: "pts/3",
		Holder: "xterm (process 7)", Ancestors: []string{"bash (process 9)"}}
	w.decide("used", d)
	w.use("used", used)
	events, err := w.store.Finish(ctx, used.ID, approval.OutcomeExecuted, "exit status 0")
	w.say("finish", events, err)
	w.use("used twice", used)

	lost := w.ask("never finished", approval.Request{Payload: w.plan(2, "c1", "c2"), Session: "s2"})
	d = yes(lost)
	d.Calls[1].Approved, d.Calls[1].Message, d.Calls[1].Instead = false, "not this é\xff", "ls"
	w.decide("in part", d)
	w.use("never finished", lost)

	denied := w.ask("denied", approval.Request{Payload: w.plan(3), TTL: time.Minute})
	w.decide("denied", no(denied, "use a branch"))
	w.ask("denied again", approval.Request{Payload: w.plan(3)})
	w.ask("near-identical", approval.Request{Payload: w.plan(4)})
	events, err = w.store.Undeny(ctx, denied.ID, "me", "tadactl")
	w.say("undeny", events, err)
	w.decide("denied for long", no(w.ask("denied for long", approval.Request{Payload: w.plan(5)}),
		""))

	cancelled := w.ask("cancelled", approval.Request{Payload: w.plan(6)})
	events, err = w.store.Cancel(ctx, cancelled.ID, "its requester is gone")
	w.say("cancel", events, err)
	mismatch := w.ask("spoiled", approval.Request{Payload: w.plan(7)})
	w.decide("spoiled", yes(mismatch))
	_, err = w.store.Consume(ctx, approval.Claim{Session: "s1", Envelope: mismatch.ID,
		PlanHash: used.PlanHash})
	w.say("spoil", nil, err)

	w.decide("canary", yes(w.ask("canary",
		approval.Request{Payload: approval.Canary(1, "claude-code", "PR-118", "/home/me/proj"),
			Canary: true})))
	w.decide("slow", yes(w.ask("slow", approval.Request{Payload: w.risky(8, 2)})))
	fast := w.ask("fast", approval.Request{Payload: w.risky(9, 2)})
	d = yes(fast)
	d.Took, d.Via.Channel = time.Millisecond, approval.ChannelTadactl
	w.decide("hasty", d)
	d.Took = time.Second
	w.decide("fast", d)
	for _, person := range []string{"a", "b"} {
		e := w.ask("quorum", approval.Request{Payload: w.risky(10, 3), Quorum: 2, Person: true})
		d := yes(e)
		d.Person, d.Approver = person, person
		w.decide("quorum", d)
	}
	w.granted()
	w.say("mark", nil, w.store.MarkLogged(ctx, "entry 3", 1, 2, 3))
	w.say("follow", nil, w.store.Follow(ctx, "entry 2"))
	w.ask("open", approval.Request{Payload: w.plan(11), Budget: "team"})
}

func (w *writer) granted() {
	ctx := context.Background()
	grant := func(what string, plan map[string]any) approval.Grant {
		p := plantest.Small(w, func(p map[string]any) {
			for k, v := range plan {
				p[k] = v
			}
		})
		e := w.ask(what, approval.Request{Payload: p})
		w.decide(what, yes(e))
		g, events, err := w.store.Grant(ctx,
			approval.GrantRequest{Envelope: e.ID, PlanHash: e.PlanHash, Approver: "me",
				Channel: "tadactl", Uses: 2})
		w.say("grant "+what, events, err)
		return g
	}
	lint := lintPlan("npm run lint")
	g := grant("lint", lint)
	_, events, err := w.store.UseGrant(ctx, "s1", g.Payload)
	w.say("use grant", events, err)
	other := grant("revoked", lintPlan("npm run fmt"))
	events, err = w.store.Revoke(ctx, other.ID, "no longer needed")
	w.say("revoke", events, err)
	grant("session", sessionPlan("example.com"))
	grant("another session", sessionPlan("example.org"))
	events, err = w.store.Suspend(ctx, "s1", "tampering")
	w.say("suspend", events, err)
	grant("kept", lint)
}

// signed answers, including those of people with codes
func (w *writer) signed() {
	ctx := context.Background()
	k, err := approval.NewKey("dg", rand.NewChaCha8([32]byte{2}))
	if err != nil {
		w.Fatal(err)
	}
	trust := trustOf(w, k.TrustLine())
	verify := func(a approval.Answer) approval.Signed {
		token, err := k.Sign(a, rand.NewChaCha8([32]byte{3, byte(len(w.told))}))
		if err != nil {
			w.Fatal(err)
		}
		s, err := approval.Verify(token, trust, host, w.Now)
		if err != nil {
			w.Fatal(err)
		}
		return s
	}
	e := w.ask("signed", approval.Request{Payload: w.risky(20, 3)})
	text, err := e.Export(host)
	w.say("export "+string(text), nil, err)
	q, err := approval.ReadQuestion(text)
	if err != nil {
		w.Fatal(err)
	}
	a, err := q.Answer(true, "", w.Now, time.Hour)
	if err != nil {
		w.Fatal(err)
	}
	events, err := w.store.DecideSigned(ctx, verify(a))
	w.say("decide signed", events, err)
	a, err = approval.PlanAnswer(w.plan(21), host, w.Now, time.Hour)
	if err != nil {
		w.Fatal(err)
	}
	present, err := w.store.Present(ctx, approval.Request{Session: "s3", Payload: w.plan(21)},
		verify(a))
	w.say("present", present.Events, err)

	_, events, err = w.store.EnrollTOTP(ctx, approval.Enrolment{Account: "me", Approver: "me"})
	w.say("enrol", events, err)
	coded := w.ask("with a code", approval.Request{Payload: w.risky(22, 3)})
	d := yes(coded)
	d.Code = "000000"
	w.decide("wrong code", d)
}

// pruned are ended envelopes and what has expired.
func (w *writer) pruned() {
	ctx := context.Background()
	w.advance(2 * time.Hour)
	events, err := w.store.Prune(ctx)
	w.say("prune", events, err)
	w.advance(8 * 24 * time.Hour)
	w.ask("late", approval.Request{Payload: w.plan(30)})
	dump(w, w.path, w.out)
	events, err = w.store.Prune(ctx)
	w.say("prune later", events, err)
	pending := w.ask("pending at the end", approval.Request{Payload: w.plan(31)})
	w.decide("approved at the end", yes(pending))
}

func (w *writer) rebuilt() {
	var events iter.Seq2[approval.Event, error] = func(yield func(approval.Event, error) bool) {
		for _, e := range w.told {
			if !yield(e, nil) {
				return
			}
		}
	}
	r, err := bolt.Rebuild(context.Background(), w.path, w.o, events)
	r.Aside = filepath.Base(r.Aside)
	w.say(fmt.Sprintf("rebuild %+v", r), nil, err)
}

// dump writes every bucket of the database, every key and every value.
func dump(t testing.TB, path string, out *strings.Builder) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			fmt.Fprintf(out, "bucket %s, sequence %d\n", name, b.Sequence())
			return b.ForEach(func(k, v []byte) error {
				key := string(k)
				if len(k) == 8 && b.Sequence() > 0 {
					key = fmt.Sprint(binary.BigEndian.Uint64(k))
				}
				_, err := fmt.Fprintf(out, "\t%q %q\n", key, v)
				return err
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
