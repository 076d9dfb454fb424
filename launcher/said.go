package launcher

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/launcher/switches"
)

// maxSaid bounds the memory of notices shown before. Beyond it they are shown again.
const maxSaid = 64 << 10

// say writes a notice unless the same was written before, by this process or an earlier one: every
// command is a process, and no one reads a notice that appears before each. What cannot be
// remembered is written again.
func (l *Launcher) say(out io.Writer, notice string) {
	if l.tells(notice) {
		fmt.Fprintf(out, "tada-run: %s\n", notice)
	}
}

// tells reports whether a notice has to be written now, and remembers that it was.
func (l *Launcher) tells(notice string) bool {
	sum := sha256.Sum256([]byte(notice))
	mark := hex.EncodeToString(sum[:8]) + "\n"
	path := filepath.Join(l.state.Runtime(), "said")
	said, _ := setup.Read(path)
	if bytes.Contains(said, []byte(mark)) {
		return false
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND | syscall.O_NONBLOCK // a FIFO: no waiting
	if len(said) > maxSaid {
		flags = os.O_WRONLY | os.O_TRUNC | syscall.O_NONBLOCK
	}
	if f, err := os.OpenFile(path, flags, 0o600); err == nil {
		_, _ = f.WriteString(mark)
		f.Close()
	}
	return true
}

// recentRuns is how many of the last runs NotReceived looks at.
const recentRuns = 200

// NotReceived says which variables the last commands did not receive, and what to do for one that
// they are to have; "" where there are none.
func (l *Launcher) NotReceived() string {
	names := map[string]bool{}
	for e, err := range l.Entries(audit.Filter{Kinds: []string{record.KindIntent},
		Last: recentRuns}) {
		var body struct {
			Removed []string `json:"env_removed"`
		}
		if err != nil || json.Unmarshal(e.Body, &body) != nil {
			continue
		}
		for _, n := range environ.Missable(body.Removed) {
			names[n] = true
		}
	}
	if len(names) == 0 {
		return ""
	}
	return environ.NotReceived(slices.Sorted(maps.Keys(names)))
}

// HooksOff returns what a person has to know at the first call of a conversation: see
// [switches.Notices.Off].
func (l *Launcher) HooksOff(platform, dir, conversation string) string {
	return switches.Notices{Home: l.account, Tells: l.tells}.Off(platform, dir, conversation)
}

// unhooked is HooksOff for a command of an agent whose shell this is.
func (l *Launcher) unhooked(req Request) string {
	if req.Shell.Name == "tada-run" {
		return ""
	}
	return switches.Notices{Home: l.account, Tells: l.tells}.OfShell(req.Dir, req.Env)
}
