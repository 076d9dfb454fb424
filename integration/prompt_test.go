package integration

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
)

// codeAt returns a one-time code as an authenticator shows it (RFC 6238).
func codeAt(t *testing.T, uri string, at time.Time) string {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(uri))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(u.Query().Get("secret"))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, at.Unix()/30)
	sum := mac.Sum(nil)
	from := sum[len(sum)-1] & 15
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[from:])&0x7fffffff%1_000_000)
}

var challenged = pattern(`type ([2-9A-HJ-NP-Z]{8}) to approve`)

// E-chan-8, E-chan-9: with one-time codes set up, the highest risk requires the characters of this
// question and a code; a code is valid for one question.
func TestSecondFactorOnTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	uri := p.answered("tadactl key totp")
	code := codeAt(t, uri, time.Now())
	answer := func(command, code, want string) {
		t.Helper()
		p.run("tada-run '" + command + "'")
		s, tty := p.on("tadactl approve $(tadactl pending | grep -v answered | grep '" + command +
			"' | cut -d' ' -f1); echo status $?")
		if err := s.shows("to approve"); err != nil {
			t.Fatal(err, s.text())
		}
		for _, c := range challenged().FindStringSubmatch(s.text())[1] {
			_, _ = tty.Write([]byte(string(c)))
			time.Sleep(5 * time.Millisecond)
		}
		if err := s.shows("one-time code"); err != nil {
			t.Fatal(err, s.text())
		}
		time.Sleep(50 * time.Millisecond)
		_, _ = tty.Write([]byte(code + "\r"))
		if err := s.shows(want); err != nil {
			t.Error(err, s.text())
		}
		s.drained()
	}
	answer("git push --force origin one", "000000", "status 126")
	answer("git push --force origin one", code, "status 0")
	answer("git push --force origin two", code, "this one-time code was already used")
	if out := p.run("tadactl pending"); !strings.Contains(out, "answered") ||
		strings.Count(out, "\n") != 2 {
		t.Error(out)
	}
}

