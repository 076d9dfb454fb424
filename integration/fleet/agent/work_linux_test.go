package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/integration/served"
	"github.com/tada-run/tada-run/launcher/permit"
)

// An agent is killed at any moment while its machine asks, somebody answers, the approval is used,
// and the record is shipped: no approval is used twice, no question and no answer is lost, and the
// bucket has each byte of the record once. TEST_ROUNDS=4 kills it 200 times.
func TestKilledAtWork(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	proven := b.ships()
	m := b.machine("")
	if err := m.folder.SetShipKey(served.S3Key, served.S3Secret); err != nil {
		t.Fatal(err)
	}
	over, kills := make(chan bool), 0
	var killer sync.WaitGroup
	killer.Go(func() {
		defer close(over)
		for range hermetic.Rounds(50) {
			m.killedWhile(time.Duration(rand.IntN(1500)) * time.Millisecond)
			kills++
		}
	})
	var lives []*life
	for n, alive := 0, true; alive; n++ {
		select {
		case <-over:
			alive = false
		default:
			lives = append(lives, &life{machine: m, n: n})
			lives[n].live(over)
		}
	}
	killer.Wait()
	m.free()
	m.start()
	m.eventually("connected", func() bool { return m.l.Online(t.Context()) == nil })
	for _, x := range lives {
		x.live(nil)
		x.check()
	}
	if open, err := m.l.Pending(t.Context()); err != nil || len(open) > 0 {
		t.Errorf("%d questions are open: one was asked twice; %v", len(open), err)
	}
	m.stop()
	m.start()
	m.eventually("the record is shipped", func() bool { return proven(m) })
	t.Logf("%d kills, %d lives", kills, len(lives))
}

// ships has the record of all machines shipped. The function reports whether all of a machine's is
// proven.
func (b *bed) ships() func(*machine) bool {
	b.Helper()
	team, err := age.GenerateX25519Identity()
	if err != nil {
		b.Fatal(err)
	}
	url, _ := served.StartBucket(b, "records")
	to := document.Shipping{Endpoint: url, Bucket: "records",
		Recipients: []string{team.Recipient().String()}}
	if _, err := b.office().Change(b.Context(), b.ann, func(f *document.Fleet) error {
		f.Ship = to
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	from, err := ship.OpenBucket(to, ship.Key{ID: served.S3Key, Secret: served.S3Secret})
	if err != nil {
		b.Fatal(err)
	}
	return func(m *machine) bool {
		f, err := ship.Check{Bucket: from, Fleet: b.office().Known,
			Identities: []age.Identity{team}}.Machine(b.Context(), m.own.ID)
		if err != nil && f.Manifests > 0 {
			b.Fatal(err)
		}
		head, err := m.l.Head()
		if err != nil {
			b.Fatal(err)
		}
		return head == (audit.Point{Count: f.Report.Entries, Head: f.Report.Head})
	}
}

// killedWhile starts an agent as a process and kills it some time after it serves.
func (m *machine) killedWhile(life time.Duration) {
	m.Helper()
	m.free()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestAgentProcess$")
	cmd.Env = append(os.Environ(), agentOf+"="+m.l.Home().Dir)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		m.Error(err)
		return
	}
	for tries := 0; tries < 200 && m.l.Online(m.Context()) != nil; tries++ {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(life)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if text := out.String(); strings.Contains(text, "FAIL") || strings.Contains(text, "panic") {
		m.Errorf("it ended by itself:\n%.2000s", text)
	}
}

// free makes the place of an agent that was killed free, as its lease does ten seconds later.
func (m *machine) free() {
	at := "tada/1/agents/" + m.own.ID + "/place"
	if _, err := m.root.Delete(context.Background(), at); err != nil {
		m.Error(err)
	}
}

// A life is that of one question.
type life struct {
	*machine
	n        int
	e        approval.Envelope
	answered bool
	used     int
	unsure   int
	story    story
}

// live goes on with a life, until it is over or the channel is closed.
func (x *life) live(end <-chan bool) {
	x.Helper()
	for deadline := time.Now().Add(time.Minute); x.used+x.unsure == 0; {
		select {
		case <-end:
			return
		default:
		}
		if err := x.step(); err != nil && !errors.Is(err, approval.ErrOffline) &&
			!errors.Is(err, approval.ErrUnsure) && !errors.Is(err, people.ErrSilent) ||
			time.Now().After(deadline) {
			e, _ := x.l.Store.Get(x.Context(), x.e.ID)
			x.Fatalf("question %d (%q, answered %t, %s, decided %t): %v\n%.3000s", x.n, x.e.ID,
				x.answered, e.State, e.Decision != nil, err, x.text())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (x *life) step() error {
	switch {
	case x.e.ID == "":
		return x.request()
	case !x.answered:
		return x.decide()
	}
	return x.use()
}

func (x *life) request() error {
	if err := x.l.Ready(); err != nil {
		return err
	}
	return x.story.add("ask", func() error {
		return x.l.Deciding(func() ([]approval.Event, error) {
			e, _, err := x.l.Store.Request(context.Background(), approval.Request{
				Session: fmt.Sprint("s", x.n), Requester: permit.Person(),
				Payload: plantest.Small(x, func(p map[string]any) { p["n"] = x.n })})
			if err == nil {
				x.e = e
			}
			return e.Events, err
		})
	})
}

// decide answers the question, as soon as it is published, and once.
func (x *life) decide() error {
	list, err := x.office().Questions(x.Context(), x.ann.ID())
	if err != nil {
		return err
	}
	for _, q := range list {
		if q.Envelope != x.e.ID {
			continue
		}
		x.answered = true
		ctx, cancel := context.WithTimeout(x.Context(), 5*time.Second)
		defer cancel()
		return x.story.add("answer", func() error {
			o, err := x.office().Answer(ctx, q, x.token(x.ann, q, true))
			if err == nil && !o.Taken {
				x.Errorf("question %d: the answer is lost: %q", x.n, o.Message)
			}
			return err
		})
	}
	return nil
}

// use claims the approval twice.
func (x *life) use() error {
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i := range errs {
		both.Go(func() {
			errs[i] = x.story.add("use", func() error {
				_, err := x.l.Store.Consume(context.Background(), approval.Claim{
					Session: x.e.Session, Envelope: x.e.ID, PlanHash: x.e.PlanHash})
				return err
			})
		})
	}
	both.Wait()
	var failed error
	for _, err := range errs {
		switch {
		case err == nil:
			x.used++
		case errors.Is(err, approval.ErrUnsure):
			x.unsure++
		case errors.Is(err, approval.ErrReplayed), errors.Is(err, approval.ErrPending):
		default:
			failed = err
		}
	}
	return failed
}

// check tries to use the approval once more.
func (x *life) check() {
	x.Helper()
	before := x.used
	if err := x.use(); err != nil {
		x.Error(err)
	}
	if x.used > 1 || x.used != before && x.unsure == 0 {
		x.Errorf("question %d: used %d times, then %d times", x.n, before, x.used)
	}
	if !x.story.possible() {
		x.Errorf("question %d has an impossible history: %v", x.n, x.story.all)
	}
}
