package integration

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A hand is one client of a desktop's tmux that takes many commands (CONTROL MODE in tmux(1)). The
// tests of windows look at them again and again, and a process for each look costs more than what
// they test. It has its own session, does not count as a person, and shows windows on no terminal.
type hand struct {
	mu  sync.Mutex
	in  io.WriteCloser
	out *bufio.Reader
}

func newHand(t *testing.T, d *desktop) *hand {
	t.Helper()
	cmd := exec.Command("tmux", "-S", d.socket, "-f", "/dev/null", "-C", "new-session",
		"-s", "hand", "-f", "ignore-size,no-output", "cat", "-")
	cmd.Dir, cmd.Env = d.dir, d.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return &hand{in: in, out: bufio.NewReader(out)}
}

// do runs a command and returns what it prints, and whether the client is there to run it.
func (h *hand) do(args []string) (out string, ok bool) {
	var line strings.Builder
	for _, arg := range args {
		line.WriteString("'" + strings.ReplaceAll(arg, "'", `'\''`) + "' ")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := fmt.Fprintln(h.in, line.String()); err != nil {
		return "", false
	}
	var text strings.Builder
	for which := ""; ; {
		line, err := h.out.ReadString('\n')
		kind, of, _ := strings.Cut(line, " ")
		switch {
		case err != nil:
			return "", false
		case which == "" && kind == "%begin" && strings.HasSuffix(of, " 1\n"): // asked for by us
			which = of
		case which != "" && of == which && (kind == "%end" || kind == "%error"):
			return text.String(), true
		case which != "":
			text.WriteString(line)
		}
	}
}
