package undo

import "strconv"

// A book is the content of a journal. The journal of a run that goes on and the reader fill it in
// the same way.
type book struct {
	head    head
	folders []*folder
	inodes  []*inode
	entries []*entry
	renewed [][2]ID // what an undo made anew: before and now
	lacks   []Lack
	end     *end

	at int // the offset of the record that is read
}

type head struct {
	run    string
	start  int64    // of the clock that file systems use, nanoseconds
	of     []string // the runs that this one undoes, the last first
	places []string // folders with pre-images
}

// A folder is one whose entries or inodes are noted, or that leads to one. A tree has no parent,
// and its name is a path.
type folder struct {
	n       int // its number, from 1
	at      *folder
	name    string
	before  State
	touched bool // an entry in it is noted
	left    *State

	also  []location // where it was seen or moved to later
	fd    int        // of this process, 0 if it is not open
	mount uint64     // where fd was opened
}

// A location is where an entry is.
type location struct {
	in   *folder
	name string
}

// path is where the folder was when it was first noted.
func (f *folder) path() string {
	if f.at == nil {
		return f.name
	}
	return join(f.at.path(), f.name)
}

// join is the path of an entry, or for "." that of the folder.
func join(dir, name string) string {
	if name == "." {
		return dir
	}
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}

// An inode is one that was there before the run.
type inode struct {
	n          int
	at         *folder // where it was when it was first noted, nil if that is not known
	name       string
	before     State
	attributes []attribute
	also       []location // other names that it had when it was changed
	marked     bool       // the attributes are noted, and the metadata may be changed
	held       object     // the inode itself
	copied     object     // its content
	left       *State
	leftMarks  []attribute
}

// places are where an inode was when it was noted.
func (i *inode) places() []location { return append([]location{{i.at, i.name}}, i.also...) }

// An object is a pre-image: the file with that number in the run's folder of a place. Short content
// is in the journal itself, at that offset; place is its length then.
type object struct {
	kind  byte
	place int
	n     int64
}

// noObject is the number before that of a run's first object. A file system such as ext4 searches a
// block of a folder name by name, and fewer names are in one if they are long.
const noObject = 1e18

func (o object) file() string { return strconv.FormatInt(o.n, 10) }

// The kinds of objects.
const (
	objectLink  = 'l' // a hard link of the inode
	objectCopy  = 'c' // a copy of its content
	objectStage = 's' // the inode itself, moved there by an undo
	objectShort = 'j' // its content, in the journal
)

// An entry is a name in a folder.
type entry struct {
	in     *folder
	name   string
	before *inode // nil if there was none
	left   State
	closed bool // left is set
}

func (e *entry) path() string { return join(e.in.path(), e.name) }

// A Lack is a change that cannot be undone.
type Lack struct{ Path, Why string }

type end struct {
	kept   int64 // bytes, as the quota counts
	walked bool  // the trees were looked through to the end
}
