package agent

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
)

// Of many machines that ask at the same time, each question is answered from one place, and each
// approval is used once, although two claim it, and although one of the three nodes of etcd is
// killed before the answers and starts again after them: none twice, none lost. make fleet-stress
// has a thousand machines with ten questions each.
func TestManyMachines(t *testing.T) {
	n, each := 4, 3
	if text := os.Getenv("TEST_MACHINES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		each = 10
	} else {
		t.Parallel()
	}
	b := newBedAt(t, 3, time.Now)
	before := b.etcd.Memory(0)
	began := time.Now()
	machines := make([]*machine, n)
	inTurns(n, func(i int) {
		machines[i] = b.machine("n=" + strconv.Itoa(i))
		machines[i].start()
	})
	t.Logf("%d machines joined in %v", n, time.Since(began).Round(time.Second))
	t.Logf("etcd has %d KiB more for each", (b.etcd.Memory(0)-before)/n)

	began = time.Now()
	asked := make([][]approval.Envelope, n)
	inTurns(n, func(i int) {
		for range each {
			asked[i] = append(asked[i], machines[i].asks())
		}
	})
	t.Logf("%d questions asked in %v", n*each, time.Since(began).Round(time.Second))

	b.etcd.Kill(2)
	began = time.Now()
	answering := &answering{bed: b, by: machines[0], tried: map[string]bool{},
		done: map[string]bool{}}
	patience := 2*time.Minute + time.Duration(n*each)*200*time.Millisecond
	for deadline := began.Add(patience); len(answering.done) < n*each; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d questions were answered", len(answering.done), n*each)
		}
		answering.round()
	}
	t.Logf("answered in %v, by two of the three nodes", time.Since(began).Round(time.Second))
	b.etcd.Start(2)

	began = time.Now()
	var used, unsure atomic.Int64
	inTurns(n, func(i int) {
		for _, e := range asked[i] {
			done, maybe := machines[i].claimTwice(e)
			if done > 1 || done+maybe == 0 {
				t.Errorf("an approval was used %d times, or perhaps %d times more", done, maybe)
			}
			used.Add(int64(done))
			unsure.Add(int64(maybe))
		}
	})
	t.Logf("used in %v; of %d claims the outcome is not known",
		time.Since(began).Round(time.Second), unsure.Load())
	if got := used.Load(); got > int64(n*each) || got < int64(n*each)-unsure.Load() {
		t.Errorf("%d of %d approvals were used", got, n*each)
	}
	b.freezes(machines)
}

// freezes has ann stop all machines, and reports how long it takes.
func (b *bed) freezes(machines []*machine) {
	b.Helper()
	began := time.Now()
	if _, err := b.office().Freeze(b.Context(), b.ann, document.Freeze{
		Machines: document.Everywhere(), Time: began}); err != nil {
		b.Fatal(err)
	}
	for _, m := range machines {
		m.eventually("frozen", func() bool { return m.l.Home().Frozen() != "" })
	}
	b.Logf("all are frozen %v after the order", time.Since(began).Round(time.Millisecond))
}

// An answering is what ann has answered.
type answering struct {
	*bed
	by *machine

	mu    sync.Mutex
	tried map[string]bool // without a word of what became of it
	done  map[string]bool
}

// round answers what is published and was not answered. What was tried, and is not published any
// more, was taken.
func (a *answering) round() {
	a.Helper()
	office := a.office()
	list, err := office.Questions(a.Context(), a.ann.ID())
	if err != nil {
		a.Log(err)
		return
	}
	open := map[string]bool{}
	for _, q := range list {
		open[q.Envelope] = true
	}
	for id := range a.tried {
		if !open[id] {
			a.done[id] = true
			delete(a.tried, id)
		}
	}
	inTurns(len(list), func(i int) { a.answer(office, list[i]) })
}

func (a *answering) answer(from people.Office, q people.Question) {
	a.mu.Lock()
	before := a.done[q.Envelope]
	a.mu.Unlock()
	if before {
		return
	}
	o, err := from.Answer(a.Context(), q, a.by.token(a.ann, q, true))
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil && o.Taken:
		a.done[q.Envelope] = true
		delete(a.tried, q.Envelope)
	case err != nil && !errors.Is(err, people.ErrSilent):
		a.Log(err)
		a.tried[q.Envelope] = true
	default: // its agent had not taken the list of people yet, or was busy
		a.tried[q.Envelope] = true
	}
}

// claimTwice claims an approval twice at the same time, each until the machine's approvals can be
// reached. It returns how many of the claims used it, and how many may have.
func (m *machine) claimTwice(e approval.Envelope) (used, unsure int) {
	m.Helper()
	outcomes := make([]error, 2)
	var claims sync.WaitGroup
	for i := range outcomes {
		claims.Go(func() { outcomes[i] = m.claim(e) })
	}
	claims.Wait()
	for _, err := range outcomes {
		switch {
		case err == nil:
			used++
		case errors.Is(err, approval.ErrUnsure):
			unsure++
		case !errors.Is(err, approval.ErrReplayed):
			m.Error(err)
		}
	}
	return used, unsure
}

func (m *machine) claim(e approval.Envelope) error {
	return reached(func() error {
		_, err := m.l.Store.Consume(context.Background(), approval.Claim{Session: "s",
			Envelope: e.ID, PlanHash: e.PlanHash})
		return err
	})
}

// asks is ask for a machine whose etcd is busy. To ask the same again is no other question.
func (m *machine) asks() (e approval.Envelope) {
	m.Helper()
	m.asked++
	if err := reached(func() (err error) {
		e, err = m.request(0)
		if errors.Is(err, approval.ErrUnsure) {
			err = approval.ErrAway
		}
		return err
	}); err != nil {
		m.Error(err)
	}
	return e
}

// reached does something until the approvals of the machine can be reached.
func reached(do func() error) error {
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		err := do()
		if time.Now().After(deadline) || !errors.Is(err, approval.ErrOffline) &&
			!errors.Is(err, approval.ErrAway) && !errors.Is(err, approval.ErrLocked) &&
			!errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
}

// inTurns does something n times, a few at a time.
func inTurns(n int, do func(int)) {
	var all sync.WaitGroup
	turns := make(chan bool, 16)
	for i := range n {
		turns <- true
		all.Go(func() {
			defer func() { <-turns }()
			do(i)
		})
	}
	all.Wait()
}
