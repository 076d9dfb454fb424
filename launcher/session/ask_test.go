//go:build linux

package session

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// An asked question runs in a process of its own, the leader of the terminal's session.
type asked struct {
	*outer
	cmd      *exec.Cmd
	report   *bufio.Reader
	answered *os.File
	before   unix.Termios
}

func ask(t *testing.T, o *outer, args ...string) *asked {
	t.Helper()
	reportR, reportW := pipePair(t)
	answeredR, answeredW := pipePair(t)
	reportR.SetReadDeadline(time.Now().Add(patience))
	a := &asked{outer: o, before: o.modes(), report: bufio.NewReader(reportR), answered: answeredW}
	a.cmd = role("ask", args...)
	a.cmd.ExtraFiles = []*os.File{reportW, answeredR}
	o.start(a.cmd)
	reportW.Close()
	answeredR.Close()
	return a
}

// open waits until the question is on the screen and the guard time, which is short here, is
// over: a key that does nothing but scroll cannot tell, so keys are repeated by the caller.
func (a *asked) open() *asked {
	a.t.Helper()
	a.expect("QUESTION")
	a.expect(": ")
	return a
}

// ends waits for the report and checks that the terminal is as before.
func (a *asked) ends(want string) {
	a.t.Helper()
	line, _ := a.report.ReadString('\n')
	if got := strings.TrimSuffix(line, "\n"); got != want {
		a.t.Errorf("%s, want %s; the screen has %q", got, want, a.screen())
	}
	a.cmd.Wait()
	if after := a.modes(); after != a.before {
		a.t.Errorf("modes before %+v\nafter %+v", a.before, after)
	}
}

// press repeats key until the question ends, because the guard time swallows the first ones.
func (a *asked) press(key string) {
	for a.t.Context().Err() == nil {
		a.send(key)
		fds := []unix.PollFd{}
		poll(fds, 30)
		if a.report.Buffered() > 0 || a.cmd.Process.Signal(syscall.Signal(0)) != nil || !a.isRaw() {
			return
		}
	}
}

func TestAskKeys(t *testing.T) {
	cases := []struct{ name, key, want string }{
		{"approve", "y", `approved 'y'`},
		{"no", "n", `denied 'n'`},
		{"NO", "N", `denied 'N'`},
		{"quit", "q", `cancelled 'q'`},
		{"escape", "\x1b", `cancelled '\x1b'`},
		{"ctrl-c", "\x03", `cancelled '\x03'`},
		{"ctrl-d", "\x04", `cancelled '\x04'`},
		{"ctrl-backslash", "\x1c", `cancelled '\x1c'`},
		{"another choice", "s", `chosen 's'`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, newOuter(t), "-others=s").open()
			a.press(c.key)
			a.ends(c.want)
		})
	}
}

// E-chan-3: what was typed before the question is thrown away, whatever it was.
func TestTypedBeforeDoesNotApprove(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.send("y\ny\nyyyy\n")
	a := ask(t, o, "-timeout=700ms", "-quiet=100ms", "-guard=100ms")
	a.send("y\ny")
	a.ends("error " + ErrTimeout.Error())
}

// E-chan-3: without any guard time, what comes before the silence is still thrown away.
func TestQuietTime(t *testing.T) {
	t.Parallel()
	a := ask(t, newOuter(t), "-quiet=200ms", "-guard=1ns")
	eventually(t, "raw mode", a.isRaw)
	for range 5 {
		a.send("y")
		poll(nil, 50)
	}
	if strings.Contains(a.screen(), "QUESTION") {
		t.Error("asked while keys were coming in")
	}
	a.open().press("n")
	a.ends(`denied 'n'`)
}

// E-chan-3: with the usual times, a key in the guard time does not approve.
func TestGuardTime(t *testing.T) {
	t.Parallel()
	a := ask(t, newOuter(t), "-quiet=0", "-guard=0", "-timeout=1s").open()
	a.send("y") // 400 ms are not over: the test would have to be stopped for so long
	a.ends("error " + ErrTimeout.Error())
}

