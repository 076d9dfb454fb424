package launcher

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
)

// What needed an approval ends with its command, because the approval was given for what was shown.
// Without the setting, or without a caller that can be notified, nothing continues.
func TestOnlyPolicyLetsGoOn(t *testing.T) {
	l, req := world(t)
	if err := os.WriteFile(l.state.Config(), []byte("background: keep\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := session.Open(session.Stdio{}, session.Never, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		by   permit.Authority
		want string
	}{
		{permit.Authority{}, ""},
		{permit.Authority{Envelope: "e"}, "needed an approval"},
		{permit.Authority{Grant: "g"}, "needed an approval"},
	} {
		e := endedRun(judged(t, l, req), sandbox.Status{Left: []string{"sleep"}})
		*e.Authority, e.terminal, e.l = test.by, terminal, l
		if got := e.endsBehind(); (got == "") != (test.want == "") ||
			!strings.Contains(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
		_, e.ends = e.mayStay()
		if got := e.after().WhyEnded; !strings.Contains(got, test.want) {
			t.Errorf("told %q", got)
		}
	}
	e := endedRun(judged(t, l, req), sandbox.Status{Left: []string{"sleep"}})
	e.terminal, e.l, e.Request.Keep = terminal, l, &Keep{From: 1 << 30}
	if b, why := e.mayStay(); b != nil || !strings.Contains(why, "needs an agent, or a session") {
		t.Errorf("without an owner: %v, %q", b, why)
	}
	req.Shell.Text = "sleep 3600 & echo hi"
	if got := status(t, l, req, req.Shell.Text); got != 0 {
		t.Fatal(got)
	}
	if left := entriesOf(t, l, audit.KindLeft); len(left) != 0 {
		t.Errorf("nobody could be told, and the record has %v", left)
	}
}

// A caller that cannot be notified does not count: everything ends, and the log has the end.
func TestHandOverFails(t *testing.T) {
	sandbox.AdoptOrphans(true)
	defer sandbox.AdoptOrphans(false)
	l, req := world(t)
	if err := os.WriteFile(l.state.Config(), []byte("background: keep\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	// In a session of its own: the leader of the one that the tests run in may have ended.
	leader := exec.Command("sh", "-c", "sleep 3600 >/dev/null & echo $!; wait")
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := leader.StdoutPipe()
	if err := errors.Join(err, leader.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-leader.Process.Pid, syscall.SIGKILL); _ = leader.Wait() })
	var from int
	if _, err := fmt.Fscan(out, &from); err != nil {
		t.Fatal(err)
	}
	told := Outcome{Status: -1}
	req.Keep = &Keep{From: from,
		Over: func(o Outcome) error { told = o; return syscall.EPIPE }}
	if got := status(t, l, req, "sleep 3600 & exit 5"); got != 5 {
		t.Error(got)
	}
	left, ends := entriesOf(t, l, audit.KindLeft), entriesOf(t, l, record.KindEnd)
	if told.Status != 5 || len(left) != 1 || len(ends) != 1 || ends[0]["background"] != true {
		t.Errorf("told %+v; %v, %v", told, left, ends)
	}
}
