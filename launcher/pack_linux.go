package launcher

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// packAt is how many bytes a session has to show to be packed at once. What is smaller costs more
// to start a process for than it takes on the disk, and waits for others; see packOften.
const packAt = 256 << 10

// packOften is one of how many runs has what lies there packed, whatever it shows. Which one is
// chance, so that no process has to count.
const packOften = 256

// packLater has the closed sessions packed by a separate process without waiting for it, so that
// the command's exit status is not delayed. It is the tadactl beside this program; if there is
// none, the next tadactl gc does it. Nothing depends on it, so a failure is not reported.
func (l *Launcher) packLater(bytes int64) {
	if bytes < packAt {
		return
	}
	self, err := os.Readlink("/proc/self/exe")
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
