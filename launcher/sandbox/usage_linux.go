//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// inMemory returns how much is in the run's own file systems in memory, by device.
func (p *Process) inMemory() map[uint64]uint64 {
	sizes := map[uint64]uint64{}
	for _, dir := range p.memory {
		name := proc.Dir(p.initPid) + "root" + dir // the command may be dead
		var st, outside unix.Stat_t
		var fs unix.Statfs_t
		if unix.Stat(name, &st) == nil && unix.Statfs(name, &fs) == nil &&
			fs.Type == unix.TMPFS_MAGIC &&
			(unix.Stat(dir, &outside) != nil || outside.Dev != st.Dev) {
			sizes[st.Dev] = (fs.Blocks - fs.Bfree) * uint64(fs.Bsize)
		}
	}
	return sizes
}

// overMemory reports whether processes hold more than most together, in memory of their own,
// shared, or in files in memory. First by what is quickly told, which counts for each what several
// share, so that it is never too little; only what is over by that is looked at exactly.
func overMemory(members []sample, own map[uint64]uint64, most uint64) bool {
	held := nameless(members, own)
	if mine, shared := sums(members, "status", "RssAnon:", "RssShmem:"); mine+max(shared,
		held) <= most {
		return false
	}
	var mine, shared uint64 // with what is shared divided by those who share it
	for _, s := range members {
		o, sh := sums([]sample{s}, "smaps_rollup", "Pss_Anon:", "Pss_Shmem:")
		if o+sh == 0 { // not ours to look into: count it as it counts itself
			o, sh = sums([]sample{s}, "status", "RssAnon:", "RssShmem:")
		}
		mine, shared = mine+o, shared+sh
	}
	return mine+max(shared, held) > most
}

// nameless sums the size of files in memory: those of the run's own file systems, by device, and
// those that are held by their descriptors alone (memfd_create(2), O_TMPFILE). A process holds them
// even if it does not map them.
func nameless(members []sample, own map[uint64]uint64) (total uint64) {
	for _, size := range own {
		total += size
	}
	type file struct{ dev, ino uint64 }
	seen := map[file]bool{}
	for _, s := range members {
		dir, names := descriptorsOf(s.pid)
		for _, name := range names {
			var st unix.Stat_t
			var fs unix.Statfs_t
			target, err := os.Readlink(dir + name)
			if err != nil || !strings.HasSuffix(target, " (deleted)") ||
				unix.Stat(dir+name, &st) != nil || st.Nlink > 0 ||
				unix.Statfs(dir+name, &fs) != nil || fs.Type != unix.TMPFS_MAGIC ||
				seen[file{st.Dev, st.Ino}] || own[st.Dev] > 0 {
				continue
			}
			seen[file{st.Dev, st.Ino}] = true
			total += uint64(st.Blocks) * 512
		}
	}
	return total
}

// descriptorsOf returns the folder of a process's descriptors and the names in it; none of a
// process that has ended or hides them.
func descriptorsOf(pid int) (dir string, names []string) {
	dir = proc.Dir(pid) + "fd/"
	list, err := os.Open(dir)
	if err != nil {
		return dir, nil
	}
	defer list.Close()
	names, _ = list.Readdirnames(-1)
	return dir, names
}

// watches reports whether the tree holds more than most inotify instances, or, where the kernel
// gives no more, all of them.
func (t *treeWatch) watches(members []sample, most uint64, all bool) bool {
	var held []holder
	for _, s := range members {
		_, names := descriptorsOf(s.pid)
		for _, name := range names {
			if h := (holder{s.pid, name}); h.watches() {
				held = append(held, h)
			}
		}
	}
	if len(held) > 0 {
		t.patience = 0 // there may soon be more
	}
	if all && most > 0 {
		most--
	}
	for uint64(len(held)) > most {
		if uint64(instances(held)) <= most {
			return false
		}
		// A file that was closed in between could not be compared, and counted separately.
		before := len(held)
		if held = slices.DeleteFunc(held, holder.closed); len(held) == before {
			return true
		}
	}
	return false
}

// A holder is a descriptor of an inotify instance.
type holder struct {
	pid int
	fd  string
}

func (h holder) watches() bool {
	target, err := os.Readlink(proc.Dir(h.pid) + "fd/" + h.fd)
	return err == nil && target == "anon_inode:inotify"
}

func (h holder) closed() bool { return !h.watches() }

// instances returns how many they are. One that was inherited counts once: the kernel orders open
// files (kcmp(2)).
func instances(held []holder) int {
	held = slices.Clone(held)
	order := func(a, b holder) int {
		r, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(a.pid), uintptr(b.pid), 0,
			number(a.fd), number(b.fd), 0)
		switch {
		case errno != 0:
			return cmp.Or(cmp.Compare(a.pid, b.pid), strings.Compare(a.fd, b.fd))
		case r == 0:
			return 0
		case r == 1:
			return -1
		}
		return 1
	}
	slices.SortFunc(held, order)
	return len(slices.CompactFunc(held, func(a, b holder) bool { return order(a, b) == 0 }))
}

func number(text string) uintptr {
	n, _ := strconv.ParseUint(text, 10, 32)
	return uintptr(n)
}

// sums adds up two lines like "RssAnon: 12 kB" of one file of each process, in bytes.
func sums(members []sample, file, own, shared string) (a, b uint64) {
	for _, s := range members {
		text, _ := os.ReadFile(proc.Dir(s.pid) + file)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 2 || f[0] != own && f[0] != shared {
				continue
			}
			kib, _ := strconv.ParseUint(f[1], 10, 64)
			if f[0] == own {
				a += kib << 10
			} else {
				b += kib << 10
			}
		}
	}
	return a, b
}
