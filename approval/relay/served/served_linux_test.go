package served

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

func database(t testing.TB) *bolt.DB {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return bolt.File(filepath.Join(dir, "approvals.db"), approval.Options{Rand: rand.Reader})
}

// serving serves a database and returns the path of the socket.
func serving(t testing.TB, db approval.DB) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(db.Path()), "fleet.sock")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		Serve(ctx, l, db)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return path
}

// A talk is a connection of a client that does what it likes.
type talk struct {
	*wire.Conn
	conn net.Conn
	t    testing.TB
}

func dial(t testing.TB, path string) talk {
	t.Helper()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	return talk{wire.NewConn(conn), conn, t}
}

func (k talk) say(all ...wire.Message) {
	k.t.Helper()
	if err := k.Send(all...); err != nil {
		k.t.Error(err)
	}
}

func (k talk) hear(kind wire.Kind) wire.Message {
	k.t.Helper()
	m, err := k.Expect(kind)
	if err != nil {
		k.t.Errorf("instead of %q: %v", byte(kind), err)
	}
	return m
}

// begin begins a change of one value.
func (k talk) begin(key string) wire.Message {
	k.t.Helper()
	k.say(wire.Message{Kind: wire.Update})
	begun := k.hear(wire.Begun)
	k.say(wire.Message{Kind: wire.Changes, Changes: []wire.Change{
		{Way: wire.Put, Bucket: string(approval.OutboxBucket), Key: key, Value: []byte("v")}}})
	return begun
}

