package agent

import (
	"bytes"
	"context"
	"crypto/rand"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/integration/served"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/permit"
)

// A bed is a fleet: a real etcd, a registrar, and ann, who founded it.
type bed struct {
	*testing.T
	etcd   *served.Etcd
	root   *clientv3.Client
	folder *registrar.Folder
	acme   string // its path
	site   registrar.Link
	ann    approval.Key
}

func newBed(t *testing.T) *bed {
	t.Helper()
	return newBedAt(t, 1, time.Now)
}

// newBedAt has a cluster of several nodes, and a registrar with a clock of its own.
func newBedAt(t *testing.T, nodes int, now func() time.Time) *bed {
	t.Helper()
	b := &bed{T: t, ann: newKey(t, "ann")}
	dir := filepath.Join(t.TempDir(), "acme")
	if err := registrar.Create(dir, registrar.Founding{Fleet: "acme", Hosts: []string{"127.0.0.1"},
		Admin: b.ann, Now: now()}); err != nil {
		t.Fatal(err)
	}
	folder, err := registrar.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	access, err := folder.Access()
	if err != nil {
		t.Fatal(err)
	}
	b.folder, b.acme = folder, dir
	b.etcd = served.StartSecureEtcd(t, nodes, dir)
	b.root, err = clientv3.New(clientv3.Config{Endpoints: b.etcd.Endpoints(), TLS: access,
		Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.root.Close() })
	r := registrar.New(folder, b.root, b.etcd.Endpoints(), now, t.Output())
	if err := r.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { stop(); <-done })
	pin, err := folder.Pin()
	if err != nil {
		t.Fatal(err)
	}
	b.site = registrar.Link{URL: "https://" + l.Addr().String(), Pin: pin}
	return b
}

func newKey(t *testing.T, name string) approval.Key {
	t.Helper()
	k, err := approval.NewKey(name, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A machine is a member of the fleet.
type machine struct {
	*bed
	l      *launcher.Launcher
	folder member.Folder
	own    member.Membership
	etcd   *clientv3.Client
	asked  int
	stop   func()
	skew   time.Duration // of its agent's clock

	silence time.Duration // see place

	mu   sync.Mutex
	said bytes.Buffer
	end  error // of its agent
}

// Write takes what the agent says.
func (m *machine) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.said.Write(p)
}

func (m *machine) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.said.String()
}

// connected is what an agent says when it is connected.
func (m *machine) connected() string {
	return "tada-fleet: connected to fleet \"acme\" as machine " + m.own.ID + " (machine)\n"
}

func openPlace(t *testing.T, dir string) *launcher.Launcher {
	t.Helper()
	l, err := launcher.Place{State: dir}.Open()
	if err != nil {
		t.Fatal(err)
	}
	l.Caller, l.Marks = atTerminal, ""
	return l
}

func atTerminal() approval.Caller {
	return approval.Caller{
		Peer:     approval.PeerFacts{Known: true, Terminal: true},
		Line:     []approval.Process{{PID: 2, Name: "tadactl"}, {PID: 1, Name: "login"}},
		Terminal: approval.Terminal{Device: "tty4:1", Keys: true},
	}
}

// join makes a machine a member.
func (b *bed) join(l *launcher.Launcher, i registrar.Invitation) *machine {
	b.Helper()
	site := b.site
	site.Pin.Fleet = b.office().Known.Pin() // the administrators may be others by now
	link, err := registrar.Invite(b.Context(), b.root, i, site, time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	id, err := l.Audience()
	if err != nil {
		b.Fatal(err)
	}
	secret, err := Secret(b.Context(), l)
	if err != nil {
		b.Fatal(err)
	}
	m := &machine{bed: b, folder: member.In(l.Home()), stop: func() {}}
	m.own, err = m.folder.Join(b.Context(), link,
		member.Newcomer{ID: id, Name: "machine", Secret: secret})
	if err != nil {
		b.Fatal(err)
	}
	m.l = openPlace(b.T, l.Home().Dir) // now it is in a fleet
	access, err := m.folder.Access()
	if err != nil {
		b.Fatal(err)
	}
	m.etcd, err = clientv3.New(clientv3.Config{Endpoints: m.own.Endpoints, TLS: access,
		Logger: zap.NewNop(), MaxCallRecvMsgSize: 32 << 20})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.etcd.Close() })
	return m
}

func (b *bed) machine(labels string) *machine {
	b.Helper()
	l, err := document.ParseLabels(labels)
	if err != nil {
		b.Fatal(err)
	}
	return b.join(openPlace(b.T, filepath.Join(b.TempDir(), "state")),
		registrar.Invitation{Labels: l})
}

