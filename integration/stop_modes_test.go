package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// F5: when a run is stopped, by Ctrl-Z or by a signal to it, it restores the terminal as the person
// had it; fg takes it over again, and the end restores what the person set in between.
func TestStopGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	need(t, "stty", "dash") // bash would mend the terminal itself
	for name, stop := range map[string]string{"Ctrl-Z": "", "SIGTSTP": "TSTP"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s, tty := p.on("PS1='ready> ' exec dash -i")
			says := func(want string) {
				t.Helper()
				if err := s.shows(want); err != nil {
					t.Fatalf("%v: %q", err, s.text())
				}
			}
			types := func(keys string) {
				t.Helper()
				if _, err := tty.WriteString(keys); err != nil {
					t.Fatal(err)
				}
			}
			modes := func(file string) string {
				text, err := os.ReadFile(filepath.Join(p.dir, file))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			says("ready> ")
			types("tty > tty; stty -g > before; tada-run -- bash -c 'echo be\"\"gun; read x; echo got \"$x\"'\r")
			says("begun")
			device := strings.TrimSpace(modes("tty"))
			raw := func() bool {
				out, _ := exec.Command("stty", "-F", device, "-a").Output()
				return strings.Contains(string(out), "-icanon")
			}
			await(t, "the run takes the terminal", raw)
			if stop == "" {
				types("\x1a")
			} else {
				p.run("kill -" + stop + " $(ps -t " + device +
					" -o pid=,args= | sed -n 's/^ *\\([0-9]*\\) tada-run .*/\\1/p')")
			}
			says("Stopped")
			says("ready> ")
			types("stty -g > stopped; stty -ixon; stty -g > changed; fg\r")
			await(t, "fg takes the terminal again", raw)
			types("words\r")
			says("got words")
			says("ready> ")
			types("stty -g > after; echo do\"\"ne\r")
			says("done")
			if modes("before") != modes("stopped") || modes("changed") != modes("after") ||
				modes("before") == modes("changed") {
				t.Errorf("before   %sstopped  %schanged  %safter    %s", modes("before"),
					modes("stopped"), modes("changed"), modes("after"))
			}
		})
	}
}

// await waits until a condition is true.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there never was: %s", what)
		}
	}
}
