package agent

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// Servers that are another cluster than the one that has the approvals are refused by name, at the
// next start as well: nothing is published there, and no answer is taken from there.
func TestAnotherCluster(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	m.start()
	e := m.ask(0)
	m.published(e.ID)
	known, err := m.folder.Cluster()
	if err != nil || known == 0 {
		t.Fatalf("it remembers cluster %x, %v", known, err)
	}
	m.stop()
	if err := m.folder.Remember(known + 1); err != nil { // as if the servers were others
		t.Fatal(err)
	}
	if _, err := b.root.Delete(t.Context(), "tada/1/questions/"+m.own.ID+"/"+e.ID); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m.serve()
		m.eventually("the agent ends", func() bool { return m.ended() != nil })
		m.stop()
		if err := m.ended(); !errors.Is(err, approval.ErrMeddled) ||
			!strings.Contains(err.Error(), "cluster") {
			t.Errorf("%v", err)
		}
		m.end = nil
	}
	// one that is running finds out when it takes its place again
	a := &Agent{Launcher: m.l, Folder: m.folder, Etcd: m.etcd, Out: m, Now: time.Now,
		own: own{Membership: m.own}}
	err = a.keepDoing(t.Context(), "place", a.holdPlace)
	if !errors.Is(err, approval.ErrMeddled) || !strings.Contains(err.Error(), "the servers at") {
		t.Errorf("%v", err)
	}
	got, err := b.root.Get(t.Context(), "tada/1/questions/"+m.own.ID+"/"+e.ID)
	if err != nil || len(got.Kvs) > 0 {
		t.Errorf("the question was published there: %v, %v", got, err)
	}
	if err := m.folder.Remember(known); err != nil {
		t.Fatal(err)
	}
	m.start()
	m.published(e.ID)
}