// E-chan-2, E-chan-5: a program inside a sandbox cannot type into the person's tmux, but the same
// program outside can.
func TestTmuxOfThePersonIsOutOfReach(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	p := newPlace(t)
	name := fmt.Sprintf("tada-test-%d", os.Getpid())
	if out := p.run("tmux -L " + name + " -f /dev/null new-session -d -s person 'cat > " + p.dir +
		"/typed'"); out != "" {
		t.Fatal(out)
	}
	t.Cleanup(func() { p.run("tmux -L " + name + " kill-server") })
	script := "#!/usr/bin/perl\nsystem(join('', 't', 'mux'), '-L', '" + name +
		"', 'send-keys', '-t', 'person', $ARGV[0], 'Enter');\n"
	if err := hermetic.WriteProgram(filepath.Join(p.dir, "gen"), []byte(script),
		0o755); err != nil {
		t.Fatal(err)
	}
	inside := p.run("tada-run './gen inside'")
	if !strings.Contains(inside, "error connecting") && !strings.Contains(inside, "ermission") {
		t.Errorf("inside: %q", inside)
	}
	p.run("./gen outside")
	typed := func() string { b, _ := os.ReadFile(filepath.Join(p.dir, "typed")); return string(b) }
	for range 200 {
		if strings.Contains(typed(), "outside") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := typed(); !strings.Contains(got, "outside") || strings.Contains(got, "inside") {
		t.Errorf("the person's terminal got %q", got)
	}
}

// trustedKey is a key whose answers count: a test is not a person at a terminal, so it answers like
// another machine.
func trustedKey(t testing.TB, l *launcher.Launcher) approval.Key {
	t.Helper()
	key, err := approval.NewKey("tester", rand.Reader)
	if err == nil {
		err = os.WriteFile(l.Home().Trust(), []byte(key.TrustLine()+"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// signedYes is a signed approval of a question.
func signedYes(t testing.TB, l *launcher.Launcher, key approval.Key, e approval.Envelope) []byte {
	t.Helper()
	line, err := l.ExportRequest(t.Context(), e.ID)
	if err != nil {
		t.Fatal(err)
	}
	q, err := approval.ReadQuestion(line)
	if err != nil {
		t.Fatal(err)
	}
	a, err := q.Answer(true, "", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	token, err := key.Sign(a, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// waitingRun answers one waiting run and returns the time from the beginning of the answer, through
// its transaction, its use and its record, until the command is recorded as started.
func waitingRun(t testing.TB, l, other *launcher.Launcher, dir string) time.Duration {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	key := trustedKey(t, other)
	started, ended := make(chan time.Time, 1), make(chan struct{})
	go func() {
		defer close(ended)
		null, _ := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		defer null.Close()
		out, err := l.Run(ctx, launcher.Request{
			Shell: shell.Call{Text: "rm -rf build", Name: "tada-run"}, Dir: dir,
			Env:   []string{"PATH=/usr/bin:/bin"},
			Stdio: session.Stdio{In: null, Out: null, Err: null}, Wait: 20 * time.Second,
			Started: func(string) { started <- time.Now() },
		})
		if err != nil || out.Refusal != nil {
			t.Error(err, out.Refusal)
		}
	}()
	for ctx.Err() == nil {
		list, err := other.Pending(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 || list[0].Decision != nil {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		time.Sleep(30 * time.Millisecond) // it waits by now
		began := time.Now()
		if _, err := other.DecideToken(ctx, signedYes(t, other, key, list[0])); err != nil {
			t.Fatal(err)
		}
		<-ended
		select {
		case at := <-started:
			return at.Sub(began)
		default:
			t.Fatal("it was answered and did not start")
		}
	}
	t.Fatal("nothing was asked")
	return 0
}

// A person's answer reaches a waiting run, and lets it run. The time is only reported, because it
// is the disk's time as well: the disk is waited for five times, one after the other: twice for the
// answer, twice for its use, once for the record.
func BenchmarkAnswerToWaitingRun(b *testing.B) {
	dir := b.TempDir()
	l, err := launcher.Place{State: filepath.Join(dir, "state"),
		Account: filepath.Join(dir, "account")}.Open()
	if err != nil {
		b.Fatal(err)
	}
	other, err := launcher.Place{State: filepath.Join(dir, "state"),
		Account: filepath.Join(dir, "account")}.Open()
	if err != nil {
		b.Fatal(err)
	}
	repo := filepath.Join(dir, "repo")
	if err := os.Mkdir(repo, 0o755); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		took = append(took, waitingRun(b, l, other, repo))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/answer-to-start")
}

// The same for an answer at the prompt of the run itself: from the key until the command is
// recorded as started.
func BenchmarkAnswerAtThePrompt(b *testing.B) {
	dir := b.TempDir()
	l, err := launcher.Place{State: filepath.Join(dir, "state"),
		Account: filepath.Join(dir, "account")}.Open()
	if err != nil {
		b.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	var took []time.Duration
	for b.Loop() {
		if err := os.MkdirAll(filepath.Join(dir, "repo", "build"), 0o755); err != nil {
			b.Fatal(err)
		}
		var answered, started time.Time
		out, err := l.Run(b.Context(), launcher.Request{
			Shell: shell.Call{Text: "rm -rf build", Name: "tada-run"},
			Dir:   filepath.Join(dir, "repo"), Env: []string{"PATH=/usr/bin:/bin"},
			Stdio: session.Stdio{In: null, Out: null, Err: null},
			Ask: func(_ context.Context, e approval.Envelope) (approval.Decision, error) {
				// a person answers no sooner, and the sandbox is prepared in the meantime
				time.Sleep(30 * time.Millisecond)
				answered = time.Now()
				d := permit.Answer(e, true, "", "tty")
				d.Challenge, d.Paged, d.Took = e.Challenge, true, time.Minute
				return d, nil
			},
			Started: func(string) { started = time.Now() },
		})
		if err != nil || out.Refusal != nil {
			b.Fatal(err, out.Refusal)
		}
		took = append(took, started.Sub(answered))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/answer-to-start")
}
