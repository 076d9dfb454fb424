//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// What a run can have for itself instead of sharing it: temporary files and terminals.

// memoryName is where programs share memory by name.
const memoryName = "/dev/shm"

// insideName is where the run has FIFOs of shared directories: outside no program can make anything
// below it.
const insideName = "/proc/fs"

// privates are the directories that the run has its own ones of.
func (b *builder) privates() (dirs []string) {
	if b.profile.PrivateTmp {
		dirs = append(dirs, tempNames...)
	}
	if b.ownMemory() {
		dirs = append(dirs, memoryName)
	}
	return dirs
}

// ownMemory reports whether the run has a private /dev/shm.
func (b *builder) ownMemory() bool { return b.level == Strong && b.profile.View == nil }

// viewed has the shared directories seen and not written, where they are a view. Where the broker
// cannot answer for them, they are the run's own at Strong, and at Base nothing is made there.
func (b *builder) viewed() {
	v := b.profile.View
	if v == nil || b.profile.PrivateTmp {
		b.profile.View = nil
		return
	}
	if b.silent || !seccomp.CanListen() {
		b.unviewed = true
		if b.level == Strong {
			b.profile.PrivateTmp, b.profile.View = true, nil
			return
		}
	}
	b.profile.Write = slices.DeleteFunc(slices.Clone(b.profile.Write), func(p Path) bool {
		return contains(v.Dirs, p.Name)
	})
	for _, dir := range v.Dirs {
		if !b.isRead(dir) {
			b.profile.Read = append(slices.Clip(b.profile.Read), Path{Name: dir, Optional: true})
		}
	}
}

// isRead reports whether a tree of the profile has the directory in it, and nothing hides it: what
// is hidden in it then needs rules on its neighbours once. A tree above /dev does not mean the
// devices (see rules).
func (b *builder) isRead(dir string) bool {
	for _, h := range b.hidden {
		if within(dir, h) {
			return false
		}
	}
	return slices.ContainsFunc(b.profile.Read, func(p Path) bool {
		return within(dir, p.Name) && !p.NoExec && !p.Optional && p.File == nil &&
			(p.Name == "/dev" || !within("/dev", p.Name) || !within(dir, "/dev"))
	})
}

// inTemp reports whether name is in such a directory.
func (b *builder) inTemp(name string) bool { return inside(b.privates(), name) }

// isTemp reports whether name is such a directory itself.
func (b *builder) isTemp(name string) bool { return contains(b.privates(), name) }

// temporary takes what is private to the run out of the profile. At Strong others are mounted over
// it; at Base it is out of reach. What the profile names inside stays.
func (b *builder) temporary() error {
	b.viewed()
	keep := func(list []Path) []Path {
		var out []Path
		for _, p := range list {
			if !b.isTemp(p.Name) {
				out = append(out, p)
			}
		}
		return out
	}
	b.profile.Write, b.profile.Read = keep(b.profile.Write), keep(b.profile.Read)
	if b.level == Base {
		for _, dir := range b.privates() {
			if exists(dir) {
				b.hidden = append(b.hidden, dir)
			}
		}
		return nil
	}
	var hidden []string
	for _, name := range b.hidden {
		if b.comesBack(name) || !b.inTemp(name) {
			hidden = append(hidden, name)
		}
	}
	b.hidden = hidden
	name, err := os.Getwd()
	if dir := b.command.Dir; dir != nil {
		name, _, err = whatIs(dir)
	}
	if err == nil && b.inTemp(name) && !b.comesBack(name) {
		return fmt.Errorf("sandbox: the working directory %q is in a temporary directory that "+
			"this run cannot see", name)
	}
	return nil
}

// comesBack reports whether name is in a tree of the profile in temporary files.
func (b *builder) comesBack(name string) bool {
	for _, list := range [][]Path{b.profile.Write, b.profile.Read} {
		for _, p := range list {
			if b.inTemp(p.Name) && within(name, p.Name) {
				return true
			}
		}
	}
	return false
}

