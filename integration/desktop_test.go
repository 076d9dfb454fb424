package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A desktop is a place with windows: terminals of a tmux server of its own. The test types with
// send-keys and reads with capture-pane, like a person.
type desktop struct {
	*place
	socket string
	hand   *hand
}

func newDesktop(t *testing.T) *desktop {
	t.Helper()
	need(t, "tmux")
	p := newPlace(t)
	home := filepath.Join(filepath.Dir(p.dir), "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	d := &desktop{place: p, socket: filepath.Join(filepath.Dir(p.dir), "tmux")}
	p.env = append(p.env, "HOME="+home, "LANG=C.UTF-8", "HISTFILE=",
		"BASH_SILENCE_DEPRECATION_WARNING=1")
	t.Cleanup(func() {
		for _, id := range d.ids("session") {
			p.run("tadactl kill " + id)
		}
		d.tmux("kill-server")
	})
	// A person sits at it: a tmux that is shown on no terminal has no person.
	d.tmux("new-session", "-d", "-s", "seat", "exec cat")
	d.hand = newHand(t, d)
	// windows keep the sizes with which they were made
	s, _ := p.asPerson("exec tmux -S " + d.socket + " -f /dev/null attach -f ignore-size -t seat")
	if err := s.shows("seat"); err != nil {
		t.Fatal(err, s.text())
	}
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
	out := d.tmux("new-session", "-d", "-s", name, "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows),
		"PS1='outer> ' exec bash --norc --noprofile")
	if strings.TrimSpace(out) != "" {
		d.t.Fatal(out)
	}
	// tmux makes it as large as the seat
	d.tmux("resize-window", "-t", "="+name+":", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows))
	w := &window{d, name}
	w.shows("outer>")
	return w
}

type window struct {
	d    *desktop
	name string
}

func (w *window) text() string { return w.tmux("capture-pane", "-p", "-J") }

// tmux runs a command for this window, and not in a process of its own.
func (w *window) tmux(command string, args ...string) string {
	args = append([]string{command, "-t", "=" + w.name + ":"}, args...)
	if out, ok := w.d.hand.do(args); ok {
		return out
	}
	return w.d.tmux(args...)
}

// types sends text literally, and then keys by tmux's names.
func (w *window) types(text string, keys ...string) {
	if text != "" {
		w.tmux("send-keys", "-l", "--", text)
	}
	for _, k := range keys {
		w.tmux("send-keys", k)
	}
}

// line types a line and Enter.
func (w *window) line(text string) { w.types(text, "Enter") }

// patience is how long a window may take on a busy machine.
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

// rings waits for the bell, the only notice to a person who types without being in control.
func (w *window) rings() {
	w.d.t.Helper()
	w.until("rings", func(string) bool {
		return strings.TrimSpace(w.tmux("display-message", "-p", "#{window_bell_flag}")) == "1"
	})
}

// at returns the line with the cursor.
func (w *window) at() string {
	y, err := strconv.Atoi(strings.TrimSpace(w.tmux("display-message", "-p", "#{cursor_y}")))
	lines := strings.Split(w.tmux("capture-pane", "-p"), "\n")
	if err != nil || y >= len(lines) {
		return ""
	}
	return strings.TrimRight(lines[y], " ")
}

// step types a line at a prompt of the inner shell and waits for the next prompt, like a person who
// looks. Text that is typed ahead is shown at once and read later, so the screen does not show when
// it was read.
func (w *window) step(text string) {
	w.d.t.Helper()
	w.types(text)
	w.until("has "+text, func(string) bool {
		line := w.at()
		return strings.HasSuffix(line, strings.TrimRight(text, " ")) ||
			line != "" && len(text) > 80 && strings.HasSuffix(text, line)
	})
	w.types("", "Enter")
	w.until("has a prompt after "+text,
		func(string) bool { line := w.at(); return line == "inner$" || line == ">" })
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

// inside is where most of these tests begin: a desktop and, in its window, a session with the plain
// prompt "inner$".
func inside(t *testing.T, cols, rows int) (d *desktop, a *window, id string) {
	t.Helper()
	d = newDesktop(t)
	d.rc("")
	a = d.window("a", cols, rows)
	id = a.session("")
	a.shows("inner$")
	return d, a, id
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

// ids returns the sessions in that state, oldest first.
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
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte("PS1='inner$ '\n"+text),
		0o644); err != nil {
		d.t.Fatal(err)
	}
}

var authored = pattern(`(?m)^#t \d+ \d+ i (\S+) (\d+) `)

// typedBy sums the bytes of input in a transcript by author, without the number of the lease.
func (d *desktop) typedBy(id string) map[string]int {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.state, "sessions", id+".cast"))
	if err != nil {
		d.t.Fatal(err)
	}
	sums := map[string]int{}
	for _, m := range authored().FindAllStringSubmatch(string(text), -1) {
		n := 0
		_, _ = fmt.Sscan(m[2], &n)
		sums[m[1]] += n
	}
	return sums
}

// nowhere fails if a file in the state directory contains the text.
func (d *desktop) nowhere(text string) {
	d.t.Helper()
	seen, packed := 0, 0
	_ = filepath.WalkDir(d.state, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, _ := os.ReadFile(path)
			if seen++; bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")) { // packed
				if z, err := zstd.NewReader(nil); err != nil {
					d.t.Error(err)
				} else if b, err = z.DecodeAll(b, nil); err != nil {
					d.t.Errorf("%s: %v", path, err)
				}
				packed++
			}
			if strings.Contains(string(b), text) {
				d.t.Errorf("%q stands in %s", text, path)
			}
		}
		return nil
	})
	if seen == 0 || packed == 0 {
		d.t.Errorf("%d files were looked at, %d of them packed", seen, packed)
	}
}
