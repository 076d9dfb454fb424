package state

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Serving lists the servers that runs have on this machine, for those of one workspace. Each
// launcher has a file of its name, with a line for each socket that one of its runs listens with:
// the number that the kernel gives no other socket until the machine is restarted, and the
// workspace. A run with the machine's network listens without being seen: its line has "*" for a
// number, and its processes are those that the launcher has started. A line counts as long as the
// launcher lives, whose runs end with it.
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
func (s *Serving) Add(socket uint64) { s.add(strconv.FormatUint(socket, 16)) }

// AddAll notes that a run of the workspace has the machine's network.
func (s *Serving) AddAll() { s.add(anySocket) }

const anySocket = "*"

func (s *Serving) add(number string) {
	if os.MkdirAll(s.d.Servers(), 0o700) != nil {
		return
	}
	s.swept.Do(s.sweep)
	name := filepath.Join(s.d.Servers(), strings.ReplaceAll(s.d.Self(), "/", "+"))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, _ = fmt.Fprintf(f, "%s %q\n", number, s.workspace)
		_ = f.Close()
	}
}

// Whose returns the workspace whose run has a server, "" where no run has it, and whether that is
// this workspace.
func (s *Serving) Whose(socket uint64) (workspace string, own bool) {
	for name := range s.launchers {
		if workspace, found := noted(name, strconv.FormatUint(socket, 16)); found {
			return workspace, workspace == s.workspace
		}
	}
	return "", false
}

// Of returns the same for a server that the processes have, if one run with the machine's network
// has all of them.
func (s *Serving) Of(pids []int) (workspace string, own bool) {
	for name := range s.launchers {
		workspace, found := noted(name, anySocket)
		var launcher int
		_, err := fmt.Sscanf(filepath.Base(name)[len(s.d.BootID)+1:], "%d@", &launcher)
		others := slices.ContainsFunc(pids, func(pid int) bool { return !isBelow(pid, launcher) })
		if found && err == nil && len(pids) > 0 && !others {
			return workspace, workspace == s.workspace
		}
	}
	return "", false
}

// noted returns the workspace that the file of a launcher has for a number.
func noted(name, number string) (workspace string, found bool) {
	text, _ := os.ReadFile(name)
	for line := range strings.Lines(string(text)) {
		its, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if its == number {
			workspace, err := strconv.Unquote(quoted)
			return workspace, err == nil
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
