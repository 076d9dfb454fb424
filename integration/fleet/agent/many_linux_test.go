package agent

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
)

// Of many machines that ask at the same time, each question is answered from one place, and each
// approval is used once as soon as it is there, although two claim it, and although one of the
// three nodes of etcd is killed before the answers and starts again at half of them: none twice,
// none lost. make fleet-stress has a thousand machines with ten questions each.
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
	asked := map[string]asking{}
	var mu sync.Mutex
	inTurns(n, func(i int) {
		for range each {
			e := machines[i].asks()
			mu.Lock()
			asked[e.ID] = asking{machines[i], e}
			mu.Unlock()
		}
	})
	t.Logf("%d questions asked in %v", n*each, time.Since(began).Round(time.Second))

	b.etcd.Kill(2)
	began = time.Now()
	answering := &answering{bed: b, by: machines[0], asked: asked, tried: map[string]bool{},
		done: map[string]bool{}}
	patience := 2*time.Minute + time.Duration(n*each)*200*time.Millisecond
	dead := true
	for deadline := began.Add(patience); len(answering.done) < n*each; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d questions were answered", len(answering.done), n*each)
		}
		answering.round()
		if dead && len(answering.done) >= n*each/2 {
			b.etcd.Start(2)
			dead = false
		}
	}
	t.Logf("answered and used in %v; of %d claims the outcome is not known",
		time.Since(began).Round(time.Second), answering.unsure)
	if got := answering.used; got > n*each || got < n*each-answering.unsure {
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

// An asking is a question and the machine that has it.
type asking struct {
	*machine
	question approval.Envelope
}

// An answering is what ann has answered, and what became of it.
type answering struct {
	*bed
	by    *machine
	asked map[string]asking

	mu     sync.Mutex
	tried  map[string]bool // without a word of what became of it
	done   map[string]bool // and claimed
	used   int
	unsure int
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
	var taken []string
	for id := range a.tried {
		if !open[id] {
			taken = append(taken, id)
		}
	}
	inTurns(len(taken), func(i int) { a.use(taken[i]) })
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
	if err == nil && o.Taken {
		a.use(q.Envelope)
		return
	}
	if err != nil && !errors.Is(err, people.ErrSilent) {
		a.Log(err)
	} // else its agent had not taken the list of people yet, or was busy
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tried[q.Envelope] = true
}

// use has the machine use an approval that was taken.
func (a *answering) use(id string) {
	one := a.asked[id]
	used, unsure := one.claimTwice(one.question)
	if used > 1 || used+unsure == 0 {
		a.Errorf("an approval was used %d times, or perhaps %d times more", used, unsure)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.tried, id)
	a.done[id] = true
	a.used, a.unsure = a.used+used, a.unsure+unsure
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
