package walk

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// A Disk reports what is behind the names of a policy, for one question. A directory that many
// names share is listed once instead of looking up each name: a start has time for some ten system
// calls here, not for some hundred.
type Disk struct {
	walks *Walker // see walker
	lists map[string]*listing
	dirs  map[string]string // real paths of directories with a link on their way
	buf   []byte            // of readEntries
}

// A listing is what a directory holds.
type listing struct {
	Entries []entry
	types   map[string]uint8
	partial bool // it could not be read, or not to the end
}

func OpenDisk() *Disk { return &Disk{lists: map[string]*listing{}, dirs: map[string]string{}} }

// walker is opened when it is first asked for. It is nil when not even / can be opened; then
// nothing exists.
func (d *Disk) walker() *Walker {
	if d.walks == nil {
		d.walks, _ = New()
	}
	return d.walks
}

func (d *Disk) Close() {
	if d.walks != nil {
		d.walks.Close()
	}
}

// Real returns the path of a name without a symbolic link, by text as far as the name
// does not exist, and its inode when it exists.
func (d *Disk) Real(name string) (string, ID, bool) {
	w := d.walker()
	if w == nil {
		return name, ID{}, false
	}
	end := w.Walk(w.Root, name, true)
	end.Close()
	return pathname.Join(end.Real, end.Missing), end.ID(), end.Exists()
}

// List reads a directory, once.
func (d *Disk) List(dir string) *listing {
	if l, ok := d.lists[dir]; ok {
		return l
	}
	l := &listing{}
	d.lists[dir] = l
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		l.partial = err != unix.ENOENT && err != unix.ENOTDIR
		return l
	}
	defer unix.Close(fd)
	if d.buf == nil {
		d.buf = make([]byte, 8<<10)
	}
	l.Entries, err = readEntries(fd, d.buf)
	l.partial = err != nil || len(l.Entries) >= MaxListed
	return l
}

// typeOf returns the type of one name, from an index that is made when it is first asked for.
func (l *listing) typeOf(name string) (uint8, bool) {
	if l.types == nil {
		l.types = make(map[string]uint8, len(l.Entries))
		for _, e := range l.Entries {
			l.types[e.Name] = e.Kind
		}
	}
	kind, ok := l.types[name]
	return kind, ok
}

// Below adds what exists under a name in a directory that has no link in its own path. The
// components of the name may be patterns.
func (d *Disk) Below(out []string, dir, name string) []string {
	part, rest, more := strings.Cut(name, "/")
	l := d.List(dir)
	if strings.ContainsAny(part, `*?[\`) {
		w, err := pathname.Compile(part)
		for i := 0; i < len(l.Entries) && err == nil; i++ {
			if e := l.Entries[i]; w.Match(e.Name) {
				out = d.entry(out, dir, e.Name, e.Kind, rest, more)
			}
		}
		return out
	}
	kind, ok := l.typeOf(part)
	switch {
	case ok:
		return d.entry(out, dir, part, kind, rest, more)
	case l.partial:
		return d.absolute(out, pathname.Join(dir, name))
	}
	return out
}

func (d *Disk) entry(out []string, dir, name string, kind uint8, rest string, more bool) []string {
	full := pathname.Join(dir, name)
	switch {
	case kind == unix.DT_LNK || kind == unix.DT_UNKNOWN: // some file systems tell no type
		if more {
			full = pathname.Join(full, rest)
		}
		return d.absolute(out, full)
	case !more:
		return append(out, full)
	case kind != unix.DT_DIR:
		return out
	case slices.Contains(crowded, name) || strings.ContainsAny(rest, `*?[\`):
		return d.Below(out, full, rest)
	}
	return d.absolute(out, pathname.Join(full, rest))
}

// crowded are the directories of a home in which so many names are asked for that one
// listing costs less.
var crowded = []string{".config", ".cache", ".gradle", ".julia"}

// absolute adds the real path of a name if it exists. A name without a link on its way is its own
// real path, and one system call is enough to know.
func (d *Disk) absolute(out []string, name string) []string {
	w := d.walker()
	if w == nil || len(name) < 2 || name[0] != '/' {
		return out
	}
	if at := strings.IndexAny(name, `*?[\`); at >= 0 {
		cut := strings.LastIndexByte(name[:at], '/')
		dir, _, ok := d.Real(name[:max(cut, 1)])
		if !ok {
			return out
		}
		return d.Below(out, dir, name[cut+1:])
	}
	switch err := isThere(w.Root.FD, name[1:]); err {
	case nil:
		return append(out, name)
	case unix.ENOENT, unix.ENOTDIR, unix.EACCES:
		return out
	}
	cut := strings.LastIndexByte(name, '/') // /var/run/a and /var/run/b have the link in common
	dir, known := d.dirs[name[:cut]]
	if !known {
		dir, _, _ = d.Real(name[:max(cut, 1)])
		d.dirs[name[:cut]] = dir
	}
	if dir != name[:cut] && dir != "/" {
		return d.absolute(out, pathname.Join(dir, name[cut+1:]))
	}
	if real, _, ok := d.Real(name); ok {
		return append(out, real)
	}
	return out
}

// Existing adds the real paths of those names that exist: absolute ones, and those that
// start with "~/" in each of the homes.
func (d *Disk) Existing(out []string, homes []string, names ...string) []string {
	for _, name := range names {
		rest, own := strings.CutPrefix(name, "~/")
		switch {
		case own:
			for _, h := range homes {
				out = d.Below(out, h, rest)
			}
		case name == "~":
			out = append(out, homes...)
		case name[0] == '/':
			out = d.absolute(out, name)
		}
	}
	return out
}
