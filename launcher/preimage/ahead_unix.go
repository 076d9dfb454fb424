//go:build linux || darwin

package preimage

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// maxAhead is how many files are kept before a command starts.
const maxAhead = 20_000

// Ahead keeps what a command line names before its command starts, for a system where nothing
// announces its changes: a file that it may write, or a tree that it may remove whole (goes). What
// changes besides is found at the end, and is missing from the undo.
func (r *Run) Ahead(name string, goes bool) {
	if r == nil || !filepath.IsAbs(name) || name == "/" {
		return
	}
	if !r.covers(filepath.Dir(name)) {
		r.Miss(name, "it is in no folder of which something is kept")
		return
	}
	a := ahead{Run: r, left: maxAhead}
	if a.keep(filepath.Clean(name), goes); a.left <= 0 {
		r.Miss(name, "it has too many files to keep them before the command starts")
	}
}

// ahead is a walk over what may go.
type ahead struct {
	*Run
	left int
}

func (a *ahead) keep(name string, goes bool) {
	if a.left--; a.left <= 0 {
		return
	}
	in, entry := filepath.Dir(name), filepath.Base(name)
	folder, err := unix.Open(in, forNothing|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		a.Miss(name, err.Error())
		return
	}
	defer unix.Close(folder)
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		_ = a.Make(folder, in, entry) // an error of it is noted
		return
	case info.IsDir() && !goes:
		return // what is made in it is found at the end
	case info.IsDir():
		a.below(name)
	case info.Mode().IsRegular():
		a.content(name)
	}
	_ = a.Remove(folder, in, entry)
}

// below keeps what is in a folder. What cannot be read could not be removed either.
func (a *ahead) below(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		a.Miss(folder, err.Error())
	}
	for _, e := range entries {
		a.keep(filepath.Join(folder, e.Name()), true)
	}
}

// content keeps what is in a file: it could be written in place.
func (a *ahead) content(name string) {
	fd, err := unix.Open(name, theEntry|unix.O_CLOEXEC, 0)
	if err != nil {
		a.Miss(name, err.Error())
		return
	}
	file := os.NewFile(uintptr(fd), name)
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Mode()&fs.ModeType == 0 {
		_ = a.Write(fd, name)
	}
}
