//go:build linux

package session

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var readNumber = strconv.Itoa(unix.SYS_READ)

// Ctrl-Z stops the command, then us; the shell gets its terminal back; fg continues both.
func TestCtrlZAndForeground(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.shell()
	o.stopsAndContinues("run -monitor '" + readsOnce + "'; echo status $?")
}

// readsOnce prints the line that it reads and the size of its window, and ends with 7.
const readsOnce = "echo begin; read x; echo got $x; stty size; exit 7"

// stopsAndContinues stops the job of a line that runs readsOnce, resizes the window and continues
// it.
func (o *outer) stopsAndContinues(line string) {
	o.t.Helper()
	o.send(line + "\n")
	o.expect("begin\r\n")
	eventually(o.t, "raw mode", o.isRaw)
	o.send("\x1a")
	o.expect("Stopped")
	o.expect("ready$ ")
	if o.isRaw() {
		o.t.Error("the shell got a raw terminal back")
	}
	o.resize(90, 30)
	o.send("fg\n")
	eventually(o.t, "raw mode", o.isRaw)
	o.send("words\r")
	o.expect("got words\r\n")
	o.expect("30 90\r\n")
	o.expect("ready$ ") // bash forgets the rest of the line after a stop
	o.send("echo status $?\n")
	o.expect("status 7\r\n")
}

// A full-screen program restores the screen before it stops, and draws it again after.
func TestVimStopsAndContinues(t *testing.T) {
	need(t, "vim")
	t.Parallel()
	o := newOuter(t)
	o.shell()
	o.send("run -monitor 'TERM=xterm vim -u NONE -i NONE -n'; echo status $?\n")
	o.expect("\x1b[?1049h")
	o.expect("~")
	eventually(t, "raw mode", o.isRaw)
	o.send("\x1a")
	o.expect("\x1b[?1049l") // back from the alternate screen, before the shell speaks
	o.expect("Stopped")
	o.expect("ready$ ")
	o.send("fg\n")
	o.expect("\x1b[?1049h")
	eventually(t, "raw mode", o.isRaw)
	o.send("\x1b:q!\r")
	o.expect("ready$ ")
}

// A stopped job gets SIGCONT once, as from a shell, although the launcher gets it too.
func TestOneContinuation(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.shell()
	o.send(`run -monitor 'n=0; trap "((n+=1))" CONT; echo begin; until read -t 0.01 x; do :; done; echo heard $n of it'` + "\n")
	o.expect("begin\r\n")
	eventually(t, "raw mode", o.isRaw)
	o.send("\x1a")
	o.expect("Stopped")
	o.expect("ready$ ")
	o.send("fg\n")
	eventually(t, "raw mode", o.isRaw)
	time.Sleep(50 * time.Millisecond) // a second one would come by now
	o.send("words\r")
	o.expect("heard 1 of it\r\n")
}

// What a command prints just before it stops is on the screen before the shell speaks, also
// when recording it takes a while.
func TestLastWordsBeforeAStop(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.shell()
	o.send(`run -monitor -mishap=slow 'trap "echo last wo""rds; trap - TSTP; kill -TSTP \$\$" TSTP; echo begin; while :; do read -t 0.05; done'` + "\n")
	o.expect("begin\r\n")
	eventually(t, "raw mode", o.isRaw)
	o.send("\x1a")
	o.expect("last words\r\n")
	o.expect("Stopped")
	o.expect("ready$ ")
	o.send("kill -9 %1\n")
	o.expect("ready$ ")
}

func TestBackgroundJobLeavesTheTerminalAlone(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.shell()
	o.send("run -monitor 'echo beg''in; read x; echo got $x' &\n")
	o.expect("begin\r")
	o.send("echo mi''ne\n")
	o.expect("mine\r\n")
	if o.isRaw() {
		t.Error("raw in the background")
	}
	o.send("fg\n")
	eventually(t, "raw mode after fg", o.isRaw)
	o.send("words\r")
	o.expect("got words\r\n")
	o.expect("ready$ ")
}

// Stopped by a signal that cannot be caught, continued in the background.
func TestStopThenBackground(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.shell()
	o.send("run -monitor 'echo begin $PPID; while ! test -e /proc/1/no; do sleep 0.05; done'\n")
	o.expect("begin ")
	eventually(t, "raw mode", o.isRaw)
	o.send("\x1a")
	o.expect("Stopped")
	o.expect("ready$ ")
	o.send("bg; echo con''tinued\n")
	o.expect("continued\r\n")
	if o.isRaw() {
		t.Error("raw in the background")
	}
	o.send("kill %1; wait; echo en''ded\n")
	o.expect("ended\r\n")
}

