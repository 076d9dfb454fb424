package approval_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/relay"
	"github.com/tada-run/tada-run/approval/relay/served"
)

// relayBackend opens the store behind the same socket every time.
type relayBackend struct{ path string }

func (b relayBackend) Open(o approval.Options) (*approval.Store, error) {
	return relay.Open(b.path, o)
}

// fileBehind is the database that the agents of these tests have.
func fileBehind(path string) *bolt.DB {
	return bolt.File(path, approval.Options{Rand: rand.Reader, LockWait: time.Minute})
}

func listen(t testing.TB, path string) net.Listener {
	t.Helper()
	l, err := served.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// newRelayBackend has an agent in this process.
func newRelayBackend(t testing.TB) backend {
	dir := privateDir(t)
	path := filepath.Join(dir, "fleet.sock")
	l := listen(t, path)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- served.Serve(ctx, l, fileBehind(filepath.Join(dir, "approvals.db"))) }()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return relayBackend{path}
}

// newAgent starts an agent in another process and returns the path of its socket.
func newAgent(t testing.TB) string {
	t.Helper()
	dir := privateDir(t)
	path := filepath.Join(dir, "fleet.sock")
	cmd, in, out := start(t, "serve", path, filepath.Join(dir, "approvals.db"))
	if !out.Scan() || out.Text() != "ready" {
		t.Fatalf("the agent did not start: %q", out.Text())
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return path
}

// serve is such an agent.
func serve(path, file string) {
	l, err := served.Listen(path)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("ready")
	fmt.Println("error", served.Serve(context.Background(), l, fileBehind(file)))
}

// agentStoreIn is a store behind an agent in another process.
func agentStoreIn(t testing.TB) (*approval.Store, string) {
	path := newAgent(t)
	s, err := realStore(path)
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

// The rules are the same behind an agent.
func TestRelay(t *testing.T) { testStore(t, newRelayBackend) }

func TestRelayOtherProcess(t *testing.T) {
	testStore(t, func(t testing.TB) backend { return relayBackend{newAgent(t)} })
}

// B-T5, B-R1.4.2, B-R2.2, B-I3: as of processes that share a file.
func TestRelayOneApproval(t *testing.T) { testOneApprovalManyProcesses(t, agentStoreIn) }

// B-I3: as of processes that share a file.
func TestRelayManyApprovals(t *testing.T) { testManyApprovalsManyProcesses(t, agentStoreIn) }

func TestRelayAnswerReachesItsWaiter(t *testing.T) { testAnswerReachesItsWaiter(t, agentStoreIn) }

// B-C1, B-R2.3a, B-R4.6a, B-R1.4.7: as of processes that share a file.
func TestRelayKill(t *testing.T) { testKill(t, agentStoreIn) }

func BenchmarkConsumeRelay(b *testing.B) {
	c := newClock()
	s, err := relay.Open(newAgent(b), approval.Options{Clock: c.read, Rand: rand.Reader,
		MaxPending: 1 << 30, MaxHour: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkConsume(b, s)
}
