package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// pids are the processes whose command line has this suffix.
func pids(suffix ...string) (list []int) {
	want := strings.Join(suffix, "\x00") + "\x00"
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		if strings.HasSuffix(string(text), want) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			list = append(list, pid)
		}
	}
	return list
}

// kill9 kills one process of the desktop by its number.
func (d *desktop) kill9(pid int) {
	d.t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// holder returns the launcher of a session: the process in the record.
func (d *desktop) holder(id string) int {
	d.t.Helper()
	out := d.run("tadactl --json log --kind exec.start --session " + id)
	_, rest, _ := strings.Cut(out, `"launcher":"`)
	n, err := strconv.Atoi(strings.SplitN(rest, "@", 2)[0])
	if err != nil {
		d.t.Fatalf("%v: %s", err, out)
	}
	return n
}

// A session outlives its terminal, is found again, resumed, and ends with the logout. A process
// that is killed with SIGKILL ends nothing but what was in its sandbox; a session whose launcher
// was killed is listed as that.
func TestSessionOutlives(t *testing.T) {
	t.Parallel()
	d, a, id := inside(t, 100, 30)
	b := d.window("b", 100, 30)
	a.line("x=kept; echo re''ad")
	// a window that is closed loses the keys that are on their way
	a.shows("\nread")
	d.tmux("kill-session", "-t", "=a") // SIGHUP: the window is closed
	b.line("tadactl attach --take")
	b.shows("You are in control")
	b.line("echo still $x")
	b.shows("\nstill kept")

	attached := d.here("tadactl", "attach", "--take")
	if len(attached) == 0 {
		t.Fatal("no client is found")
	}
	d.kill9(attached[len(attached)-1]) // the client in control; no one is left to freeze it against
	b.shows("outer>")
	b.reset()
	b.line("tadactl attach --take " + id)
	b.shows("You are in control")
	b.line("echo ever $x")
	b.shows("\never kept")
	b.types("", "C-]", "d")
	b.shows("still running")
	if out := d.run("tadactl kill " + id); !strings.Contains(out, "ended") {
		t.Error(out)
	}
	if out := d.run("tadactl sessions --session " + id); !strings.Contains(out, "exit ") {
		t.Errorf("after the logout: %s", out)
	}

	b.reset()
	b.line("tada-run --session")
	b.shows("inner$")
	ids := d.ids("session")
	if len(ids) != 1 {
		t.Fatal(d.run("tadactl sessions"))
	}
	b.line("sleep 4321.5 & disown")
	d.eventually("a sleeper", func() bool { return len(d.here("sleep", "4321.5")) == 1 })
	d.kill9(d.holder(ids[0]))
	b.shows("was killed")
	d.eventually("an end of all that ran in it",
		func() bool { return len(d.here("sleep", "4321.5")) == 0 })
	if out := d.run("tadactl sessions --session " + ids[0]); !strings.Contains(out, "lost") {
		t.Errorf("after a crash: %s", out)
	}
	if out := d.run("tadactl attach " + ids[0] + " </dev/null"); !strings.Contains(out,
		"terminal") {
		t.Error(out)
	}
	b.reset()
	b.line("tadactl attach " + ids[0])
	b.shows("it is not running (lost)")
	d.run("tada-run true") // this records the missing end
	if out := d.run("tadactl audit verify --complete; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
}

// reset makes a terminal usable again after its program was killed.
func (w *window) reset() {
	w.d.t.Helper()
	w.line("reset; PS1='outer> '")
	w.until("is reset", func(s string) bool {
		return strings.TrimSpace(s) == "outer>"
	})
}

// If a person who is in control is cut off, the session stays frozen where someone else would
// otherwise go on in her place.
func TestTakeoverLost(t *testing.T) {
	t.Parallel()
	d, a, id := inside(t, 100, 30)
	b := d.window("b", 100, 30)
	b.line("tadactl attach --take " + id)
	b.shows("You are in control")
	b.line("sleep 1234.5")
	d.eventually("a sleeper", func() bool { return len(d.here("sleep", "1234.5")) == 1 })
	clients := d.here("tadactl", "attach", "--take", id)
	d.kill9(clients[len(clients)-1])
	a.shows("frozen: uid")
	a.types("nothing of this", "Enter")
	sleeper := d.here("sleep", "1234.5")
	if len(sleeper) != 1 {
		t.Fatal("the program ended")
	}
	d.eventually("a stop", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", sleeper[0]))
		_, rest, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(rest, "T")
	})
	b.reset()
	b.line("tadactl attach --take --idle 1s " + id)
	b.shows("You are in control")
	b.types("", "C-c")
	b.shows("inner$")
	b.shows("FROZEN") // no key for a second
	b.types("", "C-]", "d")
	b.shows("still running")
	b.reset()
	b.line("tadactl attach --take " + id) // with a longer lease than the one before
	b.shows("You are in control")
	b.line("exit")
	a.shows("outer>")
	if out := d.run("tadactl replay --no-wait " + id); strings.Contains(out, "nothing of this") {
		t.Error("what was typed into a frozen session reached it")
	}
	if n := strings.Count(d.run("tadactl log --kind ctl.freeze"), "lost="); n != 2 {
		t.Errorf("%d losses in the log, want 2", n)
	}
}

// Twenty watch, one of them is stopped, and "yes" runs: neither it nor the others stall.
func TestManyViewers(t *testing.T) {
	t.Parallel()
	d, a, id := inside(t, 80, 24)
	for i := range 20 {
		out := d.tmux("new-session", "-d", "-s", fmt.Sprint("v", i), "-x", "60", "-y", "10",
			"exec tadactl attach "+id)
		if out != "" {
			t.Fatal(out)
		}
	}
	last := &window{d, "v19"}
	d.eventually("20 viewers", func() bool { return len(d.here("tadactl", "attach", id)) == 20 })
	last.shows("owner has control")
	stopped := d.here("tadactl", "attach", id)[0]
	signal := func(name string) {
		if out, err := exec.Command("kill", "-"+name,
			strconv.Itoa(stopped)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	signal("STOP")
	t.Cleanup(func() { _ = exec.Command("kill", "-CONT", strconv.Itoa(stopped)).Run() })
	a.line("yes flood | head -n 600000 | tail -n 300000; echo be''hind the flood")
	a.shows("behind the flood")
	for i := range 20 {
		w := &window{d, fmt.Sprint("v", i)}
		if !strings.Contains(w.text(), "behind the flood") {
			if i == 0 || i == 19 {
				continue // the stopped one may be either end of the list
			}
			w.shows("behind the flood")
		}
	}
	signal("CONT")
	for i := range 20 {
		(&window{d, fmt.Sprint("v", i)}).shows("behind the flood") // shown the screen as it is then
	}
	a.line("exit")
	a.shows("outer>")
}

// Full-screen programs survive changes of control and of size.
func TestTakeoverFullScreen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ program, shows, quit string }{
		{"vim -u vimrc text", "line 7 of it", ":q!\r"},
		{"htop --no-color", "F10", "q"},
	} {
		name, _, _ := strings.Cut(test.program, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need(t, name)
			d := newDesktop(t)
			d.rc("")
			var text strings.Builder
			for i := range 60 {
				fmt.Fprintf(&text, "line %d of it\n", i)
			}
			if err := os.WriteFile(filepath.Join(d.dir, "text"), []byte(text.String()),
				0o644); err != nil {
				t.Fatal(err)
			}
			// A program gets its size by a signal and draws some time later, so it has to say
			// itself for which size it has drawn. vim forgets a signal that comes right before it
			// waits for a key, until the next key or timer.
			vimrc := "set nocompatible laststatus=2 statusline=at_%{&lines}x%{&columns}\n" +
				"call timer_start(100, {-> 0}, {'repeat': -1})\n"
			if err := os.WriteFile(filepath.Join(d.dir, "vimrc"), []byte(vimrc),
				0o644); err != nil {
				t.Fatal(err)
			}
			a, b := d.window("a", 110, 35), d.window("b", 80, 20)
			id := a.session("")
			a.shows("inner$")
			a.line(test.program)
			a.shows(test.shows)
			b.line("tadactl attach --take " + id)
			b.shows("You are in control")
			b.shows(test.shows)
			if name == "vim" {
				b.shows("at_19x80")
				b.types("Gowritten here", "Escape")
				b.shows("written here")
				a.shows("written here")
			}
			b.types("", "C-]", "g")
			b.shows("give back?")
			b.types("y")
			b.shows("owner has control")
			a.until("is drawn at its size", func(s string) bool {
				if name == "vim" {
					return strings.Contains(s, "at_35x110") && strings.Contains(s, "line 28 ")
				}
				s = strings.TrimRight(s, "\n")
				return strings.Contains(s[strings.LastIndex(s, "\n")+1:], test.shows)
			})
			a.types(test.quit)
			a.shows("inner$")
			a.line("exit")
			a.shows("outer>")
		})
	}
}
