package audit

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The journal gets the head as one entry, by its own protocol; without a journal the caller gets an
// error.
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
	want := fmt.Sprintf("MESSAGE=audit head %s of \"/home/me\\nPRIORITY=0/audit\"\nPRIORITY=6\n"+
		"SYSLOG_IDENTIFIER=tada-audit\nTADA_AUDIT_SIZE=17\nTADA_AUDIT_HEAD=%s\n", p, p.Head)
	if got := string(b[:n]); got != want || strings.Count(got, "\n") != 5 {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// A real journal returns the head: the machine's, or one that is started for this test, where no
// one else sees it.
func TestJournalReadBack(t *testing.T) {
	journalctl, err := exec.LookPath("journalctl")
	if err != nil {
		t.Skip("needs journalctl, and there is none")
	}
	dir := "/home/" + rand.Text()
	if err := Journal(JournalSocket, Point{17, Genesis()}, dir); errors.Is(err, ErrNoJournal) {
		withJournal(t, err)
		return
	} else if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		out, err := exec.Command(journalctl, "--no-pager", "-q", "-o", "cat",
			"SYSLOG_IDENTIFIER=tada-audit").CombinedOutput()
		if want := fmt.Sprintf("audit head %s of %q\n", Point{17, Genesis()},
			dir); strings.Contains(string(out), want) {
			return
		}
		if time.Now().After(until) {
			t.Skipf("this account may not read the journal, or it keeps nothing: %v", err)
		}
	}
}

// ownJournal runs the command after it beside a journal in a mount namespace of its own, which
// reads nothing from the kernel.
const ownJournal = `mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/log && mount -t tmpfs tmpfs /etc/systemd || exit 1
printf '[Journal]\nAudit=no\nReadKMsg=no\nStorage=volatile\n' > /etc/systemd/journald.conf
"$1" & journal=$!
shift
until [ -S /run/systemd/journal/socket ]; do kill -0 $journal || exit 1; sleep 0.05; done
"$@"; status=$?
kill $journal; wait $journal; exit $status`

// withJournal runs this test again, beside a journal of its own.
func withJournal(t *testing.T, why error) {
	t.Helper()
	const daemon = "/lib/systemd/systemd-journald"
	if _, err := os.Stat(daemon); err != nil || os.Getuid() != 0 || os.Getenv("OWN_JOURNAL") != "" {
		t.Skipf("needs systemd-journald, running or to be started by root: %v", why)
	}
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command("unshare", "-m", "sh", "-c", ownJournal, "sh", daemon, self, "-test.run",
		"^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "OWN_JOURNAL=1")
	out, err := cmd.CombinedOutput()
	switch {
	case !strings.Contains(string(out), "=== RUN"):
		t.Skipf("no journal can be started here: %s", out)
	case err != nil || !strings.Contains(string(out), "--- PASS"):
		t.Fatalf("beside a journal of its own: %v\n%s", err, out)
	}
}