// In a pipeline the keys may be another program's.
func TestPipelineDoesNotTakeKeys(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	o.shell()
	o.send("run 'echo beg''in >&2; sleep 0.5' | cat; read x; echo got $x\n")
	o.expect("begin\r")
	o.send("ahead\n") // typed ahead, for the shell
	o.expect("got ahead\r\n")
}

// A command that asks gets the keys, also where its output is captured.
func TestCapturedCommandCanAsk(t *testing.T) {
	cases := []struct{ name, line, want string }{
		{"prompt", `x=$(run 'read -p name: n; echo "<$n>"'); echo "x=$x"`, "x=<words>\r\n"},
		{"password", `x=$(run 'read -s -p name: n; echo "<$n>"'); echo "x=$x"`, "x=<words>\r\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := newOuter(t)
			o.shell()
			before := o.modes()
			o.send(c.line + "\n")
			o.expect("name:")
			o.expect("name:")
			eventually(t, "raw mode", o.isRaw)
			o.send("words\r")
			o.expect(c.want)
			o.expect("ready$ ")
			if after := o.modes(); after != before {
				t.Errorf("modes before %+v\nafter %+v", before, after)
			}
		})
	}
}

func TestNeverGivesPipes(t *testing.T) {
	t.Parallel()
	o := newOuter(t)
	cmd := o.start(role("run", "-pty=never",
		"for fd in 0 1 2; do test -t $fd && echo tty $fd; done; wc -c; exit 5"))
	o.send("four\n")
	o.send("\x04")
	o.expect("5\r\n")
	if got := status(t, cmd); got != "exit 5" {
		t.Error(got)
	}
	if strings.Contains(o.screen(), "tty") {
		t.Errorf("a descriptor is a terminal: %q", o.screen())
	}
}

func TestOrphaned(t *testing.T) {
	const shell, job, ours = 10, 20, 21
	cases := []struct {
		name string
		all  map[int]process
		want bool
	}{
		{"job of a shell", map[int]process{
			shell: {pid: shell, parent: 1, group: shell, session: shell},
			job:   {pid: job, parent: shell, group: job, session: shell}}, false},
		{"deeper in a job", map[int]process{
			shell: {pid: shell, parent: 1, group: shell, session: shell},
			job:   {pid: job, parent: shell, group: job, session: shell},
			ours:  {pid: ours, parent: job, group: job, session: shell}}, false},
		{"leader of the session", map[int]process{
			1:   {pid: 1, group: 1, session: 1},
			job: {pid: job, parent: 1, group: job, session: job}}, true},
		{"parent in another session", map[int]process{
			shell: {pid: shell, group: shell, session: 5},
			job:   {pid: job, parent: shell, group: job, session: shell}}, true},
		{"unreadable", nil, true},
	}
	for _, c := range cases {
		if got := orphaned(c.all, job); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestParseProcess(t *testing.T) {
	cases := []struct {
		text string
		want process
		ok   bool
	}{
		{"12 (bash) S 1 12 11 34816 12 4194304", process{12, 1, 12, 11, 34816, false}, true},
		{"12 (a) b (c) S 1 12 11 0 -1", process{12, 1, 12, 11, 0, false}, true},
		{"12 (bash) T 1 12 11 0 -1", process{12, 1, 12, 11, 0, true}, true},
		{"12 (bash) S 1 12", process{}, false},
		{"12 bash S 1 12 11 0 -1", process{}, false},
		{"x (bash) S 1 12 11 0", process{}, false},
		{"12 (bash) S 1 y 11 0", process{}, false},
		{")(", process{}, false},
		{"", process{}, false},
	}
	for _, c := range cases {
		if got, ok := parseProcess(c.text); got != c.want || ok != c.ok {
			t.Errorf("parseProcess(%q) = %v, %v", c.text, got, ok)
		}
	}
}

func TestReadCall(t *testing.T) {
	cases := []struct {
		line, fd string
		ok       bool
	}{
		{"running", "", false},
		{"", "", false},
		{readNumber + " 0x0 0x7ffd 0x1000", "0", true},
		{readNumber + " 0x1f 0x7ffd 0x1000", "31", true},
		{"9999 0x0 0x7ffd", "", false},
		{readNumber + " zz", "", false},
	}
	for _, c := range cases {
		if fd, ok := readCall(c.line); fd != c.fd || ok != c.ok {
			t.Errorf("readCall(%q) = %q, %v", c.line, fd, ok)
		}
	}
}
