package render_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval/render"
)

// What a terminal draws of a page is the page: each line is one row, with every character where the
// renderer counts it, in colours and without.
func TestQuestionsInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {100, 40}} {
		dir := t.TempDir()
		socket := filepath.Join(dir, "s")
		tmux := func(args ...string) string {
			all := append([]string{"-S", socket, "-f", "/dev/null", "-u"}, args...)
			cmd := exec.Command("tmux", all...)
			cmd.Env = append(os.Environ(), "TMUX=", "TERM=xterm-256color", "LC_ALL=C.UTF-8")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %v: %s", args, err, out)
			}
			return string(out)
		}
		// Each line of its input is the name of a file to show.
		tmux("new-session", "-d", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]),
			"stty -echo; while read f; do printf '\\033[H\\033[2J\\033[3J'; cat \"$f\"; done")
		t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
		for _, q := range questions(t) {
			p := render.Render(q.Payload, render.Options{Width: size[0] - 1, Phrase: "otter quilt"})
			for look, rows := range map[string][]string{"plain": p.Lines, "colours": p.Coloured()} {
				file := filepath.Join(dir, q.Name+look)
				mark := fmt.Sprintf("end of %.20s", q.Name+look)
				text := strings.Join(rows, "\n") + "\n" + mark
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				tmux("send-keys", file, "Enter")
				var drawn []string
				for range 300 {
					drawn = strings.Split(strings.TrimRight(tmux("capture-pane", "-p"), "\n"), "\n")
					if drawn[len(drawn)-1] == mark {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				drawn = drawn[:len(drawn)-1]
				var want []string
				for _, line := range p.Lines {
					want = append(want, strings.TrimRight(line, " "))
				}
				if !slices.Equal(drawn, want) {
					t.Errorf("%s, %s, %d columns:\n%s\ninstead of\n%s", q.Name, look, size[0],
						strings.Join(drawn, "\n"), strings.Join(want, "\n"))
				}
			}
		}
	}
}
