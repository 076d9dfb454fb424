//go:build amd64 || arm64

package broker

import (
	"bytes"
	"path"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/dirent"
)

// linkCounts are how many names files have in the trees, of those with more than one there.
type linkCounts struct {
	began  time.Time
	names  map[Identity]uint32
	looked int  // entries
	whole  bool // nothing was left out
	fresh  bool // made for the file that is judged
}

// A linkWalk is a walk through the trees. Each folder is looked at once, whatever is moved
// meanwhile, and no other file system.
type linkWalk struct {
	linkCounts
	trees *trees
	most  int
	seen  map[Identity]bool
	found map[uint64][]uint64 // the numbers of the files of each device, once for each name
	space []byte
}

// walkBuffer holds the entries of most folders, so that one call reads them all at a time.
const walkBuffer = 64 << 10

func countLinks(t *trees, most int) *linkCounts {
	w := &linkWalk{trees: t, most: most, seen: map[Identity]bool{},
		found: map[uint64][]uint64{}, space: make([]byte, walkBuffer)}
	w.began, w.whole, w.fresh, w.names = time.Now(), true, true, map[Identity]uint32{}
	for _, root := range t.roots {
		_ = Control(root.File, func(fd int) error {
			w.folder(fd, ".", root.Name(), 0)
			return nil
		})
	}
	for dev, numbers := range w.found {
		slices.Sort(numbers)
		for i := 1; i < len(numbers); i++ {
			if id := (Identity{dev, numbers[i]}); numbers[i] == numbers[i-1] {
				w.names[id] = max(w.names[id], 1) + 1
			}
		}
	}
	return &w.linkCounts
}

// maxDeep bounds the folders in one another, each of which is open.
const maxDeep = 128

func (w *linkWalk) folder(in int, name, full string, deep int) {
	fd, err := unix.Openat2(in, name, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		w.whole = w.whole && err == unix.ENOTDIR // a tree that is one file
		return
	}
	defer unix.Close(fd)
	var st unix.Statx_t
	if statx(fd, "", &st) != nil || deep > maxDeep {
		w.whole = false
		return
	}
	id := identify(&st)
	if w.seen[id] {
		return
	}
	w.seen[id] = true
	var folders []string
	for _, e := range w.entries(fd) {
		switch at := path.Join(full, e.name); {
		case !w.trees.spares(at):
		case e.kind == unix.DT_REG:
			w.found[id.Dev] = append(w.found[id.Dev], e.number)
		case e.kind == unix.DT_DIR:
			folders = append(folders, e.name)
		case e.kind == unix.DT_UNKNOWN:
			w.whole = false
		}
	}
	for _, name := range folders {
		if w.looked >= w.most {
			w.whole = false
			return
		}
		w.folder(fd, name, path.Join(full, name), deep+1)
	}
}

type walkEntry struct {
	number uint64
	kind   byte
	name   string
}

// entries lists a folder, each name once: while a listing goes on the kernel may move entries.
func (w *linkWalk) entries(fd int) (list []walkEntry) {
	calls := 0
	for {
		n, err := unix.Getdents(fd, w.space)
		if err != nil {
			w.whole = false
		}
		if n <= 0 {
			break
		}
		calls++
		for e, rest, ok := dirent.Next(w.space[:n]); ok; e, rest, ok = dirent.Next(rest) {
			list = append(list, walkEntry{e.Number, e.Kind, string(e.Name)})
		}
	}
	w.looked += len(list) + 1
	if calls > 1 {
		slices.SortFunc(list, func(a, b walkEntry) int {
			return bytes.Compare([]byte(a.name), []byte(b.name))
		})
		list = slices.CompactFunc(list, func(a, b walkEntry) bool { return a.name == b.name })
	}
	return list
}
