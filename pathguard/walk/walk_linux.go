package walk

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// The bounds of the kernel's own walk: path_resolution(7), <linux/limits.h>.
const (
	PathMax  = 4096 // PATH_MAX, with the closing zero byte
	nameMax  = 255  // NAME_MAX
	maxLinks = 40   // MAXSYMLINKS
)

// steps is a walk in progress, one component at a time.
type steps struct {
	w       *Walker
	at      Dir // the present directory; its fd is borrowed from the walker unless owned
	owned   bool
	rest    []string
	missing []string
	links   []string
	crossed []ID
	follow  bool
	done    bool
	kind    Kind
	why     string
}

func (s *steps) step() {
	name := s.rest[0]
	s.rest = s.rest[1:]
	switch {
	case name == "..":
		s.up()
	case len(s.missing) > 0 || s.at.FD < 0:
		if !s.follows(name) {
			s.missing = append(s.missing, name)
		}
	case len(name) > nameMax:
		s.lost(name, "a name is longer than NAME_MAX")
	default:
		s.down(name)
	}
}

// up takes one "..". Below a directory that does not exist yet it is read as text: the
// kernel would refuse it now, but the script may make that directory first.
func (s *steps) up() {
	if n := len(s.missing); n > 0 {
		s.missing = s.missing[:n-1]
		return
	}
	if s.at.Path == "/" {
		return
	}
	parent := s.at.Path[:max(1, strings.LastIndexByte(s.at.Path, '/'))]
	if s.at.FD < 0 {
		s.at.Path = parent
		return
	}
	fd, err := unix.Openat(s.at.FD, "..", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		s.lost("..", reason(err))
		return
	}
	s.crossed = s.crossed[:max(0, len(s.crossed)-1)]
	s.move(Dir{fd, parent})
}

func (s *steps) down(name string) {
	if s.follows(name) {
		return
	}
	fd, err := unix.Openat(s.at.FD, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		s.lost(name, reason(err))
		return
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		s.lost(name, reason(err))
		return
	}
	if isLink(&st) && (len(s.rest) > 0 || s.follow) {
		s.link(fd, name)
		unix.Close(fd)
		return
	}
	if len(s.rest) > 0 {
		s.crossed = append(s.crossed, IDOf(&st))
	}
	s.move(Dir{fd, pathname.Join(s.at.Path, name)})
}

// follows goes through a link that the script itself makes before it uses this name:
// ln -s / x && cat x/etc/shadow.
func (s *steps) follows(name string) bool {
	if len(s.w.Made) == 0 || len(s.rest) == 0 && !s.follow {
		return false
	}
	path := pathname.Join(s.at.Path, strings.Join(append(s.missing, name), "/"))
	target, ok := s.w.Made[path]
	if !ok || len(s.links) >= maxLinks {
		return false
	}
	s.links = append(s.links, path)
	s.missing, s.rest = nil, append(pathname.Split(target), s.rest...)
	s.move(s.w.Root)
	s.owned = false
	return true
}

// link follows the symbolic link that fd holds. The links of procfs are not text: the
// kernel jumps to a file whatever readlink(2) says, so they are jumped too.
func (s *steps) link(fd int, name string) {
	path := pathname.Join(s.at.Path, name)
	s.links = append(s.links, path)
	if len(s.links) > maxLinks {
		s.lost(name, "too many levels of symbolic links")
		return
	}
	text, err := readlinkat(fd)
	if err != nil {
		s.lost(name, reason(err))
		return
	}
	if onProc(fd) {
		s.proc(path, name, text)
		return
	}
	s.rest = append(pathname.Split(text), s.rest...)
	if strings.HasPrefix(text, "/") {
		s.crossed = nil
		s.move(s.w.Root)
		s.owned = false
	}
}

// proc takes a link of procfs. /proc/self is the command's, not this process's: its directory is
// known, its descriptors are not.
func (s *steps) proc(path, name, text string) {
	own := path == "/proc/self" || path == "/proc/thread-self"
	if !own {
		if !magic(path) {
			s.rest = append(pathname.Split(text), s.rest...)
			return
		}
		s.jump(path, text)
		return
	}
	s.own(name)
}

