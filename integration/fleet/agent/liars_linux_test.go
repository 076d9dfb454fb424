package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/cosign"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// A machine that publishes another one's question, or its own under another name, asks nobody
// anything, and is named.
func TestAnothersQuestion(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m, other := b.machine("env=ci"), b.machine("env=prod")
	m.start()
	other.start()
	mine, theirs := m.published(m.ask(0).ID), other.published(other.ask(0).ID)
	m.stop()
	text := func(owner, id string) string {
		got, err := b.root.Get(t.Context(), "tada/1/questions/"+owner+"/"+id)
		if err != nil || len(got.Kvs) != 1 {
			t.Fatal(err)
		}
		return string(got.Kvs[0].Value)
	}
	below := "tada/1/questions/" + m.own.ID + "/"
	for id, value := range map[string]string{
		theirs.Envelope: text(other.own.ID, theirs.Envelope),
		"another":       text(m.own.ID, mine.Envelope),
		"garbage":       "x",
	} {
		if _, err := m.etcd.Put(t.Context(), below+id, value); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.office().Questions(t.Context(), b.ann.ID())
	if err != nil || len(list) != 2 {
		t.Errorf("%d questions, %v", len(list), err)
	}
	members, err := b.office().Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lies, err := b.office().Lies(t.Context(), members)
	if err != nil || len(lies) != 3 {
		t.Fatalf("%+v, %v", lies, err)
	}
	all := ""
	for _, l := range lies {
		if l.Machine.ID != m.own.ID {
			t.Errorf("%+v", l)
		}
		all += l.What + "\n"
	}
	for _, want := range []string{"of machine " + other.own.ID, "of another one", "no question"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
}

// A machine that fills all that it may write hides neither the questions of the others nor what
// they say of themselves, and does not choose who cosigns; it is named.
func TestFloodOfQuestions(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m, other := b.machine(""), b.machine("")
	desk := b.join(openPlace(t, filepath.Join(t.TempDir(), "state")),
		registrar.Invitation{People: true})
	m.start()
	other.start()
	desk.start()
	q := other.published(other.ask(0).ID)
	mine := m.published(m.ask(0).ID)
	m.stop()
	value := strings.Repeat("x", 1<<20)
	for i := range 40 {
		for _, below := range []string{"questions/", "agents/", "seen/"} {
			key := fmt.Sprintf("tada/1/%s%s/%s%d", below, m.own.ID, mine.Envelope, i)
			if _, err := m.etcd.Put(t.Context(), key, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 100 {
		key := fmt.Sprintf("tada/1/agents/%s/%d", m.own.ID, i)
		if _, err := m.etcd.Put(t.Context(), key, ""); err != nil {
			t.Fatal(err)
		}
	}
	o := people.Office{Etcd: desk.etcd, Known: b.office().Known} // which reads 32 MB at once
	list, err := o.Questions(t.Context(), b.ann.ID())
	if err != nil || !slices.ContainsFunc(list, func(x people.Question) bool {
		return x.Envelope == q.Envelope
	}) || len(list) != 2 {
		t.Errorf("%d questions, %v", len(list), err)
	}
	members, err := o.Members(t.Context())
	if err != nil || len(members) != 3 {
		t.Fatal(members, err)
	}
	for _, one := range members {
		if one.Connected != (one.ID != m.own.ID) {
			t.Errorf("%s: connected %t", one.ID, one.Connected)
		}
	}
	lies, err := o.Lies(t.Context(), members)
	if err != nil || !slices.ContainsFunc(lies, func(l people.Lie) bool {
		return l.Machine.ID == m.own.ID && strings.Contains(l.What, "more than 200 questions")
	}) {
		t.Errorf("%+v, %v", lies, err)
	}
	ids, err := cosign.Others(t.Context(), desk.etcd, o.Known, desk.own.ID)
	if err != nil || !slices.Equal(ids, []string{other.own.ID}) {
		t.Errorf("%v, %v", ids, err)
	}
}

// An answer that is given again, under any name, after a new start, or on another machine, does
// nothing, and what it is is said.
func TestReplayedAnswer(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m, other := b.machine(""), b.machine("")
	m.start()
	other.start()
	m.trusts(1)
	other.trusts(1)
	q, next, theirs := m.published(m.ask(0).ID), m.published(m.ask(0).ID),
		other.published(other.ask(0).ID)
	token := m.token(b.ann, q, true)
	if o := m.hand(q, token); !o.Approved {
		t.Fatalf("%+v", o)
	}
	e := m.get(q.Envelope)
	if _, err := m.l.Store.Consume(t.Context(), approval.Claim{Session: "s", Envelope: e.ID,
		PlanHash: e.PlanHash}); err != nil {
		t.Fatal(err)
	}
	m.stop()
	m.start()
	for at, want := range map[string]string{
		m.own.ID + "/" + q.Envelope:          "consumed",
		m.own.ID + "/" + next.Envelope:       "it answers question",
		other.own.ID + "/" + theirs.Envelope: "it is for",
	} {
		if said := b.replay(at+"/again", token); !strings.Contains(said, want) ||
			strings.Contains(said, "taken") {
			t.Errorf("%s: %s", at, said)
		}
	}
	other.replayed("an answer to another machine")
	m.replayed("the answer to question "+q.Envelope+" again",
		"the answer to question "+q.Envelope+", for another one")
	for x, id := range map[*machine]string{m: next.Envelope, other: theirs.Envelope} {
		if e := x.get(id); e.Decision != nil {
			t.Errorf("decided: %+v", e.Decision)
		}
	}
}

// replayed waits until a machine is named for what somebody gave it.
func (m *machine) replayed(want ...string) {
	m.Helper()
	m.eventually("it is named", func() bool {
		members, err := m.office().Members(m.Context())
		if err != nil {
			m.Fatal(err)
		}
		found := people.Named(members, m.own.ID)[0].Replays
		slices.Sort(found)
		slices.Sort(want)
		return slices.Equal(found, want)
	})
	for _, one := range want {
		if n := strings.Count(m.text(), one+" was given to this machine"); n != 1 {
			m.Errorf("%q was said %d times", one, n)
		}
	}
}

// replay stores an answer as whoever writes etcd can, and returns what the machine says of it.
func (b *bed) replay(at string, token []byte) string {
	b.Helper()
	if _, err := b.root.Put(b.Context(), "tada/1/answers/"+at, string(token)); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	for w := range b.root.Watch(ctx, "tada/1/outcomes/"+at, clientv3.WithRev(1)) {
		for _, e := range w.Events {
			return string(e.Kv.Value)
		}
	}
	b.Fatalf("%s: the machine says nothing", at)
	return ""
}
