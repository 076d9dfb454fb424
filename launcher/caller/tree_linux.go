package caller

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// hosts are programs that others live in and have nothing else in common by it: a process below one
// of them is on its own.
var hosts = []string{"systemd", "init", "login", "sshd", "sshd-session", "su", "sudo", "cron",
	"crond", "tmux: server", "screen", "dtach", "gnome-terminal-", "konsole", "kitty", "alacritty",
	"wezterm-gui", "xterm", "foot", "docker-init", "tini", "containerd-shim"}

// maxAncestors bounds the walk; a process tree is not that deep.
const maxAncestors = 256

// Tree names the process tree that a process belongs to: its outermost ancestor of this account
// below the first process and below the programs that others live in, by pid and start time. Agents
// start each command in a new session and give their processes any name. They cannot choose other
// ancestors; they can only leave them, and all processes without ancestors share one name.
func Tree(pid int) string {
	const alone = "none"
	uid, top := os.Getuid(), alone
	for range maxAncestors {
		text, err := proc.Read(proc.Dir(pid) + "stat")
		end := strings.LastIndexByte(string(text), ')')
		start := strings.IndexByte(string(text), '(')
		if err != nil || start < 0 || end < start {
			return top
		}
		// state ppid ... starttime is the 22nd of all
		fields := strings.Fields(string(text[end+1:]))
		parent, err := strconv.Atoi(fields[1])
		if err != nil || len(fields) < 20 {
			return top
		}
		info, err := os.Stat(proc.Dir(pid))
		if err != nil {
			return top
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(owner.Uid) != uid || pid == 1 ||
			slices.Contains(hosts, string(text[start+1:end])) {
			return top
		}
		if pid != os.Getpid() && !(pid == os.Getppid() && sameProgram(pid)) {
			// each call is a separate process, or two
			top = fmt.Sprintf("%d.%s", pid, fields[19])
		}
		pid = proc.Number(parent)
	}
	return top
}

// sameProgram reports whether a process runs the program of this one.
func sameProgram(pid int) bool {
	its, err := os.Readlink(proc.Dir(pid) + "exe")
	own, _ := os.Readlink("/proc/self/exe")
	return err == nil && its == own
}
