package agent

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// A question is answered from elsewhere, once, and used on the machine that asked.
func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	m := newBed(t).machine("env=ci")
	m.start()
	m.trusts(1)
	e := m.ask(0)
	q := m.published(e.ID)
	if o := m.answer(m.ann, q, true); !o.Taken || !o.Approved {
		t.Fatalf("%+v", o)
	}
	if o := m.answer(m.ann, q, false); o.Taken {
		t.Errorf("a second answer: %+v", o)
	}
	if e := m.get(e.ID); !e.Approved() {
		t.Errorf("%+v", e)
	}
	use := func() error {
		_, err := m.l.Store.Consume(context.Background(), approval.Claim{Session: "s",
			Envelope: e.ID, PlanHash: e.PlanHash})
		return err
	}
	if err := use(); err != nil {
		t.Error(err)
	}
	if err := use(); !errors.Is(err, approval.ErrReplayed) {
		t.Errorf("used twice: %v", err)
	}
	m.eventually("the question is no longer published", func() bool {
		list, err := m.office().Questions(t.Context(), m.ann.ID())
		return err == nil && len(list) == 0
	})
}

// What is open when a machine joins stays open.
func TestOpenQuestionsMove(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	before := &machine{bed: b, l: openPlace(t, filepath.Join(t.TempDir(), "state"))}
	e := before.ask(0)
	m := b.join(before.l, registrar.Invitation{})
	if err := m.l.Ready(); !errors.Is(err, approval.ErrOffline) {
		t.Errorf("before its agent was started: %v", err)
	}
	m.start()
	if o := m.answer(b.ann, m.published(e.ID), true); !o.Approved {
		t.Errorf("%+v", o)
	}
}

