package launcher

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxSaid bounds the memory of what was said. Behind it things are said once more.
const maxSaid = 64 << 10

// say writes a notice unless the same was written before, by this process or an earlier one:
// every command is a process of its own, and a notice before each is read by nobody. What
// cannot be remembered is said again.
func (l *Launcher) say(out io.Writer, notice string) {
	sum := sha256.Sum256([]byte(notice))
	mark := hex.EncodeToString(sum[:8]) + "\n"
	path := filepath.Join(l.home.Runtime(), "said")
	said, _ := os.ReadFile(path)
	if bytes.Contains(said, []byte(mark)) {
		return
	}
	fmt.Fprintf(out, "tada-run: %s\n", notice)
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if len(said) > maxSaid {
		flags = os.O_WRONLY | os.O_TRUNC
	}
	if f, err := os.OpenFile(path, flags, 0o600); err == nil {
		_, _ = f.WriteString(mark)
		f.Close()
	}
}

// withheld tells which variables do not reach the command. A name that no shell variable can
// have is recorded only: nobody would miss it.
func (l *Launcher) withheld(out io.Writer, names []string) {
	var shown []string
	for _, n := range names {
		if identifier(n) && !listed(n, ofTheCaller) {
			shown = append(shown, n)
		}
	}
	if len(shown) > 0 {
		l.say(out, fmt.Sprintf("commands do not receive %s; to pass a variable, add its name to environment.keep: tadactl policy edit (shown once)",
			strings.Join(shown, " ")))
	}
}

// identifier reports whether s is a name as POSIX defines it (XBD 3.216).
func identifier(s string) bool {
	for i, c := range []byte(s) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