func has(t testing.TB, db approval.DB, key string) (found bool) {
	t.Helper()
	if err := db.View(context.Background(), func(tx approval.Tx) error {
		found = tx != nil && tx.Get(approval.OutboxBucket, key) != nil
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// Of what a client sends before it goes away, nothing happens without a commit.
func TestGone(t *testing.T) {
	t.Parallel()
	db := database(t)
	path := serving(t, db)
	for key, last := range map[string][]wire.Message{
		"closed":  nil,
		"ended":   {{Kind: wire.End}},
		"garbage": {{Kind: wire.Begun}},
		"changes": {{Kind: wire.Changes, Changes: []wire.Change{{Way: wire.Put, Bucket: "none"}}}},
		"secret": {{Kind: wire.Changes, Changes: []wire.Change{{Way: wire.Delete,
			Bucket: string(approval.MetaBucket), Key: ticketsKey}}}},
		"a file": {{Kind: wire.Changes, Changes: []wire.Change{{Way: wire.Changed, Key: "../x"}}}},
	} {
		k := dial(t, path)
		k.begin(key)
		k.say(last...)
		k.conn.Close()
		next := dial(t, path)
		next.begin("next to " + key)
		next.say(wire.Message{Kind: wire.Commit, Ticket: wire.Ticket{byte(len(key)), key[0]}})
		next.hear(wire.Done)
		if has(t, db, key) || !has(t, db, "next to "+key) {
			t.Errorf("%s: it is %v that it happened", key, has(t, db, key))
		}
	}
	k := dial(t, path)
	k.say(wire.Message{Kind: wire.View})
	k.hear(wire.Begun)
	k.say(wire.Message{Kind: wire.Changes})
	if m, err := k.Receive(); err != nil || m.Kind != wire.Failed ||
		!strings.Contains(m.Failure.Text, "out of place") {
		t.Errorf("a change of a view: %+v, %v", m, err)
	}
	if matches, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*x*")); len(matches) > 0 {
		t.Errorf("%q, %v", matches, err)
	}
}

// B-R2.3: the fate of a commit is what happened, and one that has not happened never will.
func TestFate(t *testing.T) {
	t.Parallel()
	db := database(t)
	path := serving(t, db)
	fate := func(ticket wire.Ticket, before uint64) uint64 {
		k := dial(t, path)
		defer k.conn.Close()
		k.say(wire.Message{Kind: wire.Ask, Ticket: ticket, Number: before})
		return k.hear(wire.Fate).Number
	}
	k := dial(t, path)
	first := k.begin("first")
	k.say(wire.Message{Kind: wire.Commit, Ticket: wire.Ticket{1}})
	k.hear(wire.Done)
	if got := fate(wire.Ticket{1}, first.Number); got != wire.Happened {
		t.Errorf("of a commit: %d", got)
	}
	for range 2 {
		if got := fate(wire.Ticket{2}, first.Number); got != wire.Never {
			t.Errorf("of a commit that never came: %d", got)
		}
	}
	k.begin("late")
	k.say(wire.Message{Kind: wire.Commit, Ticket: wire.Ticket{2}})
	if m, err := k.Receive(); err != nil || m.Kind != wire.Failed || has(t, db, "late") {
		t.Errorf("it came after all: %+v, %v", m, err)
	}
	if got := fate(wire.Ticket{3}, 1<<40); got != wire.Unknown {
		t.Errorf("of a commit to another database: %d", got)
	}
	k = dial(t, path)
	for n := range maxTickets + 1 {
		k.begin("many")
		k.say(wire.Message{Kind: wire.Commit, Ticket: wire.Ticket{4, byte(n), byte(n >> 8)}})
		k.hear(wire.Done)
	}
	if got := fate(wire.Ticket{1}, first.Number); got != wire.Unknown {
		t.Errorf("of a commit long ago: %d", got)
	}
	if got := fate(wire.Ticket{4, 100}, 50); got != wire.Happened {
		t.Errorf("of a commit some time ago: %d", got)
	}
	if got := fate(wire.Ticket{5}, 50); got != wire.Never {
		t.Errorf("of none: %d", got)
	}
}

// A client that keeps a transaction open does not keep others waiting for long.
func TestHeldOpen(t *testing.T) {
	t.Parallel()
	db := database(t)
	path := serving(t, db)
	held := dial(t, path)
	held.begin("held")
	began := time.Now()
	next := dial(t, path)
	next.begin("next")
	next.say(wire.Message{Kind: wire.Commit})
	next.hear(wire.Done)
	if took := time.Since(began); took < maxOpen/2 || took > 2*maxOpen {
		t.Errorf("it took %v", took)
	}
	_, err := held.Expect(wire.Done)
	var remote *wire.RemoteError
	if !errors.As(err, &remote) || !errors.Is(remote.Named(), approval.ErrLocked) {
		t.Errorf("it is told %v", err)
	}
}

// Clients that connect and do nothing keep no one away, and a waiting one is not waited for when it
// is gone.
func TestCrowd(t *testing.T) {
	t.Parallel()
	db := database(t)
	path := serving(t, db)
	first := dial(t, path)
	for range 2 * maxGuests {
		dial(t, path)
	}
	waits := dial(t, path)
	waits.say(wire.Message{Kind: wire.Await, Key: "id"})
	waits.hear(wire.Look)
	waits.say(wire.Message{Kind: wire.Looked, Number: uint64(time.Hour)})
	k := dial(t, path)
	k.begin("k")
	k.say(wire.Message{Kind: wire.Commit})
	k.hear(wire.Done)
	if _, err := first.Receive(); err == nil {
		t.Error("the first one has kept its place")
	}
	waits.hear(wire.Look) // the second look, after which it waits
	waits.conn.Close()
}

// There is one agent of a socket, and what one left behind is no obstacle.
func TestListen(t *testing.T) {
	t.Parallel()
	db := database(t)
	path := serving(t, db)
	if _, err := Listen(path); !errors.Is(err, approval.ErrLocked) {
		t.Errorf("a second agent: %v", err)
	}
	other := filepath.Join(filepath.Dir(path), "other.sock")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(other); err == nil {
		t.Error("a file was replaced")
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// FuzzGuest lets a client say anything: what it has not committed does not happen.
func FuzzGuest(f *testing.F) {
	var all []byte
	for _, m := range []wire.Message{{Kind: wire.Hello}, {Kind: wire.Update},
		{Kind: wire.Get, Bucket: "meta", Key: "secret"}, {Kind: wire.List, Bucket: "outbox"},
		{Kind: wire.Changes, Changes: []wire.Change{{Way: wire.Put, Bucket: "outbox", Key: "k"},
			{Way: wire.SetSeq, Value: make([]byte, 8)}, {Way: wire.Changed, Key: "id"}}},
		{Kind: wire.End}, {Kind: wire.View}, {Kind: wire.Ask}, {Kind: wire.Await, Key: "x"},
		{Kind: wire.Looked, Yes: true}} {
		all, _ = wire.Append(all, m)
		f.Add(all)
	}
	db := database(f)
	f.Fuzz(func(t *testing.T, says []byte) {
		here, there := net.Pipe()
		s := &server{db: db, guests: map[*guest]bool{}}
		s.room = sync.NewCond(&s.mu)
		g := &guest{server: s, conn: there, Conn: wire.NewConn(there)}
		ended := make(chan struct{})
		go func() {
			_ = g.serve(context.Background())
			s.leave(g)
			s.working.Wait()
			close(ended)
		}()
		go func() {
			here.Write(says)
			here.Close()
		}()
		go func() {
			for err := error(nil); err == nil; {
				_, err = here.Read(make([]byte, 1<<10))
			}
		}()
		<-ended
	})
}

// Whoever has closed a listener can listen again at once, also when another one was faster.
func TestListenAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		l, err := Listen(filepath.Join(dir, "agent.sock"))
		if err != nil {
			t.Fatal(err)
		}
		var other sync.WaitGroup
		other.Go(func() { l.Close() })
		l.Close()
		again, err := Listen(filepath.Join(dir, "agent.sock"))
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
		other.Wait()
	}
}