// Only whom the fleet names for this machine, up to the risk that it names, and nobody by hearsay.
func TestWhoMayAnswer(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob, eve, low := newKey(t, "bob"), newKey(t, "eve"), newKey(t, "low")
	b.add(bob, document.Person{MaxRisk: 3}, "env=ci,team=web")
	b.add(eve, document.Person{MaxRisk: 3}, "env=prod")
	b.add(low, document.Person{MaxRisk: 0}, "*")
	m, other := b.machine("env=ci,team=web"), b.machine("env=ci")
	m.start()
	other.start()
	m.trusts(3) // ann, bob and low
	q, theirs := m.published(m.ask(0).ID), other.published(other.ask(0).ID)
	for name, token := range map[string][]byte{
		"for other machines":   m.token(eve, q, true),
		"above the risk":       m.token(low, q, true),
		"of another key":       m.token(newKey(t, "bob"), q, true),
		"for another question": other.token(bob, theirs, true),
		"changed": []byte(strings.Replace(string(m.token(bob, q, true)), ".e", ".f",
			1)),
		"garbage": []byte("yes"),
		"nothing": nil,
	} {
		if o := m.hand(q, token); o.Taken {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if e := m.get(q.Envelope); e.Decision != nil {
		t.Fatalf("decided: %+v", e.Decision)
	}
	if o := m.answer(bob, q, true); !o.Approved {
		t.Errorf("%+v", o)
	}
}

// An answer that came while no agent was there, or while the one that was killed still has its
// place, waits for the next one.
func TestAnswerWaits(t *testing.T) {
	t.Parallel()
	m := newBed(t).machine("")
	m.start()
	m.trusts(1)
	q := m.published(m.ask(0).ID)
	m.stop()
	at := "tada/1/agents/" + m.own.ID + "/place"
	if _, err := m.root.Put(t.Context(), at, "one that was killed"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if o, err := m.office().Answer(ctx, q, m.token(m.ann, q, true)); !errors.Is(err,
		people.ErrSilent) {
		t.Errorf("without an agent: %+v, %v", o, err)
	}
	m.l = openPlace(t, m.l.Home().Dir) // a process that has read nothing yet
	m.serve()
	time.Sleep(2 * time.Second) // it looks for its place, and for answers
	if _, err := m.root.Delete(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	m.eventually("approved", func() bool {
		return m.l.Ready() == nil && m.get(q.Envelope).Approved()
	})
}

// Where two people must approve, one person is one, with however many answers.
func TestQuorum(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob := newKey(t, "bob")
	b.add(bob, document.Person{MaxRisk: 3}, "*")
	m := b.machine("")
	m.start()
	m.trusts(2)
	q := m.published(m.ask(2).ID)
	if o := m.answer(b.ann, q, true); !o.Taken || o.Votes != 1 || o.People != 2 {
		t.Errorf("%+v", o)
	}
	if o := m.answer(b.ann, q, true); o.Votes > 1 ||
		!strings.HasPrefix(o.Word(), "nothing changed: ") {
		t.Errorf("one person, twice: %+v: %s", o, o.Word())
	}
	if e := m.get(q.Envelope); e.Approved() {
		t.Fatal("approved by one person")
	}
	if o := m.answer(bob, q, true); o.Votes != 2 || !o.Approved {
		t.Errorf("%+v", o)
	}
}

// Whoever writes in etcd does not fill the record of a machine, with garbage or with copies.
func TestFloodOfAnswers(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.add(newKey(t, "bob"), document.Person{MaxRisk: 3}, "*")
	m := b.machine("")
	m.start()
	m.trusts(2)
	q := m.published(m.ask(2).ID)
	token := m.token(b.ann, q, true)
	if o := m.hand(q, token); !o.Taken || o.Votes != 1 {
		t.Fatalf("%+v", o)
	}
	below := "tada/1/answers/" + m.own.ID + "/"
	for i := range 40 {
		text := string(token)
		if i%2 == 0 {
			text = "garbage " + strconv.Itoa(i)
		}
		at := below + q.Envelope + "/" + strconv.Itoa(i)
		if _, err := b.root.Put(t.Context(), at, text); err != nil {
			t.Fatal(err)
		}
	}
	m.eventually("all are taken away", func() bool {
		got, err := b.root.Get(t.Context(), below, clientv3.WithPrefix())
		return err == nil && len(got.Kvs) == 0
	})
	refused := 0
	for _, err := range m.l.Entries(audit.Filter{Kinds: []string{approval.KindRefused}}) {
		if err != nil {
			t.Fatal(err)
		}
		refused++
	}
	if refused > 0 {
		t.Errorf("the record has %d refusals", refused)
	}
}

// More than an agent may read at once, below the place of its answers, stops it from nothing.
func TestHeapOfAnswers(t *testing.T) {
	t.Parallel()
	m := newBed(t).machine("")
	below, value := "tada/1/answers/"+m.own.ID+"/", strings.Repeat("x", 1<<20)
	for i := range 40 {
		if _, err := m.root.Put(t.Context(), below+strconv.Itoa(i), value); err != nil {
			t.Fatal(err)
		}
	}
	m.start()
	m.trusts(1)
	if o := m.answer(m.ann, m.published(m.ask(0).ID), true); !o.Approved {
		t.Errorf("%+v", o)
	}
}

// What a machine says of itself, and the ids that it chooses, move nobody's screen.
func TestWhatAMachineSays(t *testing.T) {
	t.Parallel()
	m := newBed(t).machine("")
	m.start()
	m.trusts(1)
	evil := "a\x1b[2J\u009b2J"
	q := m.published(m.ask(0).ID)
	e, err := m.l.Envelope(t.Context(), q.Envelope)
	if err != nil {
		t.Fatal(err)
	}
	e.ID = evil
	text, err := e.Export(m.own.ID)
	if err != nil {
		t.Fatal(err)
	}
	said, err := canonical.Append(nil, map[string]any{"head": evil + strings.Repeat("x", 1<<16),
		"policies": []any{map[string]any{"error": evil, "name": evil, "stage": evil, "version": 1}},
		"record":   []any{map[string]any{"why": evil}},
		"replays":  []any{map[string]any{"why": evil}}})
	if err != nil {
		t.Fatal(err)
	}
	m.stop()
	for key, value := range map[string]string{
		"tada/1/questions/" + m.own.ID + "/" + evil: string(text),
		"tada/1/agents/" + m.own.ID + "/place":      evil,
		"tada/1/seen/" + m.own.ID + "/said":         string(said),
	} {
		if _, err := m.etcd.Put(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	list, err := m.office().Questions(t.Context(), m.ann.ID())
	if err != nil || len(list) != 1 || list[0].Envelope != q.Envelope {
		t.Errorf("%d questions, %v", len(list), err)
	}
	all, err := m.office().Members(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	one := all[0]
	if len(one.Policies) != 1 || one.Head == "" || one.Unshipped == "" ||
		len(one.Replays) != 1 {
		t.Fatalf("%+v", one)
	}
	p := one.Policies[0]
	shown := one.Agent + one.Head + one.Unshipped + one.Replays[0] + p.Name + string(p.Stage) +
		p.Error
	if strings.ContainsAny(shown, "\x1b\u009b") || len(shown) > 2000 {
		t.Errorf("%q", shown)
	}
}
