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
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/environ"
)

// maxSaid bounds the memory of what was said. Behind it things are said once more.
const maxSaid = 64 << 10

// say writes a notice unless the same was written before, by this process or an earlier one:
// every command is a process of its own, and a notice before each is read by nobody. What
// cannot be remembered is said again.
func (l *Launcher) say(out io.Writer, notice string) {
	if l.tells(notice) {
		fmt.Fprintf(out, "tada-run: %s\n", notice)
	}
}

// tells reports whether a notice has to be told now, and remembers that it was.
func (l *Launcher) tells(notice string) bool {
	sum := sha256.Sum256([]byte(notice))
	mark := hex.EncodeToString(sum[:8]) + "\n"
	path := filepath.Join(l.home.Runtime(), "said")
	said, _ := os.ReadFile(path)
	if bytes.Contains(said, []byte(mark)) {
		return false
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if len(said) > maxSaid {
		flags = os.O_WRONLY | os.O_TRUNC
	}
	if f, err := os.OpenFile(path, flags, 0o600); err == nil {
		_, _ = f.WriteString(mark)
		f.Close()
	}
	return true
}

// missedVariables tells a command that failed which of the variables that it complains about it did
// not receive. The others are in the record, and in tadactl doctor.
func missedVariables(e *ended, out io.Writer) object {
	if e.status.Shell() == 0 {
		return nil
	}
	var named []string
	said := string(e.out.complaints())
	for _, name := range environ.Missable(e.client.removed(e.environ.Removed)) {
		if hasWord(said, name) {
			named = append(named, name)
		}
	}
	if len(named) > 0 {
		e.l.say(out, notReceived(named)+" (shown once)")
	}
	return nil
}

// notReceived says what to do for variables that commands are to receive.
func notReceived(names []string) string {
	return fmt.Sprintf("commands do not receive %s; to pass a variable, add its name to environment.keep: tadactl policy edit", strings.Join(names, " "))
}

// hasWord reports whether a name is in a text, and not only as a part of another one.
func hasWord(text, name string) bool {
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return false
		}
		before, after := text[:i], text[i+len(name):]
		if (before == "" || !environ.IsName("_"+before[len(before)-1:])) && (after == "" || !environ.IsName("_"+after[:1])) {
			return true
		}
		text = after
	}
}

// recentRuns is how many of the last runs NotReceived looks at.
const recentRuns = 200

// NotReceived says which variables the last commands did not receive, and what to do for one that they are to have; "" where there are none.
func (l *Launcher) NotReceived() string {
	names := map[string]bool{}
	for e, err := range l.Entries(audit.Filter{Kinds: []string{kindIntent}, Last: recentRuns}) {
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
	return notReceived(slices.Sorted(maps.Keys(names)))
}
