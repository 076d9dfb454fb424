package relay_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/relay"
	"github.com/tada-run/tada-run/approval/relay/served"
	"github.com/tada-run/tada-run/integration/hermetic"
)

// agentEnv makes the test binary an agent: its job.
const agentEnv = "RELAY_TEST_AGENT"

func TestMain(m *testing.M) {
	switch job := os.Getenv(agentEnv); job {
	case "":
		os.Exit(hermetic.Tests(m).Run())
	case "stranger":
		fmt.Println(strange(os.Args[len(os.Args)-1]))
	default:
		fmt.Println(agent(os.Args[len(os.Args)-1]))
	}
}

// database is the file behind the socket at path.
func database(path string) string { return filepath.Join(filepath.Dir(path), "approvals.db") }

func agent(path string) error {
	l, err := served.Listen(path)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	o := approval.Options{Rand: rand.Reader, LockWait: time.Minute}
	return served.Serve(context.Background(), l, bolt.File(database(path), o))
}

// strange listens as another account.
func strange(path string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	}
	if err == nil {
		err = syscall.Setuid(65534)
	}
	if err == nil {
		err = unix.Listen(fd, 1)
	}
	if err != nil {
		return err
	}
	fmt.Println("ready")
	time.Sleep(time.Hour) // until it is killed; without a timer the runtime would end it
	return nil
}

// start starts an agent in another process.
func start(t testing.TB, job, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", path)
	cmd.Env = append(os.Environ(), agentEnv+"="+job)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(cmd) })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the agent did not start: %q", lines.Text())
	}
	return cmd
}

func end(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

func socket(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "fleet.sock")
}

// serve serves the database of a socket in this process, until the function that comes back is
// called.
func serve(t testing.TB, path string) (stop func()) {
	t.Helper()
	l, err := served.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		served.Serve(ctx, l, bolt.File(database(path), options(time.Minute)))
		close(ended)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

func clock() approval.Clock {
	return approval.Clock{Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func options(wait time.Duration) approval.Options {
	return approval.Options{Clock: clock, Rand: rand.Reader, LockWait: wait, MaxPending: 1000,
		MaxHour: 1000, MaxOpen: 1000}
}

// lies listens at path and does what lie does with each connection.
func lies(t testing.TB, path string, lie func(net.Conn)) {
	t.Helper()
	l, err := served.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				lie(conn)
			}()
		}
	}()
}

// change makes a change behind a socket.
func change(path string, wait time.Duration) error {
	return relay.Socket(path, options(wait)).Update(context.Background(),
		func(tx approval.Tx) error { return tx.Put(approval.OutboxBucket, "k", []byte("v")) })
}
