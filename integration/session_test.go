package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A desktop is a place with windows: terminals of a tmux server of its own, typed into with
// send-keys and read with capture-pane, as a person types and reads.
type desktop struct {
	*place
	socket string
}

func newDesktop(t *testing.T) *desktop {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux here")
	}
	p := newPlace(t)
	home := filepath.Join(filepath.Dir(p.dir), "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	d := &desktop{place: p, socket: filepath.Join(filepath.Dir(p.dir), "tmux")}
	p.env = append(p.env, "HOME="+home, "LANG=C.UTF-8", "HISTFILE=", "BASH_SILENCE_DEPRECATION_WARNING=1")
	t.Cleanup(func() {
		for _, id := range d.ids("session") {
			p.run("tadactl kill " + id)
		}
		d.tmux("kill-server")
	})
	return d
}

func (d *desktop) tmux(args ...string) string {
	cmd := exec.Command("tmux", append([]string{"-S", d.socket, "-f", "/dev/null"}, args...)...)
	cmd.Dir, cmd.Env = d.dir, d.env
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// window opens one of that size, with a shell.
func (d *desktop) window(name string, cols, rows int) *window {
	d.t.Helper()
	out := d.tmux("new-session", "-d", "-s", name, "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "PS1='outer> ' exec bash --norc --noprofile")
	if strings.TrimSpace(out) != "" {
		d.t.Fatal(out)
	}
	w := &window{d, name}
	w.shows("outer>")
	return w
}

type window struct {
	d    *desktop
	name string
}

func (w *window) text() string { return w.d.tmux("capture-pane", "-p", "-J", "-t", w.name) }

// types sends text as it is, and then keys by tmux's names.
func (w *window) types(text string, keys ...string) {
	if text != "" {
		w.d.tmux("send-keys", "-t", w.name, "-l", text)
	}
	for _, k := range keys {
		w.d.tmux("send-keys", "-t", w.name, k)
	}
}

// line types a line and Enter.
func (w *window) line(text string) { w.types(text, "Enter") }

// patience is how long a window may take on a machine that has other things to do.
const patience = 30 * time.Second

func (w *window) shows(text string) {
	w.d.t.Helper()
	w.until(fmt.Sprintf("shows %q", text), func(s string) bool { return strings.Contains(s, text) })
}

func (w *window) until(what string, ok func(string) bool) {
	w.d.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok(w.text()) {
			return
		}
	}
	w.d.t.Fatalf("window %q never %s:\n%s", w.name, what, w.text())
}

// session starts one in the window and waits for its prompt.
func (w *window) session(flags string) string {
	w.d.t.Helper()
	w.line("clear; PS1='outer> '; tada-run --session " + flags)
	id := ""
	w.d.eventually("a session", func() bool {
		ids := w.d.ids("session")
		if len(ids) > 0 {
			id = ids[len(ids)-1]
		}
		return id != ""
	})
	return id
}

func (d *desktop) eventually(what string, ok func() bool) {
	d.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	d.t.Fatalf("there never was %s; sessions:\n%s", what, d.run("tadactl sessions"))
}

// ids are the sessions in that state, oldest first.
func (d *desktop) ids(state string) (ids []string) {
	for line := range strings.Lines(d.run("tadactl sessions")) {
		if f := strings.Fields(line); len(f) > 3 && f[3] == state {
			ids = append(ids, f[0])
		}
	}
	return ids
}

// rc gives the session's shell a prompt that can be waited for.
func (d *desktop) rc(text string) {
	d.t.Helper()
	home := filepath.Join(filepath.Dir(d.dir), "home")
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte("PS1='inner$ '\n"+text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

var authored = regexp.MustCompile(`(?m)^#t \d+ \d+ i (\S+) (\d+) `)

// typedBy sums the bytes of input in a transcript by author, without the number of the lease.
func (d *desktop) typedBy(id string) map[string]int {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.state, "sessions", id+".cast"))
	if err != nil {
		d.t.Fatal(err)
	}
	sums := map[string]int{}
	for _, m := range authored.FindAllStringSubmatch(string(text), -1) {
		n := 0
		_, _ = fmt.Sscan(m[2], &n)
		sums[m[1]] += n
	}
	return sums
}

// C-8.2.1, C-8.2.2, E-tko-1, E-tko-2: a person watches, takes over, runs three steps, is shown what is told
// and gives back. Meanwhile the other side's keys go nowhere, and the transcript names who typed each byte.
func TestTakeover(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	a, b := d.window("a", 100, 30), d.window("b", 90, 24)
	id := a.session("")
	a.shows("inner$")
	a.line("echo from the first")
	a.shows("\nfrom the first")
	b.line("tadactl attach " + id)
	b.shows("from the first")
	b.shows("person drives")
	b.types("x")
	b.shows("you watch")
	b.types("", "C-]", "t")
	b.shows("YOU DRIVE")
	a.shows("has taken over")
	a.types("echo late") // goes nowhere
	b.line("stty size; touch made")
	b.shows("23 90") // the size follows who drives
	b.line("cd /tmp")
	b.line("(exit 3)")
	b.until("is at the next prompt", func(s string) bool {
		_, after, ok := strings.Cut(s, "(exit 3)")
		return ok && strings.Contains(after, "inner$")
	})
	b.types("", "C-]", "g")
	b.shows("give back? y/n")
	b.types("n")
	b.until("asks no more", func(s string) bool { return !strings.Contains(s, "y/n") })
	b.types("", "C-]", "g")
	b.shows("give back? y/n")
	b.types("y")
	a.shows("gave back")
	a.line("stty size")
	a.shows("30 100")
	a.line("exit")
	a.shows("outer>")
	b.shows("ended with status 0")

	if strings.Contains(d.run("tadactl replay --no-wait "+id), "echo late") {
		t.Error("the keys of who did not drive reached the program")
	}
	by := d.typedBy(id)
	person, human := 0, 0
	for author, n := range by {
		switch {
		case author == "person":
			person += n
		case regexp.MustCompile(`^human:\d+@pts/\d+#\d+$`).MatchString(author):
			human += n
		default:
			t.Errorf("%d bytes by %q", n, author)
		}
	}
	if want := len("echo from the first\r" + "stty size\r" + "exit\r"); person != want {
		t.Errorf("the first typed %d bytes by the record, want %d: %v", person, want, by)
	}
	if want := len("stty size; touch made\r" + "cd /tmp\r" + "(exit 3)\r"); human != want {
		t.Errorf("the person typed %d bytes by the record, want %d: %v", human, want, by)
	}
	back := d.run("tadactl --json log --kind ctl.handback")
	for _, want := range []string{
		`"line":"stty size; touch made","status":0`, `"line":"(exit 3)","status":3`, `"cwd":"/tmp"`, `"files_changed":["made"]`, `"refused_bytes":9,`,
	} {
		if !strings.Contains(back, want) {
			t.Errorf("the hand-back does not say %s: %s", want, back)
		}
	}
	for _, kind := range []string{"ctl.attach", "ctl.takeover", "ctl.handback"} {
		if !strings.Contains(d.run("tadactl log"), kind) {
			t.Errorf("no %s in the log", kind)
		}
	}
	if out := d.run("tadactl audit verify --complete"); !strings.Contains(out, "ok") && !strings.Contains(out, "verified") {
		t.Error(out)
	}
}