// Keys that are not pressed after reading do not approve: Enter, space, pasted text.
func TestWhatDoesNotApprove(t *testing.T) {
	for name, keys := range map[string]string{
		"enter": "\r", "newline": "\n", "space": " ", "paste": "y\n", "many": "yyyy",
		"upper case":      "Y",
		"bracketed paste": "\x1b[200~y\x1b[201~", "alt": "\x1by", "tab": "\t", "arrow": "\x1b[A",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, newOuter(t), "-timeout=500ms", "-guard=10ms").open()
			for range 5 {
				a.send(keys)
				poll(nil, 60) // longer than an escape sequence is waited for
			}
			a.ends("error " + ErrTimeout.Error())
		})
	}
}

func TestChallenge(t *testing.T) {
	cases := []struct{ name, keys, want string }{
		{"right", "k7q2", `approved '\x00'`},
		{"right after a slip", "k7x\x7fq2", `approved '\x00'`},
		{"right after a miss", "aaaak7q2", `approved '\x00'`},
		{"right after ctrl-u", "k7\x15k7q2", `approved '\x00'`},
		{"enter between", "k7\rq2\r", `approved '\x00'`},
		{"missed three times", "aaaabbbbcccc", `cancelled '\x00'`},
		{"no", "n", `denied 'n'`},
		{"escape in the middle", "k7\x1b\x1b", `cancelled '\x1b'`},
		{"a letter of the challenge is no command", "qqqqk7q2", `approved '\x00'`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, newOuter(t), "-challenge=k7q2", "-guard=1ms").open()
			poll(nil, 100)
			for _, key := range strings.Split(c.keys, "") {
				a.send(key)
			}
			a.ends(c.want)
		})
	}
	t.Run("y does not approve", func(t *testing.T) {
		t.Parallel()
		a := ask(t, newOuter(t), "-challenge=k7q2", "-guard=1ms", "-timeout=500ms").open()
		for range 3 {
			a.send("y")
			poll(nil, 20)
		}
		a.ends("error " + ErrTimeout.Error())
	})
}

// B-R5.2a: neither the key nor the characters count before the last line was on the screen.
func TestUnreadDoesNotApprove(t *testing.T) {
	t.Parallel()
	for _, challenge := range []string{"", "k7q2"} {
		o, err := AskOptions{Challenge: challenge}.settled()
		if err != nil {
			t.Fatal(err)
		}
		q := question{options: o, open: true,
			render: func(int, bool) string { return strings.Repeat("a line\n", 50) }}
		q.resize(80, 24)
		keys := cmp.Or(challenge, "y")
		for range 3 { // 22 lines are on the screen at first, then 43, then all
			for _, key := range keys {
				if _, done := q.press(key, true); done {
					t.Fatalf("%q after lines to %d of 50", keys, q.pager.begin)
				}
			}
			if q.press(' ', true); q.pager.whole() {
				break
			}
		}
		var reply Reply
		for _, key := range keys {
			reply, _ = q.press(key, true)
		}
		if reply.Answer != Approved {
			t.Errorf("%q after the last line: %+v", keys, reply)
		}
	}
}

// What was not on the screen cannot be approved.
func TestLongQuestion(t *testing.T) {
	t.Parallel()
	a := ask(t, newOuter(t), "-lines=50", "-guard=1ms")
	a.expect("lines 1-22 of 51")
	a.expect("more")
	poll(nil, 100)
	a.send("y")
	a.send(" ")
	a.expect("lines 22-43 of 51")
	a.send("y")
	a.send("\x1b[6~")
	a.expect("lines 30-51 of 51")
	a.expect("y: approve")
	a.send("g")
	a.expect("lines 1-22 of 51")
	a.send("v") // the full text is another one, and must be seen as well
	a.expect("full true")
	a.expect("more")
	a.send("y")
	a.send("v")
	a.expect("full false")
	a.send("G")
	a.send("k")
	a.expect("lines 29-50 of 51")
	a.send("n")
	a.ends(`denied 'n'`)
}

func TestQuestionFollowsTheWindow(t *testing.T) {
	t.Parallel()
	a := ask(t, newOuter(t)).open()
	a.resize(60, 20)
	a.expect("QUESTION width 60")
	a.expect("n: deny")
	a.press("y")
	a.ends(`approved 'y'`)
}

