package gitmeta

import (
	"bytes"
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"syscall"
)

const (
	aConfig   role = iota
	aHook          // a program
	aFolder        // one that such files lie in, when it is none
	aTodo          // the steps of a rebase that is under way
	aStrategy      // how it merges
	aCommon        // says where the repository of a worktree is
	aGitfile       // a file .git
	// says where the work tree of a worktree is; git worktree repair follows it, and runs nothing
	aBacklink
)

// telling are the files that tell what a repository runs, besides its hooks.
var telling = []struct {
	name string
	role role
}{
	{"config", aConfig}, {"config.worktree", aConfig}, {"commondir", aCommon},
	{"gitdir", aBacklink}, {"hooks", aFolder},
	{"rebase-merge", aFolder}, {"rebase-merge/git-rebase-todo", aTodo},
	{"rebase-merge/strategy", aStrategy},
	{"sequencer", aFolder}, {"sequencer/opts", aConfig},
}

const (
	maxFile = 1 << 20  // of a configuration; Git's own have a few hundred bytes
	maxKept = 64 << 10 // of a hook; of a larger one there is only the digest
	// maxBytes is all that one look reads: hundreds of sparse files would fill our memory, or hold
	// up the end of the run, for nothing.
	maxBytes = 8 << 20
)

// absent is the mode of what is not there.
const absent = fs.ModeIrregular

func (f file) executable() bool { return f.mode.IsRegular() && f.mode&0o111 != 0 }

func (f file) link() bool { return f.mode&fs.ModeSymlink != 0 }

// sameContent reports whether nothing was written between the two: by what was read, and where that
// was too much by what the kernel says of it.
func (f file) sameContent(old file) bool {
	if f.mode.Type() != old.mode.Type() || f.data != old.data && f.whole && old.whole {
		return false
	}
	if f.read && old.read {
		return f.sum == old.sum
	}
	return f.id == old.id
}

func same(a, b file) bool { return a.mode == b.mode && a.sameContent(b) }

// read returns a file; of what is not a plain file only the mode, and of a link where it points. A
// hook that cannot be executed is only a mode.
func (w *walker) read(name string, role role) file {
	st, err := w.root.Lstat(name)
	if err != nil {
		return file{role: role, mode: absent}
	}
	f := file{role: role, mode: st.Mode()}
	switch {
	case f.link():
		f.data, err = w.root.Readlink(name)
		f.whole = err == nil
	case f.mode.IsRegular() && (role != aHook || f.executable()):
		f.id = identify(st)
		if st.Size() <= int64(w.left.bytes) && (role == aHook || st.Size() <= maxFile) {
			w.fill(&f, name, st.Size())
		}
	}
	return f
}

// fill reads the content.
func (w *walker) fill(f *file, name string, size int64) {
	// Without waiting: between the two calls it may have become a pipe.
	in, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer in.Close()
	w.left.bytes -= int(size)
	digest := sha256.New()
	var text bytes.Buffer
	into := io.Writer(digest)
	keep := f.role != aHook || size <= maxKept
	if keep {
		into = io.MultiWriter(digest, &text)
	}
	if _, err := io.Copy(into, io.LimitReader(in, size)); err != nil {
		return
	}
	f.data, f.whole, f.read = text.String(), keep, true
	digest.Sum(f.sum[:0])
}
