package session

import (
	"os"
	"slices"
	"syscall"
	"testing"
)

// The stdio matrix, row 7 of the sandbox: tty, pipe, file, closed, socket and the null device on
// each of 0, 1 and 2.
func TestDecide(t *testing.T) {
	type kinds = [3]kind
	type child = [3]give
	alone := [3]int{}
	cases := []struct {
		name         string
		mode         PTY
		kinds        kinds
		same         bool
		ttys         [3]int
		child        child
		screen, keys int
		eager        bool
	}{
		{"terminal", Auto, kinds{terminal, terminal, terminal}, true, alone,
			child{slave, slave, slave}, 1, 0, true},
		{"agent", Auto, kinds{null, pipe, pipe}, false, alone, child{asIs, piped, piped}, none,
			none, false},
		{"agent, 2>&1", Auto, kinds{null, pipe, pipe}, true, alone, child{asIs, piped, merged},
			none, none, false},
		{"agent with sockets", Auto, kinds{socket, socket, socket}, false, alone,
			child{asIs, piped, piped}, none, none, false},
		{"files", Auto, kinds{regular, regular, regular}, false, alone, child{asIs, piped, piped},
			none, none, false},
		{"one file", Auto, kinds{regular, regular, regular}, true, alone,
			child{asIs, piped, merged}, none, none, false},
		{"closed", Auto, kinds{closed, closed, closed}, false, alone,
			child{nothing, nothing, nothing}, none, none, false},
		{"only output", Auto, kinds{closed, pipe, closed}, false, alone,
			child{nothing, piped, nothing}, none, none, false},
		{"only error", Auto, kinds{closed, closed, pipe}, false, alone,
			child{nothing, nothing, piped}, none, none, false},
		{"null", Auto, kinds{null, null, null}, true, alone, child{asIs, asIs, asIs}, none, none,
			false},
		{"output thrown away", Auto, kinds{null, null, pipe}, false, alone,
			child{asIs, asIs, piped}, none, none, false},
		{"cmd | less", Auto, kinds{terminal, pipe, terminal}, false, alone,
			child{slave, piped, slave}, 2, 0, false},
		{"cmd > log 2>&1", Auto, kinds{terminal, regular, regular}, true, alone,
			child{slave, piped, merged}, 0, 0, false},
		{"cmd 2> log", Auto, kinds{terminal, terminal, regular}, false, alone,
			child{slave, slave, piped}, 1, 0, true},
		{"list | less", Auto, kinds{pipe, terminal, terminal}, true, alone,
			child{asIs, slave, slave}, 1, 1, false},
		{"cmd < list", Auto, kinds{regular, terminal, terminal}, true, alone,
			child{asIs, slave, slave}, 1, 1, false},
		{"cmd < /dev/null", Auto, kinds{null, terminal, terminal}, true, alone,
			child{asIs, slave, slave}, 1, 1, false},
		{"list | cmd | next", Auto, kinds{pipe, pipe, terminal}, false, alone,
			child{asIs, piped, slave}, 2, 2, false},
		{"no input", Auto, kinds{closed, terminal, terminal}, true, alone,
			child{nothing, slave, slave}, 1, 1, false},
		{"error on another terminal", Auto, kinds{terminal, terminal, terminal}, false,
			[3]int{7, 7, 8}, child{slave, slave, piped}, 1, 0, true},
		{"printer as output", Auto, kinds{null, other, other}, false, alone,
			child{asIs, piped, piped}, none, none, false},
		{"always, agent", Always, kinds{null, pipe, pipe}, false, alone, child{asIs, slave, slave},
			1, none, false},
		{"always, no output", Always, kinds{null, closed, pipe}, false, alone,
			child{asIs, nothing, slave}, 2, none, false},
		{"always, nothing", Always, kinds{closed, closed, closed}, false, alone,
			child{nothing, nothing, nothing}, none, none, false},
		{"always, cmd | less", Always, kinds{terminal, pipe, terminal}, false, alone,
			child{slave, slave, slave}, 1, 0, false},
		{"always, terminal", Always, kinds{terminal, terminal, terminal}, true, alone,
			child{slave, slave, slave}, 1, 0, true},
		{"never, terminal", Never, kinds{terminal, terminal, terminal}, true, alone,
			child{piped, piped, merged}, none, 0, true},
		{"never, agent", Never, kinds{null, pipe, pipe}, false, alone, child{asIs, piped, piped},
			none, none, false},
	}
	for _, c := range cases {
		got := decide(c.mode, facts{kinds: c.kinds, sameOut: c.same, terminal: c.ttys})
		want := plan{child: c.child, screen: c.screen, keys: c.keys, eager: c.eager}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

// No caller's terminal is ever given to the child, and no private one replaces piped input.
func TestDecideInvariants(t *testing.T) {
	for _, mode := range []PTY{Auto, Always, Never} {
		for code := range 7 * 7 * 7 * 8 {
			n := code
			var f facts
			for fd := range f.kinds {
				f.kinds[fd], n = kind(n%7), n/7
			}
			f.sameOut = n&1 != 0
			f.terminal = [3]int{0, n >> 1 & 1, n >> 2 & 1}
			p := decide(mode, f)
			for fd, g := range p.child {
				k := f.kinds[fd]
				if k == terminal && g == asIs {
					t.Errorf("%v %+v: the caller's terminal is handed over: %+v", mode, f, p)
				}
				if (k == closed) != (g == nothing) {
					t.Errorf("%v %+v: closed and open are mixed up: %+v", mode, f, p)
				}
				if fd == 0 && k != terminal && g == slave {
					t.Errorf("%v %+v: input through a terminal: %+v", mode, f, p)
				}
			}
			if (p.screen != none) != slices.Contains(p.child[:], slave) {
				t.Errorf("%v %+v: a terminal that nobody has: %+v", mode, f, p)
			}
		}
	}
}

func TestForward(t *testing.T) {
	cases := []struct {
		sig os.Signal
		to  Receiver
	}{
		{syscall.SIGINT, Group}, {syscall.SIGTERM, Group}, {syscall.SIGHUP, Group},
		{syscall.SIGQUIT, Group},
		{syscall.SIGTSTP, Group}, {syscall.SIGCONT, Group},
		{syscall.SIGUSR1, Leader}, {syscall.SIGUSR2, Leader},
		{syscall.SIGWINCH, Nobody}, {syscall.SIGTTIN, Nobody}, {syscall.SIGTTOU, Nobody},
		{syscall.SIGPIPE, Nobody}, {syscall.SIGCHLD, Nobody}, {syscall.SIGSEGV, Nobody},
	}
	for _, c := range cases {
		if got := Forward(c.sig); got != c.to {
			t.Errorf("%v goes to %v, want %v", c.sig, got, c.to)
		}
		if listed := slices.Contains(Forwarded(), c.sig); listed != (c.to != Nobody) {
			t.Errorf("%v listed: %v", c.sig, listed)
		}
	}
}