// own continues below /proc/self by text: ".." leads from fd and from task/N back, while behind
// cwd, root and the descriptors it is the ".." of what they point to.
func (s *steps) own(self string) {
	var in []string // below /proc/self
	for ; len(s.rest) > 0; s.rest = s.rest[1:] {
		name := s.rest[0]
		process := len(in) == 0 || len(in) == 2 && in[0] == "task"
		switch {
		case name == ".." && len(in) == 0:
			s.rest = s.rest[1:]
			return // in /proc, the present directory
		case name == "..":
			if len(in) > 1 && in[len(in)-2] == "fd" {
				s.kind = Foreign // out of an unknown directory
			}
			in = in[:len(in)-1]
		case process && (name == "cwd" || name == "root"):
			s.rest = s.rest[1:]
			s.move(s.w.Root)
			if name == "cwd" {
				s.at = s.w.WorkDir
			}
			s.owned = false
			return
		default:
			in = append(in, name)
		}
	}
	if s.kind == Plain && (slices.Contains(in, "fd") || slices.Contains(in, "fdinfo")) {
		s.kind = Descriptor
	}
	s.missing = append([]string{"self"}, in...)
	if len(in) == 0 {
		s.missing[0] = self
	}
	s.done, s.why = true, "the command's own process"
}

// jump follows a link of another process to the very file that the kernel would reach.
func (s *steps) jump(path, text string) {
	s.kind = Foreign
	next, err := unix.Openat(s.at.FD, path[strings.LastIndexByte(path, '/')+1:],
		unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil || !strings.HasPrefix(text, "/") {
		if err == nil {
			unix.Close(next)
		}
		s.lost(path[strings.LastIndexByte(path, '/')+1:], "another process's file")
		s.done = true
		return
	}
	s.move(Dir{next, strings.TrimSuffix(text, " (deleted)")})
}

// move puts the walk on another spot. The spot is the walk's to close unless the caller
// says that it is borrowed.
func (s *steps) move(to Dir) {
	if s.owned {
		unix.Close(s.at.FD)
	}
	s.at, s.owned = to, true
}

// lost continues by text alone from a component that cannot be opened.
func (s *steps) lost(name, why string) {
	s.missing = append(s.missing, name)
	if s.why == "" {
		s.why = why
	}
}

func (s *steps) end() End {
	end := End{FD: -1, Real: s.at.Path, Links: s.links, Crossed: s.crossed, Kind: s.kind,
		Why:     s.why,
		Missing: strings.Join(append(s.missing, s.rest...), "/")}
	if end.Missing == "" {
		end.Why = ""
	}
	switch {
	case s.owned:
		end.FD = s.at.FD
	case s.at.FD >= 0:
		fd, err := unix.FcntlInt(uintptr(s.at.FD), unix.F_DUPFD_CLOEXEC, 0)
		if err == nil {
			end.FD = fd
		}
	}
	if end.FD >= 0 && unix.Fstat(end.FD, &end.Stat) != nil {
		unix.Close(end.FD)
		end.FD = -1
	}
	return end
}

// reason names what stopped a walk. A missing component is no reason: it may be made.
func reason(err error) string {
	if errors.Is(err, unix.ENOENT) {
		return ""
	}
	return err.Error()
}

func readlinkat(fd int) (string, error) {
	var buf [PathMax]byte
	n, err := unix.Readlinkat(fd, "", buf[:])
	if err != nil {
		return "", err
	}
	if n == 0 {
		return "", unix.ENOENT
	}
	return string(buf[:n]), nil
}

func onProc(fd int) bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.PROC_SUPER_MAGIC
}

// magic reports whether a link below /proc jumps to a file: proc(5). The few others are text.
func magic(path string) bool {
	switch path {
	case "/proc/self", "/proc/thread-self", "/proc/net", "/proc/mounts":
		return false
	}
	return true
}

// Walk goes where the kernel would go for name, starting in from. With follow a symbolic
// link at the very end is followed too; "link/" and "link/." follow in any case.
// The file at the end is the caller's to close.
func (w *Walker) Walk(from Dir, name string, follow bool) End {
	if len(name) >= PathMax {
		return End{FD: -1, Real: from.Path, Missing: name, Why: "the name is longer than PATH_MAX"}
	}
	if strings.HasPrefix(name, "/") {
		from = w.Root
	}
	if from.FD >= 0 && !strings.Contains(name, "..") && len(w.Made) == 0 {
		if end, ok := w.straight(from, name, follow); ok {
			return end
		}
	}
	s := steps{w: w, at: from, rest: pathname.Split(name), follow: follow || trails(name)}
	for len(s.rest) > 0 && !s.done {
		s.step()
	}
	return s.end()
}
