package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The inbox opens in a window of the tmux to which a person is attached, whatever the screen shows,
// and is answered there. Both programs are files of their own here: tmux starts a program by its
// path, and the path of a link to the test binary is that of the tests.
func TestInboxAboveTheScreen(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	p := newPlace(t).asking()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	doors := t.TempDir()
	for _, name := range []string{"tada-run", "tadactl"} {
		if err := linkOrCopy(self, filepath.Join(doors, name)); err != nil {
			t.Fatal(err)
		}
	}
	door := func(name string) string {
		return filepath.Join(doors, name) + " --home " + p.state + " "
	}
	if out := p.run(door("tada-run") + "'rm -rf build'"); !strings.Contains(out, "pending") {
		t.Fatal(out)
	}
	server := fmt.Sprintf("tmux -L tada-popup-%d -f /dev/null ", os.Getpid())
	if out := p.run(server + "new-session -d -s person -x 100 -y 40 'exec cat'"); out != "" {
		t.Fatal(out)
	}
	t.Cleanup(func() { p.run(server + "kill-server") })
	client := p.command("exec " + server + "attach -t person")
	client.Env = append(client.Env, "TERM=xterm-256color")
	tty, err := startOn(client, terminalName)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	s := watch(tty)
	if err := s.shows("person"); err != nil { // the status line: the client is attached
		t.Fatal(err, s.text())
	}
	// Another pane of the same session opens it, as a person's key binding would.
	if out := p.run(server + "new-window -d -t person '" + door("tadactl") + "inbox --popup > " +
		p.dir + "/said 2>&1; echo status $? >> " + p.dir + "/said'"); out != "" {
		t.Fatal(out)
	}
	for _, step := range []struct{ shown, typed string }{
		{"tada-run inbox", "\r"}, {"y: approve", "y"}, {"approved", "q"},
	} {
		if err := s.shows(step.shown); err != nil {
			said, _ := os.ReadFile(filepath.Join(p.dir, "said"))
			t.Fatalf("%v\n%s\n%s", err, s.text(), said)
		}
		time.Sleep(100 * time.Millisecond) // a person does not type that fast
		if _, err := tty.WriteString(step.typed); err != nil {
			t.Fatal(err)
		}
	}
	for range 500 {
		if said, _ := os.ReadFile(filepath.Join(p.dir, "said")); strings.Contains(string(said),
			"status 0") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if said, _ := os.ReadFile(filepath.Join(p.dir, "said")); string(said) != "status 0\n" {
		t.Errorf("the popup said %q", said)
	}
	if out := p.run(door("tada-run") + "'rm -rf build'; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Errorf("the answer of the popup: %s", out)
	}
	if out := p.answered("TMUX= " + door("tadactl") + "inbox --popup"); !strings.Contains(out,
		"inside tmux") {
		t.Errorf("without tmux: %s", out)
	}
}

// The state in which a command or a full-screen program left the terminal hides nothing of the
// question and changes no letter of it: margins in which lines scroll away, hidden letters, another
// alphabet, letters that push others aside.
func TestQuestionOnATerminalLeftBehind(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	for i, left := range []string{
		"", `\033[30;33r\033[33;1H`, `\033[30;33r\033[?6h`, `\033[8m`, `\033(0`, `\033)0\016`,
		`\033[4h`, `\033[?1049h\033[2J\033[20;22r\033[?25l\033[?1003h`, `\033[?7l`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t).asking()
			server := fmt.Sprintf("tmux -L tada-left-%d-%d -f /dev/null ", os.Getpid(), i)
			script := filepath.Join(t.TempDir(), "script")
			text := fmt.Sprintf("until tmux list-clients | grep -q .; do sleep 0.02; done; cd %q; printf '%s'; tada-run 'rm -rf build'; printf 'status %%d\\n' $?; exec cat", p.dir, left)
			if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if out := p.run(server + "new-session -d -s person -x 100 -y 40 'exec bash " + script +
				"'"); out != "" {
				t.Fatal(out)
			}
			t.Cleanup(func() { p.run(server + "kill-server") })
			p.asPerson("exec " + server + "attach -t person -f ignore-size")
			shows := func(want ...string) (screen string) {
				for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
					screen = p.run(server + "capture-pane -p -e -t person")
					missing := false
					for _, w := range want {
						missing = missing || !strings.Contains(screen, w)
					}
					if !missing && !strings.Contains(screen, "\x1b[8m") {
						return screen
					}
				}
				t.Fatalf("not on the screen: %q\n%s", want, screen)
				return ""
			}
			shows("tada-run asks", "rm -rf", "deletes everything below", p.dir,
				"y: approve  n: deny")
			time.Sleep(600 * time.Millisecond)
			p.run(server + "send-keys -t person y")
			shows("status 0")
		})
	}
}
