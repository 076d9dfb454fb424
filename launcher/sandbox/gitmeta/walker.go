package gitmeta

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
)

// A Snapshot is what Git's folders below some roots held at one moment.
type Snapshot struct {
	// Incomplete is true when there were more names than were looked at.
	Incomplete bool
	// Kept are absolute paths that the command could not change: a change in them is another
	// program's work, and no Change.
	Kept []string
	// Careful is for a run beside which a person works: Undo then deletes nothing, but moves it
	// aside or leaves a copy.
	Careful bool

	most  int
	roots []*tree
	// other folders of hooks, and other configurations, that the repositories' own configurations
	// name
	hookDirs []place
	includes []place
	links    []link
}

// A tree is one root and the repositories in it, by their path below the root. Loose are files by
// their path that belong to Git because a configuration says so.
type tree struct {
	name, real string
	repos      map[string]repo
	loose      repo
}

// A repo is the telling files of one folder of Git's, by their path in it. A file .git that points
// elsewhere is one too, with the only file "".
type repo map[string]file

// A budget is what one look may still read: any other bound is a way for a command to blind it, or
// to fill our memory.
type budget struct{ names, bytes int }

// A walker goes through one root; root is nil when there is none.
type walker struct {
	snapshot *Snapshot
	root     *os.Root
	tree     *tree
	left     *budget
}

// plain reports whether dir is there and no part of it is a link.
func (w *walker) plain(dir string) bool {
	name := filepath.Join(w.tree.real, dir)
	real, err := filepath.EvalSymlinks(name)
	return err == nil && real == name
}

// A role is what a file is to Git.
type role int

// A file is one of them.
type file struct {
	role    role
	mode    fs.FileMode
	id      identity
	sum     [sha256.Size]byte // of the content, where it was read
	read    bool              // sum is true
	whole   bool              // data is all of it, or where the link points
	data    string
	outside bool // a file .git that points out of the roots
}

// A link is a file .git: the folder that it makes a work tree, and the repository that it points
// to.
type link struct{ top, target place }

// A place is a name below one of the roots.
type place struct {
	tree int
	name string
}
