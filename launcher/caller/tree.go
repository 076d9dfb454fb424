//go:build linux || darwin

package caller

import (
	"fmt"
	"os"
	"slices"
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
		a, ok := ancestorOf(pid)
		if !ok || a.uid != uid || pid == 1 || slices.Contains(hosts, a.name) {
			return top
		}
		if pid != os.Getpid() && !(pid == os.Getppid() && sameProgram(pid)) {
			// each call is a separate process, or two
			top = fmt.Sprintf("%d.%s", pid, a.started)
		}
		pid = a.parent
	}
	return top
}
