package audit

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The journal gets the head as one entry, by its own protocol; without one
// the caller is told so.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	p := Point{17, Genesis()}
	if err := Journal(path, p, "/home/me/audit"); !errors.Is(err, ErrNoJournal) {
		t.Errorf("no socket: %v", err)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(fd)
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: path}))
	must(t, Journal(path, p, "/home/me\nPRIORITY=0/audit"))
	b := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, b, 0)
	must(t, err)
	want := fmt.Sprintf("MESSAGE=audit head %s of \"/home/me\\nPRIORITY=0/audit\"\nPRIORITY=6\nSYSLOG_IDENTIFIER=tada-audit\nTADA_AUDIT_SIZE=17\nTADA_AUDIT_HEAD=%s\n", p, p.Head)
	if got := string(b[:n]); got != want || strings.Count(got, "\n") != 5 {
		t.Errorf("sent %q, want %q", got, want)
	}
}