// E-chan-6: the terminal is restored when a signal ends us.
func TestAskIsInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP,
		syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			a := ask(t, newOuter(t)).open()
			a.cmd.Process.Signal(sig)
			a.ends("error interrupted by signal: " + sig.String())
		})
	}
}

func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	a := ask(t, newOuter(t)).open()
	a.answered.WriteString("yes\n")
	a.ends("error " + errElsewhere.Error())
}

func TestAskTimesOut(t *testing.T) {
	t.Parallel()
	a := ask(t, newOuter(t), "-timeout=50ms")
	a.ends("error " + ErrTimeout.Error())
}

// Keys of a terminal that another program has in the foreground are not ours.
func TestAskInTheBackground(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.shell()
	exe, _ := os.Executable()
	before := o.modes()
	o.send(roleVariable + "=ask " + exe + " 3>&1 4</dev/null & sleep 0.2; wait; echo en''d\n")
	o.expect("error " + ErrBackground.Error())
	o.expect("end\r\n")
	o.expect("ready$ ")
	if after := o.modes(); after != before {
		t.Error("modes were changed in the background")
	}
}

// Ctrl-Z puts the question aside, fg brings it back, with a new guard time.
func TestAskStopsAndContinues(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.shell()
	exe, _ := os.Executable()
	o.send(roleVariable + "=ask " + exe + " 3>&1 4</dev/null\n")
	o.expect("QUESTION")
	eventually(t, "raw mode", o.isRaw)
	o.expect("deny")
	o.send("\x1a")
	o.expect("Stopped")
	o.expect("ready$ ")
	if o.isRaw() {
		t.Error("the shell got a raw terminal back")
	}
	o.send("fg\n")
	o.expect("QUESTION")
	o.expect("deny")
	o.send("n")
	o.expect("denied 'n'")
	o.expect("ready$ ")
}

// E-chan-3: after a stop the guard time starts again, though it was over before: a y that was meant
// for the shell, or for what had been on the screen, approves nothing. One after it does.
func TestGuardTimeAfterAStop(t *testing.T) {
	t.Parallel()
	const guard = 3 * time.Second // the test would have to be stopped for so long to be wrong
	o := newOuter(t)
	o.shell()
	exe, _ := os.Executable()
	o.send(roleVariable + "=ask " + exe + " -guard=" + guard.String() + " 3>&1 4</dev/null\n")
	o.expect("deny")
	// when this is not enough for it to be over, nothing is proven and nothing fails
	poll(nil, int(guard/time.Millisecond)+500)
	o.send("\x1a")
	o.expect("Stopped")
	o.expect("ready$ ")
	o.send("fg\ny")
	o.expect("QUESTION")
	o.expect("deny")
	o.send("y")
	began := time.Now()
	for t.Context().Err() == nil && o.isRaw() {
		o.send("y")
		poll(nil, 200)
	}
	o.expect("approved 'y'")
	if after := time.Since(began); after < guard-time.Second {
		t.Errorf("it was approved %v after it was shown again, in a guard time of %v", after, guard)
	}
	o.expect("ready$ ")
}

// A file that is no terminal, or not our own, is refused before anything is written.
func TestAskWithoutTerminal(t *testing.T) {
	o := newOuter(t)
	_, w := pipePair(t)
	render := func(int, bool) string { t.Error("rendered"); return "" }
	for _, f := range []*os.File{o.peer, w} {
		if _, err := Ask(context.Background(), f, render, AskOptions{}); !errors.Is(err,
			ErrBackground) {
			t.Error(err)
		}
	}
}

func TestAskOptionsAreChecked(t *testing.T) {
	for _, o := range []AskOptions{
		{Approve: '\r'}, {Approve: '\n'}, {Approve: ' '}, {Approve: 'n'}, {Approve: 'q'},
		{Approve: 'v'},
		{Approve: 0x1b}, {Approve: keyEscape}, {Others: []rune{'n'}}, {Others: []rune{'é'}},
		{Challenge: "ab c"}, {Challenge: "\r"},
	} {
		if _, err := Ask(context.Background(), os.Stdin, nil, o); err == nil ||
			errors.Is(err, ErrBackground) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
