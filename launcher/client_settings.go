package launcher

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

// maxClientFile bounds a settings file of an agent that is read here.
const maxClientFile = 4 << 20

// settingsFile is the text of a settings file of the person's; nil for one that is not there or
// that policy keeps.
func (l *Launcher) settingsFile(policy pathguard.Policy, name string) []byte {
	if !l.mayHave(policy, name) {
		return nil
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() ||
		info.Size() > maxClientFile {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, maxClientFile))
	if err != nil {
		return nil
	}
	return text
}

// mayHave reports whether an agent may have a file or folder of the person's that the table names:
// one that every command may read, and where the name leads nowhere else, its own credentials too.
func (l *Launcher) mayHave(policy pathguard.Policy, name string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	home, err := filepath.EvalSymlinks(l.account)
	if err != nil {
		return false
	}
	rest, below := strings.CutPrefix(name, l.account+"/")
	own := below && real == filepath.Join(home, rest)
	g := pathguard.Guard{Policy: policy,
		Caller: pathguard.Caller{Dir: "/", Env: map[string]string{}, Home: l.account,
			UID: os.Getuid(), StateDir: l.state.Dir}}
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
