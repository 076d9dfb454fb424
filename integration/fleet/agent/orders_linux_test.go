package agent

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
)

// A freeze holds on the machines that it is for until two people end it, whatever is stored where.
func TestFreeze(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob := newKey(t, "bob")
	b.add(bob, document.Person{Admin: true, MaxRisk: 3}, "*")
	m, other := b.machine("env=ci"), b.machine("env=dev")
	m.start()
	other.start()
	m.trusts(2)
	ci, err := document.ParseSelector("env=ci")
	if err != nil {
		t.Fatal(err)
	}
	order, err := b.office().Freeze(t.Context(), b.ann,
		document.Freeze{Machines: ci, Reason: "a \x1b[2Jleak", Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	frozen := func(m *machine) string {
		why, err := m.folder.Frozen()
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	m.eventually("frozen", func() bool { return frozen(m) != "" })
	if why := frozen(m); strings.Contains(why, "\x1b") || !strings.Contains(why, "ann") {
		t.Errorf("%q", why)
	}
	m.eventually("the agent says so", func() bool {
		return strings.Contains(m.text(), `frozen by ann: "a \x1b[2Jleak"`)
	})
	if why := frozen(other); why != "" {
		t.Errorf("another machine: %q", why)
	}
	for _, stored := range []string{"", "x", "\n\n— ann AAAA\n"} { // nor does it stop the end
		if _, err := b.root.Put(t.Context(), "tada/1/thaws/"+order.ID, stored); err != nil {
			t.Fatal(err)
		}
		if by, err := b.office().Thaw(t.Context(), b.ann, order.ID); err != nil || len(by) != 1 {
			t.Errorf("%q is stored: %q, %v", stored, by, err)
		}
	}
	if _, err := b.office().Thaw(t.Context(), b.ann, order.ID); err == nil {
		t.Error("the same person signs twice")
	}
	for _, name := range []string{"eve", "bob"} { // bob's name, and another key
		if by, err := b.office().Thaw(t.Context(), newKey(t, name), order.ID); err == nil ||
			!strings.Contains(err.Error(), "is not an administrator") {
			t.Errorf("a key of nobody signs: %q, %v", by, err)
		}
	}
	if _, err := b.office().Thaw(t.Context(), b.ann, "zzz"); err == nil ||
		!strings.Contains(err.Error(), `no freeze has the id "zzz"`) {
		t.Errorf("an unknown freeze: %v", err)
	}
	if got, err := b.root.Get(t.Context(), "tada/1/thaws/zzz"); err != nil || got.Count > 0 {
		t.Errorf("it is stored: %v", err)
	}
	// neither the loss of the order, nor a new start, nor the words of one person end it
	if _, err := b.root.Delete(t.Context(), "tada/1/freezes/"+order.ID); err != nil {
		t.Fatal(err)
	}
	m.stop()
	m.start()
	time.Sleep(300 * time.Millisecond)
	if frozen(m) == "" {
		t.Error("it ended by itself")
	}
	if by, err := b.office().Thaw(t.Context(), bob, order.ID); err != nil || len(by) != 2 {
		t.Errorf("%q, %v", by, err)
	}
	m.eventually("ended", func() bool { return frozen(m) == "" })
	text, err := order.Sign(b.ann)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.root.Put(t.Context(), "tada/1/freezes/"+order.ID, string(text)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if why := frozen(m); why != "" {
		t.Errorf("an order that has ended is given again: %q", why)
	}
}

// Whoever writes etcd brings back no older list of people, and makes none.
func TestOlderDocument(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	got, err := b.root.Get(t.Context(), "tada/1/fleet")
	if err != nil {
		t.Fatal(err)
	}
	first := string(got.Kvs[0].Value)
	m := b.machine("")
	m.start()
	b.add(newKey(t, "bob"), document.Person{MaxRisk: 3}, "*")
	m.trusts(2)
	mallory := newKey(t, "mallory")
	f := b.office().Known
	f.Serial++
	f.People = append(f.People, document.Person{Name: "mallory", Key: mallory.Public(),
		Answers: f.People[0].Answers, MaxRisk: 3})
	forged, err := f.Sign(mallory)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"older": first, "forged": string(forged),
		"garbage": "x", "empty": ""} {
		before := strings.Count(m.text(), "is not taken")
		if _, err := b.root.Put(t.Context(), "tada/1/fleet", text); err != nil {
			t.Fatal(err)
		}
		m.eventually(name+" is refused", func() bool {
			return strings.Count(m.text(), "is not taken") > before
		})
		m.trusts(2)
	}
}

func TestRevoked(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	m.start()
	m.trusts(1)
	if _, err := b.office().Change(t.Context(), b.ann, func(f *document.Fleet) error {
		f.Revoked = append(f.Revoked, m.own.ID)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	m.endsRevoked()
}

func (m *machine) endsRevoked() {
	m.Helper()
	m.eventually("the agent ends", func() bool { return errors.Is(m.ended(), document.ErrRevoked) })
	m.trusts(0)
}

// A machine that was away while it was revoked, and while the administrators changed, learns both
// from the registrar: etcd lets it read nothing.
func TestAwayWhileRevoked(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	bob, carol := newKey(t, "bob"), newKey(t, "carol")
	b.add(bob, document.Person{Admin: true, MaxRisk: 3}, "*")
	o := b.office()
	text, err := o.Change(t.Context(), b.ann, func(f *document.Fleet) error {
		f.People = append(f.People[1:], document.Person{Name: "carol", Key: carol.Public(),
			Admin: true})
		return nil
	})
	if err == nil {
		err = o.Finish(t.Context(), bob, text)
	}
	if err == nil {
		_, err = o.Change(t.Context(), carol, func(f *document.Fleet) error {
			f.Revoked = append(f.Revoked, m.own.ID)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	m.eventually("it is expelled", func() bool {
		_, err := m.etcd.Get(t.Context(), "tada/1/fleet")
		return denied(err)
	})
	m.serve()
	m.endsRevoked()
}

// A machine is named by its id, or by a name that no other one has.
func TestNamed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	for _, which := range []string{m.own.ID, "machine"} {
		if got, err := b.office().Machine(t.Context(), which); err != nil || got.ID != m.own.ID {
			t.Errorf("%q: %q, %v", which, got.ID, err)
		}
	}
	other := b.machine("")
	for which, want := range map[string][]string{"machine": {m.own.ID, other.own.ID},
		"nobody": {`no machine has the id or the name "nobody"`}, "": {"no machine"}} {
		_, err := b.office().Machine(t.Context(), which)
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%q: %v", which, err)
			}
		}
	}
}

// Two machines with one key: the second is refused, and told so.
func TestTwoMachinesWithOneKey(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	m.start()
	copied := filepath.Join(t.TempDir(), "state")
	if out, err := exec.Command("cp", "-a", m.l.Home().Dir, copied).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_ = os.Remove(filepath.Join(copied, "run", "fleet.sock"))
	twin := &machine{bed: b, l: openPlace(t, copied), own: m.own, etcd: m.etcd}
	twin.folder = member.In(twin.l.Home())
	a := &Agent{Launcher: twin.l, Folder: twin.folder, Etcd: twin.etcd, Now: time.Now, Out: twin}
	if err := a.Run(t.Context()); !errors.Is(err, ErrTaken) {
		t.Errorf("%v\n%s", err, twin.text())
	}
	if m.text() != m.connected() {
		t.Errorf("the first one: %s", m.text())
	}
}

// A place whose lease another machine keeps alive does not keep the next agent of this one out: an
// agent that is dead says nothing.
func TestPlaceOfTheDead(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	lease, err := b.root.Grant(t.Context(), 3600) // as good as one that is kept alive
	if err != nil {
		t.Fatal(err)
	}
	place := "tada/1/agents/" + m.own.ID + "/place"
	if _, err := b.root.Put(t.Context(), place, "vm, process 1",
		clientv3.WithLease(lease.ID)); err != nil {
		t.Fatal(err)
	}
	m.silence = 2 * time.Second
	m.start()
	if said := m.text(); !strings.Contains(said, `"vm, process 1" held the place of this machine`) {
		t.Error(said)
	}
	// the place is taken from this agent, which stays: a dead one comes back to life
	if _, err := b.root.Put(t.Context(), place, "vm, process 1",
		clientv3.WithLease(lease.ID)); err != nil {
		t.Fatal(err)
	}
	m.eventually("it notices", func() bool { return m.l.Online(t.Context()) != nil })
	m.eventually("and has it again", func() bool { return m.l.Online(t.Context()) == nil })
}

// While etcd does not answer, the agent says so, and it finds its place again afterwards.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	m.start()
	online := func() error { return m.l.Online(t.Context()) }
	m.eventually("connected", func() bool { return online() == nil })
	b.etcd.Pause(0)
	m.eventually("not connected", func() bool { return errors.Is(online(), approval.ErrOffline) })
	b.etcd.Resume(0)
	m.eventually("connected again", func() bool { return online() == nil })
	if q := m.published(m.ask(0).ID); q.Envelope == "" {
		t.Error("no question is published")
	}
}

// An agent that begins while etcd is away says at once that it has no connection, and takes its
// place when etcd is back; one that is told to end frees its place for the next.
func TestBeginsWithoutConnection(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	m.start()
	m.eventually("connected", func() bool { return m.l.Online(t.Context()) == nil })
	m.stop()
	began := time.Now()
	m.start()
	m.eventually("connected", func() bool { return m.l.Online(t.Context()) == nil })
	if took := time.Since(began); took > placeLife*time.Second/2 {
		t.Errorf("the place was free after %v", took)
	}
	m.stop()
	b.etcd.Pause(0)
	m.serve()
	m.eventually("it says that it is not connected", func() bool {
		began := time.Now()
		err := m.l.Online(t.Context())
		return errors.Is(err, approval.ErrOffline) && strings.Contains(err.Error(),
			"not connected") && time.Since(began) < time.Second
	})
	b.etcd.Resume(0)
	m.eventually("connected", func() bool { return m.l.Online(t.Context()) == nil })
}

// A machine that was away while the administrators changed follows those that there are now.
func TestAwayWhileAdministratorsChange(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	bob, carol := newKey(t, "bob"), newKey(t, "carol")
	b.add(bob, document.Person{Admin: true, MaxRisk: 3}, "*")
	o := b.office()
	change := func(how func(*document.Fleet), keys ...approval.Key) {
		t.Helper()
		text, err := o.Change(t.Context(), keys[0], func(f *document.Fleet) error {
			how(f)
			return nil
		})
		if err == nil && text != nil {
			err = o.Finish(t.Context(), keys[1], text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change(func(f *document.Fleet) {
		f.People = append(f.People[1:], document.Person{Name: "carol", Key: carol.Public(),
			Admin: true})
	}, b.ann, bob)
	change(func(f *document.Fleet) {
		f.People = append(f.People, document.Person{Name: "dave", Key: newKey(t, "dave").Public(),
			Answers: f.People[0].Answers})
	}, carol)
	m.start()
	m.eventually("bob and dave, and no longer ann", func() bool {
		list, err := m.l.Trusted()
		return err == nil && len(list) == 2 && list[0].Name == "bob" && list[1].Name == "dave"
	})
}

// A machine that joins a fleet that is frozen, and has a policy, is frozen and has it from then on,
// before its agent has reached anything; what has ended, or is for others, is not among it.
func TestJoinsUnderOrders(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob := newKey(t, "bob")
	b.add(bob, document.Person{Admin: true, MaxRisk: 3}, "*")
	freeze := func(labels string) string {
		t.Helper()
		o, err := b.office().Freeze(t.Context(), b.ann, document.Freeze{Machines: b.on(labels),
			Time: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		return o.ID
	}
	ended := freeze("*")
	for _, key := range []approval.Key{b.ann, bob} {
		if _, err := b.office().Thaw(t.Context(), key, ended); err != nil {
			t.Fatal(err)
		}
	}
	order := freeze("env=ci")
	b.force("base", "env=ci", noMake)
	b.push("trial", "*", noLess)
	m, other := b.machine("env=ci"), b.machine("env=dev")
	for is, names := range map[*machine][]string{m: {order, "base@1"}, other: nil} {
		var got []string
		if is.l.Home().Frozen() != "" {
			ids, err := is.folder.InForce()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ids...)
		}
		all, err := is.l.Home().Bundles()
		if err != nil {
			t.Fatal(err)
		}
		for _, bundle := range all {
			got = append(got, bundle.String())
		}
		if !slices.Equal(got, names) {
			t.Errorf("%q, want %q", got, names)
		}
	}
	m.start()
	m.eventually("connected", func() bool { return m.l.Online(t.Context()) == nil })
	if m.l.Home().Frozen() == "" {
		t.Error("the agent has ended the freeze")
	}
}

// Whoever writes etcd misleads no machine that joins: an older bundle that is put back there, a
// freeze that is deleted, and an end that is deleted, are known to the registrar.
func TestJoinsWhereOrdersAreOlder(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	bob := newKey(t, "bob")
	b.add(bob, document.Person{Admin: true, MaxRisk: 3}, "*")
	older := b.force("base", "*", noLess)
	old, err := older.Sign(b.ann)
	if err != nil {
		t.Fatal(err)
	}
	b.force("base", "*", noMake)
	b.force("gone", "*", noLess)
	var ids []string
	for range 2 {
		o, err := b.office().Freeze(t.Context(), b.ann, document.Freeze{
			Machines: document.Everywhere(), Time: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, o.ID)
	}
	for _, key := range []approval.Key{b.ann, bob} {
		if _, err := b.office().Thaw(t.Context(), key, ids[0]); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(name string) bool {
		_, err := os.Stat(filepath.Join(b.acme, "orders", name))
		return err == nil
	}
	for range 1000 {
		text, _ := os.ReadFile(filepath.Join(b.acme, "orders", "base.bundle"))
		if strings.Contains(string(text), "make") && kept("gone.bundle") &&
			kept(ids[1]+".freeze") && kept(ids[0]+".thaw") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.write("bundles/base/force", old)
	for _, key := range []string{"bundles/gone/force", "freezes/" + ids[1], "thaws/" + ids[0]} {
		if _, err := b.root.Delete(t.Context(), "tada/1/"+key); err != nil {
			t.Fatal(err)
		}
	}
	m := b.machine("")
	got, err := m.folder.InForce()
	if err != nil || !slices.Equal(got, ids[1:]) {
		t.Errorf("frozen by %q, %v, not by %q", got, err, ids[1:])
	}
	all, err := m.l.Home().Bundles()
	if err != nil || len(all) != 2 || all[0].String() != "base@2" || all[1].String() != "gone@1" {
		t.Errorf("%v, %v", all, err)
	}
}
