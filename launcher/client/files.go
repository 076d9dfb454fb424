package client

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"

	"github.com/tada-run/tada-run/pathguard"
)

// maxFile bounds a settings file of an agent that is read here.
const maxFile = 4 << 20

// Files are the files of the person's that policy lets an agent have.
type Files struct {
	Home   string // of the account
	State  string // the state directory
	Policy pathguard.Policy
}

// read is the text of a settings file of the person's; nil for one that is not there or
// that policy keeps.
func (f Files) read(name string) []byte {
	if !f.may(name) {
		return nil
	}
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return nil
	}
	return text
}

// may reports whether an agent may have a file or folder of the person's that the table names:
// one that every command may read, and where the name leads nowhere else, its own credentials too.
func (f Files) may(name string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	home, err := filepath.EvalSymlinks(f.Home)
	if err != nil {
		return false
	}
	rest, below := strings.CutPrefix(name, f.Home+"/")
	own := below && real == filepath.Join(home, rest)
	g := pathguard.Guard{Policy: f.Policy,
		Caller: pathguard.Caller{Dir: "/", Env: map[string]string{}, Home: f.Home,
			UID: os.Getuid(), StateDir: f.State}}
	r, err := g.CheckPathAccess(real, false)
	return err == nil && (r.Allowed || own && r.Verdict == pathguard.Ask)
}

// settingsPair is a key with a text, as JSON and TOML write it, or with an address, as YAML does.
var settingsPair = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:"([A-Za-z_]+)"|\b([A-Za-z_]+))\s*[:=]\s*` +
		`(?:"([^"\\\n]*)"|'([^'\n]*)'|(https?://[^\s"'#,}\]]+))`)
})

// settingsValues are the texts that any of the keys has anywhere in a settings file. The file is
// not parsed: its author chooses which hosts the program contacts, and asking a person about one
// address more does no harm.
func settingsValues(text []byte, keys []string) (values []string) {
	for _, m := range settingsPair().FindAllSubmatch(text, -1) {
		name := string(m[1]) + string(m[2])
		for _, key := range keys {
			if name == key {
				values = append(values, string(m[3])+string(m[4])+string(m[5]))
			}
		}
	}
	return values
}
