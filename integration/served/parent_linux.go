package served

import (
	"os"
	"os/exec"
	"syscall"
)

func endsWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// small gives the server namespaces of its own, in which it may mount a file system.
func small(cmd *exec.Cmd, size string) {
	cmd.Args = append(cmd.Args, "-size", size)
	a := cmd.SysProcAttr
	a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
	a.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
}
