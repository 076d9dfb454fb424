package walk

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// procLink takes a link of procfs, and reports whether it is one. /proc/self is the command's, not
// this process's: its directory is known, its descriptors are not.
func (s *steps) procLink(at Dir, name, text string) bool {
	switch path := at.Path; {
	case !onProc(at.FD):
		return false
	case path == "/proc/self" || path == "/proc/thread-self":
		s.own(name)
	case !magic(path):
		s.rest = append(pathname.Split(text), s.rest...)
	default:
		s.jump(path, text)
	}
	return true
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
