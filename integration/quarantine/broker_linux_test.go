package quarantine

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startBroker starts one in this process, on a state directory with a path longer than a socket's
// may be.
func startBroker(t *testing.T, change func(*Options)) (*Broker, Client) {
	t.Helper()
	return startGuarded(t, change, nil)
}

// startGuarded starts a broker that calls peer to decide who may ask.
func startGuarded(t *testing.T, change func(*Options),
	peer func(pid, uid int) error) (*Broker, Client) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	var all Sessions
	o := Options{Root: testRoot(t)}
	if change != nil {
		change(&o)
	}
	s, err := all.Create(o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := all.Listen(s, dir, testLog(t), peer)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return b, Client{dir, s.ID}
}

// registered quarantines an agent in the session of b, as start does.
func registered(t *testing.T, b *Broker, agent string) Agent {
	t.Helper()
	a, err := b.Session.Register(agent, nil)
	if err = errors.Join(err, b.remember()); err != nil {
		t.Fatal(err)
	}
	return a
}

// Everything that a client asks for returns what the session has, including its errors.
func TestBroker(t *testing.T) {
	b, c := startBroker(t, nil)
	ctx := t.Context()
	root := b.Session.Root()
	uri, err := c.Refer(ctx, root+"/main.go", false)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.Verify(ctx, uri); err != nil || !r.Valid {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := c.Verify(ctx, uri+"x"); err != nil || r.Valid || r.Code != CodeMalformed {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := c.Refer(ctx, "/etc/passwd", false); !errors.Is(err, ErrOutside) {
		t.Errorf("a file outside: %v", err)
	}
	if a := registered(t, b, "reviewer"); !a.IsQuarantine {
		t.Errorf("%+v", a)
	}
	about, err := c.About(ctx)
	if err != nil || about.Session != c.Session || about.Root != root || about.TTL != 300 ||
		len(about.Agents) != 1 {
		t.Errorf("%+v, %v", about, err)
	}
	if d, err := c.Enforce(ctx, Call{Agent: "reviewer", Tool: "Bash"}); err != nil || d.Allowed ||
		d.Event.Type != EventToolBlocked {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := c.Enforce(ctx, Call{Agent: "main", Tool: "Bash"}); err != nil || !d.Allowed ||
		d.Quarantined {
		t.Errorf("%+v, %v", d, err)
	}
	if d, text, err := c.Serve(ctx, call("Read", "file_path", uri)); err != nil || !d.Allowed ||
		string(text) != "package main\n" {
		t.Errorf("%+v, %q, %v", d, text, err)
	}
	if d, text, err := c.Serve(ctx, call("Grep", "pattern", "PACK", "-i", "")); err != nil ||
		!d.Allowed || len(text) != 0 {
		t.Errorf("%+v, %q, %v", d, text, err)
	}
	if d, text, err := c.Serve(ctx,
		call("Grep", "pattern", "pack.*", "glob", "*.go")); err != nil || !d.Allowed ||
		string(text) != root+"/main.go:1:package main\n" {
		t.Errorf("%+v, %q, %v", d, text, err)
	}
	if d, text, err := c.Serve(ctx, call("Glob", "pattern", "sub/*")); err != nil || !d.Allowed ||
		!strings.Contains(string(text), "/sub/a%20b%3F%25\n") ||
		strings.Contains(string(text), "main") {
		t.Errorf("%+v, %q, %v", d, text, err)
	}
	if d, text, err := c.Serve(ctx, call("Glob", "pattern", "*", "path", "/etc")); err != nil ||
		d.Allowed || text != nil {
		t.Errorf("%+v, %q, %v", d, text, err)
	}
	if found, err := Find(c.Dir, c.Session[:4]); err != nil || found != c {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := Find(c.Dir, "x"); !errors.Is(err, ErrUnknownSession) {
		t.Error(err)
	}
	if err := c.End(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := b.sessions.Get(c.Session); !errors.Is(err, ErrUnknownSession) {
		t.Error(err)
	}
	for _, r := range []request{{Op: "else"}, {Op: opEnforce}, {}} {
		if got := b.answer(r); got.Code != CodeFailed {
			t.Errorf("%+v is answered by %+v", r, got)
		}
	}
}

// D-rate-2: five agents at once, in all sessions and processes together; an end, and a death, free
// a slot.
func TestConcurrency(t *testing.T) {
	if dir := os.Getenv("QUARANTINE_SLOTS"); dir != "" {
		slots, err := NewSlots(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := slots.take(); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("taken\n")
		time.Sleep(time.Hour)
	}
	dir := t.TempDir()
	slots, err := NewSlots(dir)
	if err != nil {
		t.Fatal(err)
	}
	var others []*exec.Cmd
	for range 3 {
		c := exec.Command("/proc/self/exe", "-test.run=^TestConcurrency$")
		c.Env = append(os.Environ(), "QUARANTINE_SLOTS="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
		if _, err := out.Read(make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
		others = append(others, c)
	}
	s, other := testSession(t, testRoot(t), nil), testSession(t, testRoot(t), nil)
	if _, err := s.Register("4", slots); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Register("5", slots); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Register("6", slots); !errors.Is(err, ErrBusy) || CodeOf(err) != CodeBusy {
		t.Errorf("the sixth: %v", err)
	}
	if _, err := other.Register("5", slots); err != nil {
		t.Errorf("one that is there already: %v", err)
	}
	s.destroy()
	if _, err := other.Register("6", slots); err != nil {
		t.Errorf("after an end: %v", err)
	}
	if _, err := other.Register("7", slots); !errors.Is(err, ErrBusy) {
		t.Errorf("the sixth again: %v", err)
	}
	_ = others[0].Process.Signal(syscall.SIGKILL)
	_ = others[0].Wait()
	if _, err := other.Register("7", slots); err != nil {
		t.Errorf("after a death: %v", err)
	}
	other.destroy()
	if _, err := testSession(t, testRoot(t), nil).Register("8", slots); err != nil {
		t.Errorf("after the end of a session: %v", err)
	}
}

// D-rate-4: one limit for calls that come from as many processes as there are calls.
func TestRateAcrossProcesses(t *testing.T) {
	if dir := os.Getenv("QUARANTINE_ASK"); dir != "" {
		if d := Ask(context.Background(), dir, "",
			Call{Agent: "reviewer", Tool: "Glob",
				Input: json.RawMessage(`{"pattern":"*"}`)}); !d.Allowed {
			os.Stdout.WriteString(d.Reason)
			os.Exit(3)
		}
		os.Exit(0)
	}
	b, c := startBroker(t, nil)
	registered(t, b, "reviewer")
	ask := func() (string, error) {
		p := exec.Command("/proc/self/exe", "-test.run=^TestRateAcrossProcesses$")
		p.Env = append(os.Environ(), "QUARANTINE_ASK="+c.Dir)
		out, err := p.Output()
		return string(out), err
	}
	began := time.Now()
	for i := range 100 {
		if out, err := ask(); err != nil {
			t.Fatalf("call %d: %v, %s", i+1, err, out)
		}
	}
	out, err := ask()
	if time.Since(began) > window {
		t.Skip("101 processes took more than a minute here")
	}
	if err == nil || !strings.Contains(out, "100 calls") {
		t.Errorf("call 101: %v, %s", err, out)
	}
	if a, _ := b.Session.Agent("reviewer"); a.Calls != 101 || a.Denied != 1 {
		t.Errorf("%+v", a)
	}
}

// D-hook-9, D-hook-10: whatever is wrong with the broker, its agents are denied, and others pass.
func TestAskFailsClosed(t *testing.T) {
	b, c := startBroker(t, nil)
	b.Session.Bind("p1")
	registered(t, b, "reviewer")
	calls := map[string]struct {
		call    Call
		session string
		held    bool
	}{
		"the agent":                 {Call{Agent: "reviewer", Tool: "Bash"}, "", true},
		"nobody in its session":     {Call{Platform: "p1", Tool: "Bash"}, "", true},
		"who has the variable":      {Call{Tool: "Bash"}, c.Session, true},
		"who has another variable":  {Call{Tool: "Read"}, someUUID, true},
		"who has a broken variable": {Call{Tool: "Read"}, "x", true},
		"another agent": {Call{Agent: "main", Platform: "p2", Tool: "Bash"}, "",
			false},
		"nobody in no session at all": {Call{Tool: "Bash"}, "", false},
	}
	try := func(when string) {
		t.Helper()
		for what, test := range calls {
			d := Ask(t.Context(), c.Dir, test.session, test.call)
			if d.Quarantined != test.held || d.Allowed == test.held {
				t.Errorf("%s, %s: %+v", when, what, d)
			}
		}
	}
	try("while it lives")
	if err := c.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := c.About(t.Context()); errors.Is(err, ErrUnknownSession) ||
			time.Now().After(deadline) {
			break
		}
	}
	try("after its end")

	// A process that sends nothing, and one that sends something else.
	name := filepath.Join(c.Dir, c.Session+".sock")
	for what, answer := range map[string]string{"silent": "", "not JSON": "hello\n",
		"empty": "{}\n", "an allowance of nobody": `{"decision":{"allowed":true}}` + "\n"} {
		_ = os.Remove(name)
		folder, err := os.Open(c.Dir)
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", within(folder, c.Session+".sock"))
		folder.Close()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				if answer != "" {
					_, _ = conn.Write([]byte(answer))
					conn.Close()
				} else {
					t.Cleanup(func() { conn.Close() })
				}
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		d := Ask(ctx, c.Dir, c.Session,
			Call{Tool: "Glob", Input: json.RawMessage(`{"pattern":"*"}`)})
		cancel()
		if d.Allowed || !d.Quarantined {
			t.Errorf("%s: %+v", what, d)
		}
		if what != "an allowance of nobody" {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			if d := Ask(ctx, c.Dir, "", Call{Agent: "reviewer", Tool: "Bash"}); d.Allowed ||
				!d.Quarantined {
				t.Errorf("%s, by name: %+v", what, d)
			}
			cancel()
		}
		l.Close()
	}

	// If the list of confined agents cannot be read, every agent counts as confined.
	if err := os.WriteFile(filepath.Join(c.Dir, c.Session+".json"), []byte("{"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if d := Ask(t.Context(), c.Dir, "", Call{Agent: "main", Tool: "Bash"}); d.Allowed {
		t.Errorf("%+v", d)
	}
	Forget(t.Context(), c.Dir, time.Hour, time.Now())
	if d := Ask(t.Context(), c.Dir, "", Call{Agent: "main", Tool: "Bash"}); d.Allowed {
		t.Error("it was forgotten too early")
	}
	Forget(t.Context(), c.Dir, time.Hour, time.Now().Add(2*time.Hour))
	if d := Ask(t.Context(), c.Dir, "", Call{Agent: "main", Tool: "Bash"}); !d.Allowed ||
		d.Quarantined {
		t.Errorf("nothing is left: %+v", d)
	}
	if d := Ask(t.Context(), filepath.Join(c.Dir, "none"), "", Call{Tool: "Bash"}); !d.Allowed {
		t.Errorf("without any session: %+v", d)
	}
}

// D-quar-5: at the end of its time the broker logs it, destroys the session and returns the reason.
func TestBrokerTimesOut(t *testing.T) {
	var all Sessions
	s, err := all.Create(Options{Root: testRoot(t), Timeout: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	log := testLog(t)
	b, err := all.Listen(s, t.TempDir(), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Serve(t.Context()); !errors.Is(err, ErrTimeout) {
		t.Errorf("%v", err)
	}
	if _, err := all.Get(s.ID); !errors.Is(err, ErrUnknownSession) {
		t.Error(err)
	}
	if events := logged(t, log); len(events) != 1 || events[0].Type != EventTimeout {
		t.Errorf("%+v", events)
	}
}

// A process that is not let in gets no other answer.
func TestPeerIsRefused(t *testing.T) {
	b, c := startGuarded(t, nil, func(pid, uid int) error {
		if pid != os.Getpid() || uid != os.Getuid() {
			t.Errorf("pid %d, uid %d", pid, uid)
		}
		return errors.New("it runs inside of a fence")
	})
	if _, err := c.Refer(t.Context(), b.Session.Root()+"/main.go", false); !errors.Is(err,
		ErrPeer) {
		t.Error(err)
	}
	if d := Ask(t.Context(), c.Dir, c.Session, call("Glob", "pattern", "*")); d.Allowed {
		t.Errorf("%+v", d)
	}
}
