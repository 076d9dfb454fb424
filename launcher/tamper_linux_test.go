package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// guardedWorld is a world with a protected file, in which tamper_proof is on.
func guardedWorld(t *testing.T) (*Launcher, Request) {
	t.Helper()
	l, req := world(t)
	if err := errors.Join(
		os.WriteFile(l.state.Config(),
			[]byte(deletionsAsk+"security: {tamper_proof: true, protect: [TODO.md]}\n"), 0o600),
		os.WriteFile(filepath.Join(req.Dir, "TODO.md"), []byte("one\n"), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	l, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	l.Caller = personHere
	return l, req
}

// a write through each door is clean, and told with the door that
// it came through, whatever the environment says.
func TestDoors(t *testing.T) {
	l, req := guardedWorld(t)
	req.Env = append(req.Env, "TADA_INTERFACE=CLI")
	doors := []tamper.Interface{tamper.CLI, tamper.MCP, tamper.Shell, tamper.Hook}
	for _, door := range doors {
		req.Door = door
		if s := status(t, l, req, "echo "+string(door)+" >> TODO.md"); s != 0 {
			t.Fatalf("%s: status %d", door, s)
		}
		now, err := os.ReadFile(filepath.Join(req.Dir, "TODO.md"))
		if err != nil {
			t.Fatal(err)
		}
		events, err := l.TamperLog()
		if err != nil {
			t.Fatal(err)
		}
		last := events[len(events)-1]
		if last.Interface != door || last.Action != tamper.ActionWrite ||
			last.Checksum != tamper.CalculateChecksum("TODO.md", now) {
			t.Errorf("%s: told %+v", door, last)
		}
	}
	if s := status(t, l, req, "cat TODO.md"); s != 0 {
		t.Errorf("status %d", s)
	}
}

// through every door the same refusal, and those who only
// judge are told too.
func TestEveryDoorRefuses(t *testing.T) {
	l, req := guardedWorld(t)
	if s := status(t, l, req, "cat TODO.md"); s != 0 {
		t.Fatalf("status %d", s)
	}
	if j := judged(t, l, req); j.Verdict.Decision != 0 {
		if e, err := j.Tampered(); e != nil || err != nil {
			t.Errorf("clean, and %v, %v", e, err)
		}
	}
	if err := os.WriteFile(filepath.Join(req.Dir, "TODO.md"), []byte("outside\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	for _, door := range []tamper.Interface{tamper.CLI, tamper.MCP, tamper.Shell, tamper.Hook} {
		req.Door, req.Shell.Text, req.Stdio, req.PTY = door, "touch marker; cat TODO.md",
			nowhere(t), session.Never
		out, err := l.Run(context.Background(), req)
		if err != nil || out.Status != exit.Tampered || out.Refusal == nil ||
			out.Refusal.Code != "tamper_error" || !strings.Contains(out.Refusal.JSON(), "digest") {
			t.Errorf("%s: %+v, %v", door, out, err)
		}
		e, err := judged(t, l, req).Tampered()
		var tampered *tamper.TamperError
		if err != nil || !errors.As(e, &tampered) || len(e.Files()) != 1 ||
			ExitOf(e) != exit.Tampered {
			t.Errorf("%s: judged only, and %v, %v", door, e, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(req.Dir, "marker")); err == nil {
		t.Error("a refused command ran")
	}
}

// A command that names a protected file of another workspace is held by that workspace's baseline.
func TestOtherWorkspace(t *testing.T) {
	l, req := guardedWorld(t)
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("status %d", s)
	}
	other := t.TempDir()
	elsewhere := req
	elsewhere.Dir = other
	if err := os.WriteFile(filepath.Join(req.Dir, "TODO.md"), []byte("outside\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if s := status(t, l, elsewhere, "true"); s != 0 {
		t.Errorf("what it cannot name holds it up: %d", s)
	}
	if s := status(t, l, elsewhere, "cat "+filepath.Join(req.Dir, "TODO.md")); s != exit.Tampered {
		t.Errorf("status %d", s)
	}
}

// what `tada-run` cannot verify does not run.
func TestDamagedBaselines(t *testing.T) {
	l, req := guardedWorld(t)
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("status %d", s)
	}
	names, _ := filepath.Glob(filepath.Join(l.state.Shadow(), "*", "manifest"))
	if len(names) != 2 {
		t.Fatalf("manifests %q", names)
	}
	for _, name := range names {
		whole, _ := os.ReadFile(name)
		if err := os.WriteFile(name, whole[:len(whole)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		var unverified *ProtectionError
		req.Shell.Text, req.Stdio, req.PTY = "true", nowhere(t), session.Never
		if _, err := l.Run(context.Background(), req); !errors.As(err, &unverified) ||
			!errors.Is(err, tamper.ErrCorrupt) || ExitOf(err) != exit.Failed {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// atBase is the launcher of the same configuration on a machine that has level base only. At that
// level nothing can be hidden among temporary files, so the state lies elsewhere.
func atBase(t *testing.T, l *Launcher) *Launcher {
	t.Helper()
	dir, err := "", error(nil)
	for _, place := range []string{fmt.Sprint("/run/user/", os.Getuid()), "/run", l.account, "."} {
		if place, err = filepath.Abs(place); err != nil ||
			slices.ContainsFunc(environ.SharedTemp,
				func(temp string) bool { return pathname.Within(place, temp) }) {
			err = errors.New("it is among them")
			continue
		}
		if dir, err = os.MkdirTemp(place, "tada-test-"); err == nil {
			break
		}
	}
	if err != nil {
		t.Skip("needs a folder that is not among temporary files, and may write to none")
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	home := filepath.Join(dir, "state")
	config, err := os.ReadFile(l.state.Config())
	if err == nil {
		err = errors.Join(os.Mkdir(home, 0o700),
			os.WriteFile(filepath.Join(home, "config.yaml"), config, 0o600))
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		t.Fatal(err)
	}
	base, err := own(home).Open()
	if err != nil {
		t.Fatal(err)
	}
	base.Caller = personHere
	base.level = func() sandbox.Level { return sandbox.Base }
	return base
}

// appends runs a program that appends to a file in a way that a reader of the program does not see.
func appends(t *testing.T, l *Launcher, req Request, file string) (Outcome, error) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here")
	}
	var name strings.Builder
	for _, c := range []byte(file) {
		fmt.Fprintf(&name, "chr(%d)+", c)
	}
	if err := os.WriteFile(filepath.Join(req.Dir, "build.py"),
		[]byte("open("+name.String()+"chr(0)[1:],'a').write(chr(10)+chr(35))\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	req.Shell.Text, req.Stdio, req.PTY = "python3 build.py", nowhere(t), session.Never
	return l.Run(context.Background(), req)
}

// where the sandbox cannot keep a file: at level base, below another program that answers
// system calls, a command that may write the folder changes a protected file, and the same call
// says so. Its status is that of tampering, whatever the command's was, the record has it, and
// nothing runs any more. With tamper_proof off it is told, archived and over.
func TestSweptAtBase(t *testing.T) {
	if !below(t) {
		return
	}
	l, req := guardedWorld(t)
	l = atBase(t, l)
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("status %d", s)
	}
	// A command that may write only where there is no protected file needs no second look, and gets
	// no notice.
	for _, line := range []string{"cat TODO.md", "ls > src/out"} {
		j := req
		j.Shell.Text = line
		if p, exposed, _ := judged(t, l, j).profile(""); len(exposed) > 0 ||
			slices.ContainsFunc(p.Write,
				func(w sandbox.Path) bool { return pathname.Within(req.Dir, w.Name) }) {
			t.Errorf("%s: may write %v, with %q", line, p.Write, exposed)
		}
		if s := status(t, l, req, line); s != 0 {
			t.Errorf("%s: status %d", line, s)
		}
	}
	for e, err := range l.Entries(audit.Filter{Kinds: []string{record.KindStart}}) {
		if err != nil || strings.Contains(string(e.Body), "unkept") {
			t.Errorf("told of what could not happen: %s, %v", e.Body, err)
		}
	}
	out, err := appends(t, l, req, "TODO.md")
	var after *AfterError
	var found *tamper.TamperError
	if !errors.As(err, &after) || after.Status != 0 || !errors.As(err, &found) ||
		len(found.Findings) != 1 || ExitOf(err) != exit.Tampered {
		t.Fatalf("%+v, %+v, %v", out, out.Refusal, err)
	}
	if s := status(t, l, req, "true"); s != exit.Tampered {
		t.Errorf("afterwards the status is %d", s)
	}
	told := false
	for e, err := range l.Entries(audit.Filter{Kinds: []string{record.KindEnd},
		Text: out.Session}) {
		told = told || err == nil && strings.Contains(string(e.Body), `"tampered":true`)
	}
	// That it could not be kept is told before anything happened: once to who ran the first
	// command, and in the record of each.
	for e, err := range l.Entries(audit.Filter{Kinds: []string{record.KindStart},
		Text: out.Session}) {
		var start struct {
			Unkept string
			Lost   []struct{ Protection string }
		}
		if err = errors.Join(err, json.Unmarshal(e.Body, &start)); err != nil ||
			!strings.Contains(start.Unkept, req.Dir) ||
			!strings.Contains(fmt.Sprint(start.Lost), string(sandbox.Keeping)) {
			t.Errorf("the start says %+v, %v", start, err)
		}
		var again strings.Builder
		if l.say(&again, start.Unkept); again.Len() > 0 {
			t.Errorf("nobody was told: %s", &again)
		}
	}
	events, err := l.TamperLog()
	if last := events[len(events)-1]; err != nil || !told || last.Action != tamper.ActionDetected ||
		last.Session != out.Session {
		t.Errorf("the record: %v, %+v, %v", told, last, err)
	}

	for name, c := range map[string]struct {
		which string
		exit  int
	}{"what the person asked to protect": {"TODO.md", 0},
		"tada-run's own":            {workspaceConfig, exit.Tampered},
		"a hook that is registered": {"agent.json", exit.Tampered}} {
		l, req := world(t)
		l = atBase(t, l)
		if err := errors.Join(
			os.WriteFile(filepath.Join(req.Dir, "TODO.md"), []byte("one\n"), 0o644),
			os.Mkdir(filepath.Join(req.Dir, ".tada"), 0o755),
			os.WriteFile(filepath.Join(req.Dir, ".tada", "config.yaml"),
				[]byte("security: {protect: [TODO.md]}\n"), 0o644),
		); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Settings().Register(filepath.Join(req.Dir, "agent.json"), setup.Registration{
			Change: func(_, _ []byte) ([]byte, error) { return []byte("{}\n"), nil },
			Holds:  func([]byte) bool { return true },
		}); err != nil {
			t.Fatal(err)
		}
		if s := status(t, l, req, "true"); s != 0 {
			t.Fatalf("%s: status %d", name, s)
		}
		out, err := appends(t, l, req, c.which)
		if ExitOf(err) != c.exit || out.Status != 0 {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		if s := status(t, l, req, "true"); s != c.exit {
			t.Errorf("%s: afterwards the status is %d", name, s)
		}
		events, err := l.TamperLog()
		if last := events[len(events)-1]; err != nil || last.Action != tamper.ActionDetected ||
			last.Auto != (c.exit == 0) || (last.Archive != "") != last.Auto {
			t.Errorf("%s: %+v, %v", name, last, err)
		}
	}
}

// A sandbox keeps so many protected files and no more, thousands: a change of the others is found
// as the command ends, too.
func TestSweptBeyondKept(t *testing.T) {
	l, req := world(t)
	if err := os.WriteFile(l.state.Config(),
		[]byte("security: {tamper_proof: true, protect: ['notes/*.md']}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(req.Dir, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range maxKept + 20 {
		if err := os.WriteFile(filepath.Join(req.Dir, "notes", fmt.Sprintf("%04d.md", i)),
			[]byte("note\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	if l.level() != sandbox.Strong {
		t.Skip("needs namespaces, which this machine does not allow")
	}
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("status %d", s)
	}
	for _, i := range []int{1, maxKept - 1} {
		if out, err := appends(t, l, req, fmt.Sprintf("notes/%04d.md", i)); err != nil ||
			out.Status == 0 {
			t.Errorf("number %d, which is kept: %+v, %v", i, out, err)
		}
	}
	var found *tamper.TamperError
	if out, err := appends(t, l, req, fmt.Sprintf("notes/%04d.md", maxKept+10)); out.Status != 0 ||
		!errors.As(err, &found) || len(found.Findings) != 1 || ExitOf(err) != exit.Tampered {
		t.Errorf("one beyond: %+v, %v", out, err)
	}
}

// The floor that root sets is protected as tada-run's own configuration is: that it appears is no
// finding, a change and an end of it are, whatever tamper_proof says.
func TestFloorIsProtected(t *testing.T) {
	l, req := world(t)
	l.floor = filepath.Join(t.TempDir(), "etc-config.yaml")
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("without one: status %d", s)
	}
	for _, step := range []struct {
		do   func() error
		exit int
	}{
		{func() error {
			return os.WriteFile(l.floor, []byte("security: {command_level: always}\n"), 0o644)
		}, 0},
		{func() error { return nil }, 0},
		{func() error { return os.WriteFile(l.floor, []byte("security: {}\n"), 0o644) },
			exit.Tampered},
		{func() error {
			return os.WriteFile(l.floor, []byte("security: {command_level: always}\n"), 0o644)
		}, 0},
		{func() error { return os.Remove(l.floor) }, exit.Tampered},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if s := status(t, l, req, "true"); s != step.exit {
			t.Errorf("status %d, want %d", s, step.exit)
		}
	}
	v, err := l.Review(req.Dir, true)
	if err != nil || !slices.Contains(v.Files, l.floor) || len(v.Findings) != 1 ||
		v.Findings[0].Kind != tamper.Deleted {
		t.Errorf("%+v, %v", v, err)
	}
}

// protected files are verified again after a person has answered, because the answer may
// have taken long: a change in that time stops the command that was approved.
func TestVerifiedAgainAfterTheAnswer(t *testing.T) {
	for name, change := range map[string]string{"changed meanwhile": "outside\n",
		"untouched": "one\n"} {
		l, req := guardedWorld(t)
		if s := status(t, l, req, "true"); s != 0 {
			t.Fatalf("status %d", s)
		}
		asked := 0
		req.Ask = func(_ context.Context, e approval.Envelope) (approval.Decision, error) {
			asked++
			d := permit.Answer(e, true, "", "tty")
			d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
			return d, os.WriteFile(filepath.Join(req.Dir, "TODO.md"), []byte(change), 0o644)
		}
		req.Shell.Text, req.Stdio, req.PTY = "rm -rf src", nowhere(t), session.Never
		out, err := l.Run(context.Background(), req)
		if err != nil || asked != 1 {
			t.Fatalf("%s: %v, asked %d times", name, err, asked)
		}
		_, gone := os.Lstat(filepath.Join(req.Dir, "src"))
		switch {
		case change == "one\n" && (out.Status != 0 || !errors.Is(gone, os.ErrNotExist)):
			t.Errorf("%s: %+v, %v", name, out, gone)
		case change != "one\n" && (out.Status != exit.Tampered || out.Refusal == nil ||
			out.Refusal.Code != "tamper_error" || gone != nil):
			t.Errorf("%s: %+v, %v", name, out, gone)
		}
	}
}

// nothing of a command is executed while the verification of protected files goes on.
func TestVerifiedBeforeAnythingRuns(t *testing.T) {
	l, req := guardedWorld(t)
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("status %d", s)
	}
	marker := filepath.Join(req.Dir, "marker")
	req.Shell.Text, req.Stdio, req.PTY = "touch marker", nowhere(t), session.Never
	l.policy = tightened(t, l, "security: {protect: [NOTES.md]}")
	if err := os.WriteFile(filepath.Join(req.Dir, "NOTES.md"), []byte("one\n"), 0o644); err != nil {
		// for the verification to write down
		t.Fatal(err)
	}
	locks, _ := filepath.Glob(filepath.Join(l.state.Shadow(), "*", "lock"))
	var held []*os.File
	for _, name := range locks {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		held = append(held, f)
	}
	ended := make(chan string, 1)
	go func() {
		out, err := l.Run(context.Background(), req)
		ended <- fmt.Sprint(out.Status, err)
	}()
	for waits := false; !waits; { // until the verification has opened a lock, which it does not get
		select {
		case s := <-ended:
			t.Fatalf("it ended with %s, and did not wait for the verification", s)
		case <-time.After(time.Millisecond):
		}
		for _, name := range locks {
			waits = waits || opened(t, name) > 1
		}
	}
	if n := len(entriesOf(t, l, record.KindStart)); n != 1 { // of the run before
		t.Errorf("%d runs have started", n)
	}
	if _, err := os.Lstat(marker); err == nil {
		t.Error("it ran while the verification went on")
	}
	for _, f := range held {
		f.Close()
	}
	if s := <-ended; s != "0 <nil>" {
		t.Errorf("it ended with %s", s)
	}
	if _, err := os.Lstat(marker); err != nil {
		t.Error("it never ran")
	}
}

// opened counts the descriptors of this process on a file.
func opened(t *testing.T, name string) (n int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && to == name {
			n++
		}
	}
	return n
}

// at level base: what is protected stays as it is, and a command beside it works.
func TestKeptAtBase(t *testing.T) {
	l, req := guardedWorld(t)
	l = atBase(t, l)
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("status %d", s)
	}
	before, err := os.ReadFile(filepath.Join(req.Dir, "TODO.md"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := appends(t, l, req, "TODO.md"); err != nil || out.Status == 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if after, err := os.ReadFile(filepath.Join(req.Dir, "TODO.md")); err != nil ||
		string(after) != string(before) {
		t.Errorf("%q, %v", after, err)
	}
	if out, err := appends(t, l, req, "other.md"); err != nil || out.Status != 0 {
		t.Errorf("beside it: %+v, %v", out, err)
	}
	if s := status(t, l, req, "true"); s != 0 {
		t.Errorf("afterwards the status is %d", s)
	}
}
