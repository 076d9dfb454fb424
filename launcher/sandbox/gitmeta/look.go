package gitmeta

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// Most is a bound for Look that covers nearly every work tree and takes some tens of milliseconds.
const Most = 50000

// A Snapshot is what Git's folders below some roots held at one moment.
type Snapshot struct {
	// Incomplete is true when there were more names than were looked at.
	Incomplete bool

	most  int
	roots []*tree
}

// A tree is one root and the repositories in it, by their path below the root.
type tree struct {
	name  string
	repos map[string]repo
}

// A repo is the telling files of one folder of Git's, by their path in it. A file .git that points elsewhere is one too, with the only file "".
type repo map[string]file

// A file is one of them. What is larger than any such file needs to be is not kept and counts as unreadable.
type file struct {
	mode fs.FileMode
	data string
}

const maxFile = 1 << 20

func (f file) executable() bool { return f.mode.IsRegular() && f.mode&0o111 != 0 }

// Look looks at every repository at or below roots, which are directories. It reads at most most names, near ones first.
func Look(roots []string, most int) *Snapshot {
	s := &Snapshot{most: most}
	left := most
	for _, name := range roots {
		t := &tree{name: name, repos: map[string]repo{}}
		s.roots = append(s.roots, t)
		root, err := os.OpenRoot(name)
		if err != nil {
			continue // nothing that could be read later either
		}
		w := walker{root: root, tree: t, left: &left}
		w.walk()
		s.Incomplete = s.Incomplete || left <= 0
		root.Close()
	}
	return s
}

// A walker goes through one root.
type walker struct {
	root *os.Root
	tree *tree
	left *int
}

// walk looks through the folders, breadth first.
func (w *walker) walk() {
	queue := []string{"."}
	for len(queue) > 0 && *w.left > 0 {
		dir := queue[0]
		queue = queue[1:]
		names := map[string]fs.FileMode{}
		for _, e := range w.list(dir) {
			names[e.Name()] = e.Type()
		}
		if looksBare(names) {
			w.repo(dir)
			continue
		}
		for name, mode := range names {
			full := path.Join(dir, name)
			switch {
			case name == ".git" && mode.IsDir():
				w.repo(full)
			case name == ".git":
				w.tree.repos[full] = repo{"": w.read(full)}
			case mode.IsDir():
				queue = append(queue, full)
			}
		}
	}
}

// looksBare reports whether Git would take a folder with these names for a repository. A linked HEAD counts, as in Git.
func looksBare(names map[string]fs.FileMode) bool {
	_, head := names["HEAD"]
	_, objects := names["objects"]
	_, refs := names["refs"]
	_, common := names["commondir"]
	return head && (objects && refs || common)
}

// repo reads the telling files of a folder of Git's, and of those inside it.
func (w *walker) repo(dir string) {
	r := repo{}
	w.tree.repos[dir] = r
	for _, name := range []string{"config", "config.worktree", "commondir", "gitdir", "hooks"} {
		if f := w.read(path.Join(dir, name)); f.mode != absent && !(name == "hooks" && f.mode.IsDir()) {
			r[name] = f
		}
	}
	for _, e := range w.list(path.Join(dir, "hooks")) {
		if !strings.HasSuffix(e.Name(), ".sample") {
			r["hooks/"+e.Name()] = w.read(path.Join(dir, "hooks", e.Name()))
		}
	}
	for _, e := range w.list(path.Join(dir, "worktrees")) {
		if e.IsDir() {
			w.repo(path.Join(dir, "worktrees", e.Name()))
		}
	}
	w.modules(path.Join(dir, "modules"))
}

// modules finds the repositories of submodules; their names may have slashes.
func (w *walker) modules(dir string) {
	for _, e := range w.list(dir) {
		if !e.IsDir() {
			continue
		}
		sub := path.Join(dir, e.Name())
		if _, err := w.root.Lstat(path.Join(sub, "HEAD")); err == nil {
			w.repo(sub)
		} else {
			w.modules(sub)
		}
	}
}

// list returns the names in a folder that is no link, or nothing.
func (w *walker) list(dir string) []fs.DirEntry {
	if *w.left <= 0 {
		return nil
	}
	// By name, because that is one call to the kernel where a Root makes one for each part; no part is a link, as each was listed as a folder.
	f, err := os.OpenFile(filepath.Join(w.tree.name, dir), os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(*w.left)
	*w.left -= len(entries)
	return entries
}

// absent is the mode of what is not there.
const absent = fs.ModeIrregular

// read returns a file; of what is not a plain file only the mode, and of a link where it points.
func (w *walker) read(name string) file {
	st, err := w.root.Lstat(name)
	if err != nil {
		return file{mode: absent}
	}
	f := file{mode: st.Mode()}
	if st.Mode().Type() == fs.ModeSymlink {
		f.data, _ = w.root.Readlink(name)
		return f
	}
	if !st.Mode().IsRegular() || st.Size() > maxFile {
		return f
	}
	// Without waiting: between the two calls it may have become a pipe.
	in, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return f
	}
	defer in.Close()
	data, _ := io.ReadAll(io.LimitReader(in, maxFile))
	f.data = string(data)
	return f
}