// carried returns the readable trees in what is private, which have to be mounted again inside of
// it, but for those that are writable.
func (b *builder) carried(writable []string) (names []string) {
	if b.level != Strong {
		return nil
	}
	for _, p := range b.profile.Read {
		if b.inTemp(p.Name) && !inside(writable, p.Name) && exists(p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// privateTemp mounts empty directories over the shared ones, and makes places in them for the trees
// that come back. It runs after the trees have been copied and before they are mounted.
func (b *builder) privateTemp(l *steps, trees []string) {
	a := &b.setup.arena
	for _, dir := range b.privates() {
		if exists(dir) {
			l.add("mount private "+dir, unix.SYS_MOUNT, a.text("tmpfs"), a.text(dir),
				a.text("tmpfs"), unix.MS_NOSUID|unix.MS_NODEV, b.memoryFiles("mode=1777"))
		}
	}
	for _, tree := range trees {
		if !b.inTemp(tree) {
			continue
		}
		var up []string
		for dir := filepath.Dir(tree); !b.isTemp(dir); dir = filepath.Dir(dir) {
			up = append(up, dir)
		}
		for i := len(up) - 1; i >= 0; i-- {
			l.add("make "+up[i], unix.SYS_MKDIRAT, atCwd, a.text(up[i]), 0o755).or(unix.EEXIST)
		}
		if st, err := os.Stat(tree); err == nil && !st.IsDir() {
			l.add("make "+tree, unix.SYS_MKNODAT, atCwd, a.text(tree),
				unix.S_IFREG|0o600).or(unix.EEXIST)
		} else {
			l.add("make "+tree, unix.SYS_MKDIRAT, atCwd, a.text(tree), 0o755).or(unix.EEXIST)
		}
	}
}

// terminals lets the run make its own terminals, as script, ssh -tt and test runners do, and reach
// no others. The command's own terminal, which comes from outside, keeps its name; if it has
// another than /dev/pts/N, or a high number, it is /dev/console.
func (b *builder) terminals(l *steps) {
	if !b.profile.Terminals {
		return
	}
	a := &b.setup.arena
	own := ""
	if b.command.HasTTY {
		own, _, _ = whatIs(b.command.Files[b.command.TTY])
	}
	const opened, kept = registerCount - 1, registerCount - 2
	number := terminalNumber(own)
	if own != "" && exists(own) && (number >= 0 || exists("/dev/console")) {
		l.add("copy the mount of the terminal", unix.SYS_OPEN_TREE, atCwd, a.text(own),
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).kept(kept)
	} else {
		own = ""
	}
	l.add("mount private /dev/pts", unix.SYS_MOUNT, a.text("devpts"), a.text("/dev/pts"),
		a.text("devpts"), unix.MS_NOSUID|unix.MS_NOEXEC,
		a.text("newinstance,ptmxmode=0666,mode=620"))
	l.add("mount private /dev/ptmx", unix.SYS_MOUNT, a.text("/dev/pts/ptmx"), a.text("/dev/ptmx"),
		0, unix.MS_BIND)
	if own == "" {
		return
	}
	if number < 0 {
		own = "/dev/console"
	}
	// Numbers are given out from 0 on. A terminal that is made and lain under the command's own is
	// its name, as long as the supervisor holds the other side. With the number the name has the
	// same inode in both instances, which is what ttyname(3) looks for.
	for range number + 1 {
		l.add("make a name for the terminal", unix.SYS_OPENAT, atCwd, a.text("/dev/pts/ptmx"),
			unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC).kept(opened)
	}
	if number >= 0 {
		l.add("make a name for the terminal", unix.SYS_DUP3, 0, uintptr(b.master),
			unix.O_CLOEXEC).with(opened, 0)
	}
	l.add("mount the terminal", unix.SYS_MOVE_MOUNT, 0, a.text(""), atCwd, a.text(own),
		unix.MOVE_MOUNT_F_EMPTY_PATH).with(kept, 0)
}

// maxTerminal is the highest number that a terminal keeps: each below it is made once.
const maxTerminal = 63

// terminalNumber returns N of /dev/pts/N, and -1 for other names and high numbers.
func terminalNumber(name string) int {
	text, ok := strings.CutPrefix(name, "/dev/pts/")
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 0 || n > maxTerminal {
		return -1
	}
	return n
}

// A lateRule is a right to an object that there is only behind the mounts, where the child adds it.
type lateRule struct {
	name   string
	rights uint64
}

// lateRules returns those for what is private.
func (b *builder) lateRules() []lateRule {
	var rules []lateRule
	if b.ownMemory() {
		rules = append(rules, lateRule{memoryName, fsRead | fsWrite})
	}
	if b.profile.PrivateTmp {
		for _, dir := range tempNames {
			if exists(dir) {
				rules = append(rules, lateRule{dir, fsRead | fsExec | fsWrite})
			}
		}
	}
	if b.profile.Terminals {
		rules = append(rules, lateRule{"/dev/pts", fsDevice | fsList},
			lateRule{"/dev/ptmx", fsDevice}, lateRule{"/dev", fsList})
	}
	return rules
}

// leadsTo reports whether something that the profile allows is below name.
func (b *builder) leadsTo(name string) bool {
	for _, list := range [][]Path{b.profile.Read, b.profile.Write, b.profile.Devices} {
		for _, p := range list {
			if within(p.Name, name) && (!p.Optional || exists(p.Name)) {
				return true
			}
		}
	}
	return false
}

// memoryDirs returns the directories that the run has in memory alone.
func (b *builder) memoryDirs() []string {
	switch {
	case !b.ownMemory():
		return nil
	case b.profile.PrivateTmp:
		return append([]string{memoryName}, tempNames...)
	}
	return []string{memoryName}
}

// openly returns the hidden names that no mount can cover, because something in them is allowed.
func (b *builder) openly() []string {
	var names []string
	for _, name := range b.hidden {
		if b.leadsTo(name) {
			names = append(names, name)
		}
	}
	return names
}
