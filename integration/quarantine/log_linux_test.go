package quarantine

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func allowedEvent(tool string) Event {
	return Event{Time: time.Unix(1790000000, 0), Type: EventAllowed, Session: someUUID, Tool: tool,
		Allowed: true}
}

// D-sec-H3, D-log-1, D-log-2, D-log-3: allowed events are collected until there are ten; a denial
// does not wait, nor do the events before it; the longest wait is a second.
func TestLogBuffers(t *testing.T) {
	l := testLog(t)
	for i := range 9 {
		if err := l.Add(allowedEvent("Read")); err != nil {
			t.Fatal(err)
		}
		l.mu.Lock()
		if l.timer == nil {
			t.Error("nothing will write what waits")
		} else {
			l.timer.Stop() // a loaded machine may take a second for the nine
		}
		l.mu.Unlock()
		if n := len(logged(t, l)); n != 0 {
			t.Fatalf("after %d events, %d are on disk", i+1, n)
		}
	}
	if err := l.Add(allowedEvent("Read")); err != nil {
		t.Fatal(err)
	}
	if n := len(logged(t, l)); n != 10 {
		t.Errorf("after 10 events, %d are on disk", n)
	}
	denied := allowedEvent("Bash")
	denied.Type, denied.Allowed = EventToolBlocked, false
	if err := errors.Join(l.Add(allowedEvent("Grep")), l.Add(denied)); err != nil {
		t.Fatal(err)
	}
	if all := logged(t, l); len(all) != 12 || all[11].Tool != "Bash" {
		t.Errorf("after a denial: %+v", all)
	}
	if err := l.Add(allowedEvent("Glob")); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); len(logged(t, l)) != 13; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what waits was not written by the timer")
		}
	}
	if err := errors.Join(l.Add(allowedEvent("Glob")), l.Close()); err != nil {
		t.Fatal(err)
	}
	if n := len(logged(t, l)); n != 14 {
		t.Errorf("after the end, %d are on disk", n)
	}
	if l.Add(denied) == nil {
		t.Error("a closed log takes events")
	}
	if info, err := os.Stat(l.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// D-log-3: a denial is on disk even if its process is killed right after it.
func TestDenialSurvivesKill(t *testing.T) {
	if path := os.Getenv("QUARANTINE_LOG"); path != "" {
		l, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		e := allowedEvent("Bash")
		e.Type, e.Allowed = EventToolBlocked, false
		if err := errors.Join(l.Add(allowedEvent("Read")), l.Add(e)); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	path := filepath.Join(t.TempDir(), LogName)
	c := exec.Command("/proc/self/exe", "-test.run=^TestDenialSurvivesKill$")
	c.Env = append(os.Environ(), "QUARANTINE_LOG="+path)
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("%v: %s", err, out)
	}
	if all := logged(t, &Log{path: path}); len(all) != 2 || all[1].Type != EventToolBlocked {
		t.Errorf("%+v", all)
	}
}

// D-log-5: every code has one of the eight types.
func TestEventTypes(t *testing.T) {
	for err, want := range map[error]EventType{
		nil: EventAllowed, ErrMalformed: EventHMACInvalid, ErrBadHMAC: EventHMACInvalid,
		ErrExpired: EventExpired, ErrFuture: EventExpired,
		ErrWrongSession: EventSessionMismatch, ErrTimeout: EventTimeout, ErrBusy: EventRateLimited,
		ErrNotFound: EventToolBlocked,
		ErrChanged:  EventToolBlocked, ErrUnknownSession: EventToolBlocked,
		errors.New("else"): EventToolBlocked,
	} {
		if got := eventOf(err); got != want {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
	}
	names := []EventType{EventAllowed, EventToolBlocked, EventHMACInvalid, EventExpired,
		EventSessionMismatch, EventRateLimited, EventTimeout, EventResponseInvalid}
	want := "allowed tool_blocked hmac_invalid expired session_mismatch rate_limited timeout response_invalid"
	text, _ := json.Marshal(names)
	if got := strings.NewReplacer(`","`, " ", `["`, "", `"]`,
		"").Replace(string(text)); got != want {
		t.Errorf("types are %s", got)
	}
	if testLog(t).Add(Event{}) == nil {
		t.Error("an event without a type was logged")
	}
}

// secrets have the shape of credentials; none of them ever was one.
var secrets = []string{
	"AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "IOSFODNN7EXAMPLE", "ghp_" + strings.Repeat("a1B2", 9),
	"gho_" + strings.Repeat("a1B2", 9), "ghs_" + strings.Repeat("a1B2", 9),
	"github_pat_" + strings.Repeat("a1B2", 9), "glpat-" + strings.Repeat("a1B2", 5),
	"xoxb-" + "123456789012-abcdefABCDEF", "AIza" + strings.Repeat("a1B2c", 7),
	"sk-" + strings.Repeat("a1B2", 12), "sk-ant-api03-" + strings.Repeat("a1B2", 20),
	"npm_" + strings.Repeat("a1B2", 9), "sk_live_" + strings.Repeat("a1B2", 6),
	"rk_live_" + strings.Repeat("a1B2", 6),
	"eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
	"https://user:hunter22@example.com/x",
	"-----BEGIN RSA PRIVATE KEY-----", "AGE-SECRET-KEY-1" + strings.Repeat("QPZRY9X8", 8)[:58],
	"password=hunter22", "passwd: hunter22", `"api_key": "hunter22"`,
	"Authorization: Bearer abc.def",
	"secret=hunter22", "TOKEN=hunter22", "client_secret=hunter22", "access_key=hunter22",
	"Cookie: sid=hunter22", "hmac=" + someHex, someHex, strings.ToUpper(someHex),
	"QWxhZGRpbjpvcGVuIHNlc2FtZQ==QWxhZGRpbg", "bearer abcdefgh12345678",
}

// D-log-4: credentials are not in the log, in whatever part of a call they are; nor are HMACs.
func TestLogRedacts(t *testing.T) {
	if len(secrets) < 30 {
		t.Fatalf("%d shapes", len(secrets))
	}
	root := testRoot(t)
	c := newClock()
	s := testSession(t, root, func(o *Options) { o.Now, o.Timeout = c.Now, 24*time.Hour })
	l := testLog(t)
	var uris []string
	for _, secret := range secrets {
		name := filepath.Join(root, strings.ReplaceAll(secret,
			"https://user:hunter22@example.com/x", "no name has a slash"))
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := s.Refer(name, true)
		if err != nil {
			t.Fatal(err)
		}
		uris = append(uris, hex.EncodeToString(r.HMAC[:]), hex.EncodeToString(r.SHA[:]))
		for _, call := range []Call{
			call("Read", "file_path", r.URI()), call("Read", "file_path", secret),
			call("Grep", "pattern", secret), call("Grep", "pattern", "x", "path", secret),
			call(secret), call("Bash", "command", secret), call("Read", secret, "x"),
			{Tool: "Bash", Agent: secret, Inside: true},
			call("Glob", "pattern", "../"+secret),
		} {
			s.Enforce(call, l)
		}
		c.advance(time.Minute) // for the rate
		_ = l.Add(Event{Type: EventAllowed, Allowed: true, Agent: secret, Tool: secret,
			Reason: "because of " + secret, Path: secret})
	}
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if len(logged(t, l)) < 9*len(secrets) {
		t.Error("not every call was logged")
	}
	for _, needle := range append(append(uris, secrets...), "hunter22", someHex[:40],
		"dozjgNryP4J3jVmNHl0w5N", "IOSFODNN7EXAMPLE", "QWxhZGRpbjpvcGVuIHNlc2FtZQ") {
		quoted, _ := json.Marshal(needle)
		for _, form := range []string{needle, strings.Trim(string(quoted), `"`)} {
			if i := strings.Index(string(text), form); i >= 0 &&
				needle != "-----BEGIN RSA PRIVATE KEY-----" {
				t.Errorf("%q is in the log: %.200q", form, text[max(0, i-80):])
			}
		}
	}
	for what, kept := range map[string]string{"a plain path": "/src/main.go", "an id": someUUID,
		"a plain reason": "tool is not allowed"} {
		if got := redact(kept); got != kept {
			t.Errorf("%s became %q", what, got)
		}
	}
}

// D-log-6: what cannot be logged is denied, until it can be logged again. A folder in place of the
// file acts like a full disk, for root too.
func TestLogFailureDenies(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	l := testLog(t)
	good := call("Glob", "pattern", "*")
	if err := errors.Join(os.Remove(l.path), os.Mkdir(l.path, 0o700)); err != nil {
		t.Fatal(err)
	}
	for range flushEvery - 1 { // wait in memory
		if d := s.Enforce(good, l); !d.Allowed {
			t.Fatalf("%+v", d)
		}
	}
	for range 3 {
		if d := s.Enforce(good, l); d.Allowed || !strings.Contains(d.Reason, "security log") {
			t.Errorf("%+v", d)
		}
	}
	if d := s.Enforce(call("Bash"), l); d.Allowed {
		t.Errorf("%+v", d)
	}
	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	if d := s.Enforce(good, l); !d.Allowed {
		t.Errorf("after there is room again: %+v", d)
	}
	if n := len(logged(t, l)); n < flushEvery {
		t.Errorf("%d events are on disk", n)
	}
	if _, err := OpenLog("/nonexistent/x"); err == nil {
		t.Error("a log that cannot be written was opened")
	}
	link := filepath.Join(t.TempDir(), LogName)
	if err := os.Symlink(l.path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(link); err == nil {
		t.Error("a log that is a link was opened")
	}
}

// D-log-6: a disk that is really full (/dev/full answers ENOSPC to every write).
func TestFullDiskDenies(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	l := &Log{path: "/dev/full"}
	if d := s.Enforce(call("Bash"), l); d.Allowed || !strings.Contains(d.Reason, "no space left") {
		t.Errorf("%+v", d)
	}
	if d := s.Enforce(call("Glob", "pattern", "*"), l); d.Allowed {
		t.Errorf("%+v", d)
	}
}

// A torn line, whichever process wrote it, does not swallow the next.
func TestTornLine(t *testing.T) {
	l := testLog(t)
	if err := os.WriteFile(l.path, []byte(`{"type":"allo`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Add(allowedEvent("Read")), l.Flush()); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(l.path)
	if lines := strings.Split(string(text), "\n"); len(lines) != 3 ||
		!json.Valid([]byte(lines[1])) {
		t.Errorf("%q", text)
	}
}