// start starts the machine's agent, and returns when it serves.
func (m *machine) start() {
	m.Helper()
	m.serve()
	m.eventually("the agent serves", func() bool { return m.l.Ready() == nil })
}

func (m *machine) serve() {
	m.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	a := &Agent{Launcher: m.l, Folder: m.folder, Etcd: m.etcd, Out: m,
		Now: func() time.Time { return time.Now().Add(m.skew) }}
	a.place.silence = m.silence
	go func() {
		defer close(done)
		err := a.Run(ctx)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.end = err
	}()
	m.stop = func() { cancel(); <-done }
	m.Cleanup(m.stop)
}

// eventually waits for what another process or goroutine will do.
func (m *machine) eventually(what string, is func() bool) {
	m.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	m.Fatalf("not within half a minute: %s\n%s\nits agent: %v", what, m.text(), m.ended())
}

// ask stores a question that takes several people to approve.
func (m *machine) ask(quorum int) approval.Envelope {
	m.Helper()
	m.asked++
	e, err := m.request(quorum)
	if err != nil {
		m.Fatal(err)
	}
	return e
}

func (m *machine) request(quorum int) (e approval.Envelope, err error) {
	if err := m.l.Ready(); err != nil {
		return e, err
	}
	err = m.l.Deciding(func() (events []approval.Event, err error) {
		e, _, err = m.l.Store.Request(context.Background(), approval.Request{Session: "s",
			Requester: permit.Person(), Quorum: quorum,
			Payload: plantest.Small(m, func(p map[string]any) { p["n"] = m.asked })})
		return e.Events, err
	})
	return e, err
}

func (m *machine) get(id string) approval.Envelope {
	m.Helper()
	e, err := m.l.Store.Get(context.Background(), id)
	if err != nil {
		m.Fatal(err)
	}
	return e
}

// office is the place of the founder.
func (b *bed) office() people.Office {
	b.Helper()
	got, err := b.root.Get(b.Context(), "tada/1/fleet")
	if err != nil {
		b.Fatal(err)
	}
	f, err := document.FirstFleet(got.Kvs[0].Value)
	if err != nil {
		b.Fatal(err)
	}
	return people.Office{Etcd: b.root, Known: f}
}

// add makes a key's person one of the fleet.
func (b *bed) add(key approval.Key, p document.Person, answers string) {
	b.Helper()
	var err error
	if p.Answers, err = document.ParseSelector(answers); err != nil {
		b.Fatal(err)
	}
	p.Name, p.Key = key.Name, key.Public()
	if _, err := b.office().Change(b.Context(), b.ann, func(f *document.Fleet) error {
		f.People = append(f.People, p)
		return nil
	}); err != nil {
		b.Fatal(err)
	}
}

// trusts waits until the machine takes answers of so many people.
func (m *machine) trusts(n int) {
	m.Helper()
	m.eventually("the list of people", func() bool {
		list, err := m.l.Trusted()
		return err == nil && len(list) == n
	})
}

// published waits for a question and returns it.
func (m *machine) published(id string) people.Question {
	m.Helper()
	var found people.Question
	m.eventually("the question is published", func() bool {
		list, err := m.office().Questions(m.Context(), m.ann.ID())
		if err != nil {
			m.Fatal(err)
		}
		for _, q := range list {
			if q.Envelope == id {
				found = q
			}
		}
		return found.Envelope != ""
	})
	return found
}

// answer has a key answer a question, and returns what the machine says of it.
func (m *machine) answer(key approval.Key, q people.Question, yes bool) people.Outcome {
	m.Helper()
	return m.hand(q, m.token(key, q, yes))
}

func (m *machine) token(key approval.Key, q people.Question, yes bool) []byte {
	m.Helper()
	return m.tokenAt(time.Now(), key, q, yes)
}

func (m *machine) tokenAt(now time.Time, key approval.Key, q people.Question, yes bool) []byte {
	m.Helper()
	a, err := q.Answer(yes, "", now, time.Hour)
	if err != nil {
		m.Fatal(err)
	}
	token, err := key.Sign(a, rand.Reader)
	if err != nil {
		m.Fatal(err)
	}
	return token
}

func (m *machine) hand(q people.Question, token []byte) people.Outcome {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), 30*time.Second)
	defer cancel()
	o, err := m.office().Answer(ctx, q, token)
	if err != nil {
		m.Fatalf("%v\n%s", err, m.text())
	}
	return o
}

// ended is the error with which the machine's agent has ended; nil while it runs.
func (m *machine) ended() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.end
}
