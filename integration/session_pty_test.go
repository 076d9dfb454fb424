package integration

import (
	"os/exec"
	"testing"
)

// Programs that make terminals of their own work inside a session: script(1), a multiplexer, and
// programs that use openpty(3). None of these terminals is the session's, and closing them ends
// nothing else.
func TestTerminalsInside(t *testing.T) {
	t.Parallel()
	_, a, _ := inside(t, 110, 40)
	for _, test := range []struct{ program, line, shows string }{
		{"script", "script -qc 'tty; echo by scr''ipt' /dev/null", "by script"},
		{"perl", `perl -e 'open(my $m, "+<", "/dev/ptmx") and print "a mas", "ter\n"'`, "a master"},
		{"tmux", "tmux -L inner new-session -d -x 40 -y 10 'echo by tm''ux; sleep 9'; for i in 1 2 3 4 5 6; do sleep 1; tmux -L inner capture-pane -p | head -1; done", "by tmux"},
	} {
		if _, err := exec.LookPath(test.program); err != nil {
			t.Logf("there is no %s here", test.program)
			continue
		}
		a.line(test.line)
		a.shows("\n" + test.shows)
		a.until("has its prompt", func(string) bool { return a.at() == "inner$" })
		a.types("", "C-l")
	}
	a.line("echo still he''re; exit")
	a.shows("outer>")
}
