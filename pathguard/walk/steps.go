package walk

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
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
	stat    unix.Stat_t // of the file that the last step led to
}

// move puts the walk on another spot. The spot is the walk's to close unless the caller
// says that it is borrowed.
func (s *steps) move(to Dir) {
	if s.owned && s.at.FD >= 0 {
		unix.Close(s.at.FD)
	}
	s.at, s.owned, s.stat = to, true, unix.Stat_t{}
}

// lost continues by text alone from a component that cannot be opened.
func (s *steps) lost(name, why string) {
	s.missing = append(s.missing, name)
	if s.why == "" {
		s.why = why
	}
}

// reason names what stopped a walk. A missing component is no reason: it may be made.
func reason(err error) string {
	if errors.Is(err, unix.ENOENT) {
		return ""
	}
	return err.Error()
}

// trails reports whether a name continues behind its last component, so that a link there is never
// the end of the way.
func trails(name string) bool {
	return strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.")
}

func isLink(st *unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFLNK }
