//go:build linux || darwin

package launcher

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/launcher/state"
	"golang.org/x/sys/unix"
)

// packAt is how many bytes a session has to show to be packed at once. What is smaller costs more
// to start a process for than it takes on the disk, and waits for others; see packOften.
const packAt = 256 << 10

// packMany is how many small transcripts are worth a process. One of packOften runs counts them, by
// chance.
const (
	packMany  = 256
	packOften = 64
)

// packIfMany has what lies there packed if it has become much, or what was decided long ago removed
// if that was not done for a day.
func (l *Launcher) packIfMany(id string) {
	if !state.Chance(id, packOften) {
		return
	}
	if l.TidyDue() {
		l.packLater(packAt)
		return
	}
	dir, err := os.Open(l.state.Sessions())
	if err != nil {
		return
	}
	defer dir.Close()
	for plain := 0; err == nil && plain < packMany; {
		var names []string
		names, err = dir.Readdirnames(packMany)
		for _, name := range names {
			if strings.HasSuffix(name, ".cast") {
				plain++
			}
		}
		if plain >= packMany {
			l.packLater(packAt)
		}
	}
}

// packLater has the closed sessions packed by a separate process without waiting for it, so that
// the command's exit status is not delayed. It is the tadactl beside this program; if there is
// none, the next tadactl gc does it. Nothing depends on it, so a failure is not reported.
func (l *Launcher) packLater(bytes int64) {
	if bytes < packAt {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	tool := filepath.Join(filepath.Dir(self), "tadactl")
	if info, err := os.Stat(tool); err != nil || !info.Mode().IsRegular() {
		return
	}
	// Without standard files: a process that reads ours to their end must not wait for it.
	cmd := exec.Cmd{Path: tool, Args: []string{tool, "--home", l.state.Dir, "gc"}, Dir: "/",
		Env: []string{}, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if cmd.Start() == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, 19)
		_ = cmd.Process.Release()
	}
}
