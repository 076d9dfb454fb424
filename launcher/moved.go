package launcher

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// movedSnapshots are the folders in which agents' programs save the user's shell if a variable of
// the caller moves their files (CLAUDE_CONFIG_DIR). Such a folder counts only if no other user and
// no command can put anything there: any process can set a variable.
func (l *Launcher) movedSnapshots(req Request) (list []string) {
	for saved := range agents.Of("snapshots") {
		for home := range agents.Of("home") {
			if home.Agent != saved.Agent {
				continue
			}
			words := home.Words()
			below, is := strings.CutPrefix(saved.Text(), words[1]+"/")
			if !is {
				continue
			}
			to := lastOf(req.Env, words[0])
			if to != "" && to != filepath.Join(l.account, words[1][1:]) && l.isClosed(req, to) {
				list = append(list, filepath.Join(to, below))
			}
		}
	}
	return list
}

// isClosed reports whether a folder is the user's, by its real name, and neither another user nor,
// by the policy, a command of this workspace writes in it unasked.
func (l *Launcher) isClosed(req Request, dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	info, statErr := os.Lstat(dir)
	if err != nil || statErr != nil || real != dir {
		return false
	}
	if !filepath.IsAbs(dir) || l.policy.InCache(dir) {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(st.Uid) != os.Getuid() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	return !unasked(pathguard.Guard{Policy: l.policy, Caller: pathguard.Caller{
		Dir: req.Dir, Env: map[string]string{"TMPDIR": lastOf(req.Env, "TMPDIR")}, Home: l.account,
		UID: os.Getuid(), StateDir: l.state.Dir,
	}}, dir)
}

// unasked reports whether a command may make files in a folder without a question.
func unasked(g pathguard.Guard, dir string) bool {
	for _, name := range []string{"x", "x/x.sh"} {
		if r, err := g.CheckPathAccess(filepath.Join(dir, name), true); err != nil ||
			r.Verdict == pathguard.Allow {
			return true
		}
	}
	return false
}

// lastOf is the value that counts of a variable; "" without one.
func lastOf(env []string, name string) (value string) {
	for _, each := range env {
		if v, is := strings.CutPrefix(each, name+"="); is {
			value = v
		}
	}
	return value
}
