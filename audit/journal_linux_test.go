package audit

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// A real journal, where one runs, gives the head back.
func TestJournalReadBack(t *testing.T) {
	journalctl, err := exec.LookPath("journalctl")
	if err != nil {
		t.Skip("needs journalctl, and there is none")
	}
	dir := "/home/" + rand.Text()
	if err := Journal(JournalSocket, Point{17, Genesis()}, dir); errors.Is(err, ErrNoJournal) {
		t.Skipf("needs a running systemd-journald: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		out, err := exec.Command(journalctl, "--no-pager", "-q", "-o", "cat", "SYSLOG_IDENTIFIER=tada-audit").CombinedOutput()
		if want := fmt.Sprintf("audit head %s of %q\n", Point{17, Genesis()}, dir); strings.Contains(string(out), want) {
			return
		}
		if time.Now().After(until) {
			t.Skipf("this account may not read the journal, or it keeps nothing: %v", err)
		}
	}
}
