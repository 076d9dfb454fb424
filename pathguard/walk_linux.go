package pathguard

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The bounds of the kernel's own walk: path_resolution(7), <linux/limits.h>.
const (
	pathMax  = 4096 // PATH_MAX, with the closing zero byte
	nameMax  = 255  // NAME_MAX
	maxLinks = 40   // MAXSYMLINKS
)

// A walker resolves names against one view of the root directory.
type walker struct {
	root spot
	cwd  spot              // what /proc/self/cwd means for the command
	made map[string]string // links that the script makes before it uses them, by their path
}

func newWalker() (*walker, error) {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/", Err: err}
	}
	return &walker{root: spot{fd, "/"}, cwd: spot{-1, "/"}}, nil
}

func (w *walker) close() { unix.Close(w.root.fd) }

// walk goes where the kernel would go for name, starting in from. With follow a symbolic
// link at the very end is followed too; "link/" and "link/." follow in any case.
// The file at the end is the caller's to close.
func (w *walker) walk(from spot, name string, follow bool) way {
	if len(name) >= pathMax {
		return way{fd: -1, real: from.path, missing: name, why: "the name is longer than PATH_MAX"}
	}
	if strings.HasPrefix(name, "/") {
		from = w.root
	}
	if from.fd >= 0 && !strings.Contains(name, "..") && len(w.made) == 0 {
		if end, ok := w.straight(from, name, follow); ok {
			return end
		}
	}
	s := steps{w: w, at: from, rest: split(name), follow: follow || trails(name)}
	for len(s.rest) > 0 && !s.done {
		s.step()
	}
	return s.end()
}

// straight asks the kernel for the whole way at once, and refuses every way on which a
// link or a mount could change what the path says. Most names take it: one system call
// instead of one for each component.
func (w *walker) straight(from spot, name string, follow bool) (way, bool) {
	clean := cleaned(name)
	path := join(from.path, clean)
	if clean == "" {
		clean = "."
	}
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	fd, err := unix.Openat2(from.fd, clean, &how)
	if err == unix.ENOENT && clean != "." {
		return absent(from, clean, how)
	}
	if err != nil {
		return way{}, false
	}
	end := way{fd: fd, real: path}
	if err := unix.Fstat(fd, &end.stat); err != nil || isLink(&end.stat) && (follow || trails(name)) {
		unix.Close(fd)
		return way{}, false
	}
	return end, true
}

// cleaned is a name without the slashes and dots that lead nowhere. Most names have none.
func cleaned(name string) string {
	name = strings.TrimPrefix(name, "/")
	for rest, more := name, true; more; {
		var part string
		if part, rest, more = strings.Cut(rest, "/"); part == "" || part == "." {
			return strings.Join(split(name), "/")
		}
	}
	return name
}

// absent is the straight way to a name of which only the last component is missing: what a
// command is about to make.
func absent(from spot, clean string, how unix.OpenHow) (way, bool) {
	dir, base := ".", clean
	if cut := strings.LastIndexByte(clean, '/'); cut >= 0 {
		dir, base = clean[:cut], clean[cut+1:]
	}
	how.Flags |= unix.O_DIRECTORY
	fd, err := unix.Openat2(from.fd, dir, &how)
	if err != nil {
		return way{}, false
	}
	end := way{fd: fd, real: from.path, missing: base}
	if dir != "." {
		end.real = join(from.path, dir)
	}
	var st unix.Stat_t
	if unix.Fstatat(fd, base, &st, unix.AT_SYMLINK_NOFOLLOW) != unix.ENOENT || unix.Fstat(fd, &end.stat) != nil {
		unix.Close(fd) // it came to be in between
		return way{}, false
	}
	return end, true
}

// steps is a walk in progress, one component at a time.
type steps struct {
	w       *walker
	at      spot // where the walk stands; its fd is borrowed from the walker unless owned
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
	case len(s.missing) > 0 || s.at.fd < 0:
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
	if s.at.path == "/" {
		return
	}
	parent := s.at.path[:max(1, strings.LastIndexByte(s.at.path, '/'))]
	if s.at.fd < 0 {
		s.at.path = parent
		return
	}
	fd, err := unix.Openat(s.at.fd, "..", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		s.lost("..", reason(err))
		return
	}
	s.crossed = s.crossed[:max(0, len(s.crossed)-1)]
	s.move(spot{fd, parent})
}

