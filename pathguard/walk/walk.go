package walk

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

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
	above, err := openParent(s.at, parent)
	if err != nil {
		s.lost("..", reason(err))
		return
	}
	s.crossed = s.crossed[:max(0, len(s.crossed)-1)]
	s.move(above)
}

func (s *steps) down(name string) {
	if s.follows(name) {
		return
	}
	if kind, why := apart(s.at.Path, name); why != "" {
		if s.kind, s.done = kind, true; slices.Contains(s.rest, "..") {
			s.kind = Foreign // out of what is not known
		}
		s.lost(name, why)
		return
	}
	var st unix.Stat_t
	to, err := openItself(s.at, name, &st)
	if err != nil {
		s.lost(name, reason(err))
		return
	}
	if isLink(&st) && (len(s.rest) > 0 || s.follow) {
		s.link(to, name)
		unix.Close(to.FD)
		return
	}
	if len(s.rest) > 0 {
		s.crossed = append(s.crossed, IDOf(&st))
	}
	s.move(to)
	s.stat = st
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

// link follows a symbolic link that is open. The links of procfs are not text: the kernel jumps to
// a file whatever readlink(2) says, so they are jumped too.
func (s *steps) link(at Dir, name string) {
	s.links = append(s.links, at.Path)
	if len(s.links) > maxLinks {
		s.lost(name, "too many levels of symbolic links")
		return
	}
	text, err := readLink(at, s.at, name)
	if err != nil {
		s.lost(name, reason(err))
		return
	}
	if s.procLink(at, name, text) {
		return
	}
	s.rest = append(pathname.Split(text), s.rest...)
	if strings.HasPrefix(text, "/") {
		s.crossed = nil
		s.move(s.w.Root)
		s.owned = false
	}
}

func (s *steps) end() End {
	end := End{FD: -1, Real: s.at.Path, Links: s.links, Crossed: s.crossed, Kind: s.kind,
		Why:     s.why,
		Missing: strings.Join(append(s.missing, s.rest...), "/")}
	if end.Missing == "" {
		end.Why, end.Stat = "", s.stat
	} else {
		end.Why = whyMissing(end.Why)
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
