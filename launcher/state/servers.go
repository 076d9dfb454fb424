package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Serving lists the servers that runs have on this machine, for those of one workspace. Each
// launcher has a file of its name, with a line for each socket that one of its runs listens with:
// the number that the kernel gives no other socket until the machine is restarted, and the
// workspace. A line counts as long as the launcher lives, whose runs end with it.
type Serving struct {
	d         *Directory
	workspace string
	swept     sync.Once
}

// Serving returns the servers, as the runs of a workspace see them.
func (d *Directory) Serving(workspace string) *Serving {
	return &Serving{d: d, workspace: workspace}
}

// Add notes a server of the workspace. Where that fails it is as one of another program to later
// runs.
func (s *Serving) Add(socket uint64) {
	if os.MkdirAll(s.d.Servers(), 0o700) != nil {
		return
	}
	s.swept.Do(s.sweep)
	name := filepath.Join(s.d.Servers(), strings.ReplaceAll(s.d.Self(), "/", "+"))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, _ = fmt.Fprintf(f, "%x %q\n", socket, s.workspace)
		_ = f.Close()
	}
}

// Whose returns the workspace whose run has a server, "" where no run has it, and whether that is
// this workspace.
func (s *Serving) Whose(socket uint64) (workspace string, own bool) {
	for name := range s.launchers {
		text, _ := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			number, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if number != strconv.FormatUint(socket, 16) {
				continue
			}
			workspace, err := strconv.Unquote(quoted)
			return workspace, err == nil && workspace == s.workspace
		}
	}
	return "", false
}

// launchers yields the file of each launcher that lives.
func (s *Serving) launchers(yield func(string) bool) {
	entries, _ := os.ReadDir(s.d.Servers())
	for _, e := range entries {
		if s.lives(e) && !yield(filepath.Join(s.d.Servers(), e.Name())) {
			return
		}
	}
}

func (s *Serving) lives(e os.DirEntry) bool {
	return s.d.Lives(strings.ReplaceAll(e.Name(), "+", "/"))
}

// sweep removes what launchers have left that are gone.
func (s *Serving) sweep() {
	entries, _ := os.ReadDir(s.d.Servers())
	for _, e := range entries {
		if !s.lives(e) {
			_ = os.Remove(filepath.Join(s.d.Servers(), e.Name()))
		}
	}
}