func (s *steps) down(name string) {
	if s.follows(name) {
		return
	}
	fd, err := unix.Openat(s.at.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
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
		s.crossed = append(s.crossed, ID{uint64(st.Dev), st.Ino})
	}
	s.move(spot{fd, join(s.at.path, name)})
}

// follows goes through a link that the script itself makes before it uses this name:
// ln -s / x && cat x/etc/shadow.
func (s *steps) follows(name string) bool {
	if len(s.w.made) == 0 || len(s.rest) == 0 && !s.follow {
		return false
	}
	path := join(s.at.path, strings.Join(append(s.missing, name), "/"))
	target, ok := s.w.made[path]
	if !ok || len(s.links) >= maxLinks {
		return false
	}
	s.links = append(s.links, path)
	s.missing, s.rest = nil, append(split(target), s.rest...)
	s.move(s.w.root)
	s.owned = false
	return true
}

// link follows the symbolic link that fd holds. The links of procfs are not text: the
// kernel jumps to a file whatever readlink(2) says, so they are jumped too.
func (s *steps) link(fd int, name string) {
	path := join(s.at.path, name)
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
	s.rest = append(split(text), s.rest...)
	if strings.HasPrefix(text, "/") {
		s.crossed = nil
		s.move(s.w.root)
		s.owned = false
	}
}

// proc takes a link of procfs. What stands below /proc/self is the command's own, not
// this process's: its directory is known, its descriptors are its own affair.
func (s *steps) proc(path, name, text string) {
	own := path == "/proc/self" || path == "/proc/thread-self"
	if !own {
		if !magic(path) {
			s.rest = append(split(text), s.rest...)
			return
		}
		s.jump(path, text)
		return
	}
	s.own(name)
}

// own goes on below /proc/self by text: ".." there leads from fd and from task/N back, while
// behind cwd, root and the descriptors it is the ".." of what they point to.
func (s *steps) own(self string) {
	var in []string // below /proc/self
	for ; len(s.rest) > 0; s.rest = s.rest[1:] {
		name := s.rest[0]
		process := len(in) == 0 || len(in) == 2 && in[0] == "task"
		switch {
		case name == ".." && len(in) == 0:
			s.rest = s.rest[1:]
			return // in /proc, where the walk stands
		case name == "..":
			if len(in) > 1 && in[len(in)-2] == "fd" {
				s.kind = Foreign // out of a directory that nobody here knows
			}
			in = in[:len(in)-1]
		case process && (name == "cwd" || name == "root"):
			s.rest = s.rest[1:]
			s.move(s.w.root)
			if name == "cwd" {
				s.at = s.w.cwd
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
	next, err := unix.Openat(s.at.fd, path[strings.LastIndexByte(path, '/')+1:], unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil || !strings.HasPrefix(text, "/") {
		if err == nil {
			unix.Close(next)
		}
		s.lost(path[strings.LastIndexByte(path, '/')+1:], "another process's file")
		s.done = true
		return
	}
	s.move(spot{next, strings.TrimSuffix(text, " (deleted)")})
}

// move puts the walk on another spot. The spot is the walk's to close unless the caller
// says that it is borrowed.
func (s *steps) move(to spot) {
	if s.owned {
		unix.Close(s.at.fd)
	}
	s.at, s.owned = to, true
}

// lost goes on by text alone from a component that cannot be opened.
func (s *steps) lost(name, why string) {
	s.missing = append(s.missing, name)
	if s.why == "" {
		s.why = why
	}
}

func (s *steps) end() way {
	end := way{fd: -1, real: s.at.path, links: s.links, crossed: s.crossed, kind: s.kind, why: s.why,
		missing: strings.Join(append(s.missing, s.rest...), "/")}
	if end.missing == "" {
		end.why = ""
	}
	switch {
	case s.owned:
		end.fd = s.at.fd
	case s.at.fd >= 0:
		fd, err := unix.FcntlInt(uintptr(s.at.fd), unix.F_DUPFD_CLOEXEC, 0)
		if err == nil {
			end.fd = fd
		}
	}
	if end.fd >= 0 && unix.Fstat(end.fd, &end.stat) != nil {
		unix.Close(end.fd)
		end.fd = -1
	}
	return end
}

// trails reports whether a name goes on behind its last component, so that a link there is
// never the end of the way.
func trails(name string) bool { return strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.") }

func isLink(st *unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFLNK }

// reason names what stopped a walk. A missing component is no reason: it may be made.
func reason(err error) string {
	if errors.Is(err, unix.ENOENT) {
		return ""
	}
	return err.Error()
}

func readlinkat(fd int) (string, error) {
	var buf [pathMax]byte
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
