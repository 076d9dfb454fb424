//go:build amd64 || arm64

package broker

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// writing are the flags of open that change something or allow to.
const (
	writing = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC | nameless
	// nameless is O_TMPFILE without O_DIRECTORY.
	nameless = unix.O_TMPFILE &^ unix.O_DIRECTORY
)

// exclusive are the flags of an open that only makes a file.
const exclusive = unix.O_CREAT | unix.O_EXCL

// permission are the bits of a mode that an entry in the view may have: none that lends rights.
const permission = 0o777

// Ways in which a call is not answered by a result.
const (
	errElsewhere = unix.Errno(1<<20 + iota) // the kernel alone decides
	errApart                                // the name is not in the view: so does it then
	errSlow                                 // it takes a look at a disk or farther
	errAgain                                // something came in between
	errLink                                 // a symbolic link is there
)

// A fileChange is what a system call does to entries.
type fileChange int

const (
	changesNothing fileChange = iota
	makes
	removes
	moves
	links
	opens // and may make
	cuts
)

// A fileCall is one system call, and the places of its arguments; -1 is none.
type fileCall struct {
	nr        uint32
	at, path  int // at -1: the working directory
	to, other int // the second name
	flags     int
	mode      int
	fixed     uint64 // flags that the call itself means
	does      fileChange
	act       func(f *files, r *fileRequest) (fd int, err error)
}

// A fileRequest is one call with its arguments, which were copied once.
type fileRequest struct {
	*call
	*fileCall
	first, second string
	flags, mode   uint32
	tree          bool   // a folder is to be made
	cached        uint64 // resolveCached, or 0 when it may take time
	announced     bool   // see capture
	forks         bool   // they are held
	looks         bool   // what is at the name is looked at next, see openNamed
	cwd           string // the caller's working directory, once it was looked up
}

// holdForks keeps the launcher from starting a process until the call is answered. It would have
// the descriptor that is handed over until it executes its program (see give), and a file that is
// open for writing cannot be executed. The launcher does not wait for a slow file system, where the
// handle at is of something; -1 is known to be on none.
func (r *fileRequest) holdForks(at int) {
	if !r.forks && (at < 0 || !isSlow(at)) {
		syscall.ForkLock.RLock()
		r.forks = true
	}
}

func (r *fileRequest) letForks() {
	if r.forks {
		syscall.ForkLock.RUnlock()
		r.forks = false
	}
}

// copy reads the arguments.
func (r *fileRequest) copy() (err error) {
	r.flags = uint32(r.fixed)
	if i := r.fileCall.flags; i >= 0 {
		r.flags |= uint32(r.Args[i])
	}
	if i := r.fileCall.mode; i >= 0 {
		r.mode = uint32(r.Args[i])
	}
	if r.path >= 0 {
		if r.first, err = r.text(r.Args[r.path], unix.PathMax); err != nil {
			return err
		}
	}
	if r.other >= 0 {
		r.second, err = r.text(r.Args[r.other], unix.PathMax)
	}
	return err
}

// full is path as an absolute name. The lookup of the names in it starts from there. The caller's
// directory may be moved in that time; that changes nothing, because the decision is about the
// object that is found.
func (r *fileRequest) full(at int, path string) (string, error) {
	from := "cwd"
	switch link, rest := below(path); {
	case path == "":
		return "", errElsewhere
	case link != "":
		from, path = link, rest
	case path[0] == '/':
		return path, nil
	case at >= 0 && int32(r.Args[at]) != unix.AT_FDCWD:
		from = "fd/" + strconv.Itoa(int(int32(r.Args[at])))
	}
	base, err := r.directory(from)
	if err != nil || base == "" || base[0] != '/' {
		return "", errElsewhere
	}
	return base + "/" + path, nil
}

// directory returns the name of one of the caller's directories. It looks its working directory up
// once, as the kernel does; the next call may be made in another.
func (r *fileRequest) directory(link string) (string, error) {
	if link == "cwd" && r.cwd != "" {
		return r.cwd, nil
	}
	name, err := os.Readlink(r.process() + link)
	if link == "cwd" {
		r.cwd = name
	}
	return name, err
}

// outside reports whether no name that begins so leads into the view: devices above all, which are
// written to all the time. What the kernel makes up about processes leads to the process that
// looks; see descriptor.
func outside(path string) bool {
	for _, dir := range []string{"/dev/", "/proc/", "/sys/"} {
		if rest, ok := strings.CutPrefix(path, dir); ok {
			return !(dir == "/dev/" && strings.HasPrefix(rest, "shm")) &&
				!strings.Contains(rest, "..")
		}
	}
	return false
}

// descriptor returns the number of the caller's own descriptor that path means.
func descriptor(path string) (number string, ok bool) {
	switch path {
	case "/dev/stdin":
		return "0", true
	case "/dev/stdout":
		return "1", true
	case "/dev/stderr":
		return "2", true
	}
	for _, self := range ownDescriptors {
		if number, ok := strings.CutPrefix(path, self); ok {
			_, err := strconv.ParseUint(number, 10, 31)
			return number, err == nil
		}
	}
	return "", false
}

// below returns the link of the caller's own in /proc that path begins with, "" for none, and what
// follows: Claude Code opens names in a directory so.
func below(path string) (link, rest string) {
	for _, self := range ownDescriptors {
		if after, ok := strings.CutPrefix(path, self); ok {
			number, rest, _ := strings.Cut(after, "/")
			if _, err := strconv.ParseUint(number, 10, 31); err == nil && rest != "" {
				return "fd/" + number, rest
			}
		}
	}
	for _, self := range []string{"/proc/self/cwd/", "/proc/thread-self/cwd/"} {
		if rest, ok := strings.CutPrefix(path, self); ok && rest != "" {
			return "cwd", rest
		}
	}
	return "", path
}

// ownDescriptors are where a process finds its own.
var ownDescriptors = []string{"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"}
