package relay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay"
)

// wantOffline checks that the error names the socket and the command to type.
func wantOffline(t *testing.T, path string, err error) {
	t.Helper()
	var file *approval.FileError
	if !errors.Is(err, approval.ErrOffline) || !errors.As(err, &file) || file.Path != path ||
		!strings.Contains(err.Error(), relay.Start) {
		t.Errorf("got %v, want %v with the path and the command", err, approval.ErrOffline)
	}
	if f, ok := approval.Explain(err); !ok || f.Exit != 75 || f.Message == "" {
		t.Errorf("it is reported as %+v", f)
	}
}

// An agent that is not there, was killed or does not answer is one error.
func TestAway(t *testing.T) {
	t.Parallel()
	path := socket(t)
	wantOffline(t, path, change(path, time.Second))
	wantOffline(t, filepath.Join(path, "none", "s"), change(filepath.Join(path, "none", "s"),
		time.Second))
	cmd := start(t, "agent", path)
	if err := change(path, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := relay.Socket(path, options(time.Second)).Online(context.Background()); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for state := ""; !strings.Contains(state, ") T "); {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if state = string(text); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	wantOffline(t, path, change(path, 300*time.Millisecond))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	deaf := relay.Socket(path, options(300*time.Millisecond))
	wantOffline(t, path, deaf.Online(context.Background()))
	for range 200 { // its queue is full
		if fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK,
			0); err == nil {
			defer syscall.Close(fd)
			syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		}
	}
	wantOffline(t, path, change(path, 300*time.Millisecond))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	err := relay.Socket(path, options(time.Minute)).View(ctx, nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's time is over: %v", err)
	}
	end(cmd)
	wantOffline(t, path, change(path, time.Second)) // its socket is still there
	start(t, "agent", path)
	if err := change(path, time.Second); err != nil {
		t.Error(err)
	}
}

// A socket that others could have put there is not used.
func TestMeddled(t *testing.T) {
	t.Parallel()
	meddled := func(path, why string) {
		t.Helper()
		err := change(path, time.Second)
		if !errors.Is(err, approval.ErrMeddled) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
	path := socket(t)
	serve(t, path)
	link := filepath.Join(filepath.Dir(path), "link.sock")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	meddled(link, "not a socket")
	plain := filepath.Join(filepath.Dir(path), "plain.sock")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	meddled(plain, "not a socket")
	if err := os.Chmod(filepath.Dir(path), 0o770); err != nil {
		t.Fatal(err)
	}
	meddled(path, "mode")
	if os.Getuid() != 0 {
		t.Skip("only root can be another account")
	}
	other := socket(t)
	start(t, "stranger", other)
	meddled(other, "uid 65534")
}

// A state directory may be far away.
func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(filepath.Dir(socket(t)), strings.Repeat("long/", 50))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "fleet.sock")
	serve(t, path)
	if err := change(path, time.Second); err != nil {
		t.Error(err)
	}
}

// An agent that lies is not believed, and does no harm.
func TestLies(t *testing.T) {
	t.Parallel()
	const welcome, begun = "\x00\x00\x00\x09\x01H\x01\x00\x00\x00\x00\x00\x00\x00\x00",
		"\x00\x00\x00\x11\x01B\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	const open = welcome + begun
	const away = "\x00\x00\x00\x09\x01H\x00\x00\x00\x00\x00\x00\x00\x00"
	for name, c := range map[string]struct {
		says string
		want string
	}{
		"nothing":         {"", "connection ended"},
		"garbage":         {strings.Repeat("HTTP/1.1 200 OK\r\n", 100), "another version"},
		"another version": {"\x00\x00\x00\x00\x02H", "restart it with the version of this program"},
		"a huge length":   {"\xff\xff\xff\xff\x01H", "too long"},
		"half a frame":    {welcome[:7], "connection ended"},
		"too short":       {"\x00\x00\x00\x00\x01H", "wrong format"},
		"out of place":    {"\x00\x00\x00\x00\x01D", "out of place"},
		"done at once":    {welcome + "\x00\x00\x00\x00\x01D", "out of place"},
		"not connected":   {away + "\x01", "since 1970-01-01T00:00:01Z"},
		"never connected": {away + "\x00", "it is not connected;"},
		"no end of keys": {welcome + begun + strings.Repeat(
			"\x00\x00\x00\x0a\x01N\x01\x00\x00\x00\x01\x00\x00\x00\x01k", 1<<20+2), "keys"},
		"empty keys": {open + "\x00\x00\x00\x05\x01N\x01\x00\x00\x00\x00", "keys"},
		"keys out of order": {open + "\x00\x00\x00\x0f\x01N\x00\x00\x00\x00\x02" +
			"\x00\x00\x00\x01b\x00\x00\x00\x01a", "out of order"},
		"a wrong answer": {open + "\x00\x00\x00\x05\x01V\x00\x00\x00\x00\x00", "out of place"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := socket(t)
			lies(t, path, func(conn net.Conn) {
				conn.Write([]byte(c.says))
				conn.(*net.UnixConn).CloseWrite()
				io.Copy(io.Discard, conn)
			})
			err := relay.Socket(path, options(5*time.Second)).Update(context.Background(),
				func(tx approval.Tx) error {
					tx.Keys(approval.OutboxBucket)
					return tx.Put(approval.OutboxBucket, "k", nil)
				})
			wantOffline(t, path, err)
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("never first", func(t *testing.T) {
		t.Parallel()
		path := socket(t)
		lies(t, path, func(conn net.Conn) {
			conn.Write([]byte(welcome + strings.Repeat(begun, 1000)))
			for err := error(nil); err == nil; {
				_, err = conn.Read(make([]byte, 1<<10))
			}
		})
		if err := change(path, time.Second); !errors.Is(err, approval.ErrLocked) {
			t.Errorf("%v", err)
		}
	})
	t.Run("no fate", func(t *testing.T) {
		t.Parallel()
		path := socket(t)
		lies(t, path, func(conn net.Conn) {
			conn.Write([]byte(welcome + begun))
			conn.Read(make([]byte, 1<<10))
			conn.Read(make([]byte, 1<<10))
		})
		err := change(path, time.Second)
		if !errors.Is(err, approval.ErrUnsure) {
			t.Errorf("%v", err)
		}
		if f, ok := approval.Explain(err); !ok || f.Exit != 75 {
			t.Errorf("it is reported as %+v", f)
		}
	})
}
