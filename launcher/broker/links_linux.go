//go:build amd64 || arm64

package broker

import (
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A linkJudge knows of files with several names (hard links) whether all are in trees that the run
// may write. What is written to another file in place, its owner outside would find changed too.
//
// The names are counted in one walk through the trees. A file whose time of change (ctime) is
// before the walk had all its names then that it has now, so none was counted twice or missed
// because the run moved it meanwhile. The run itself can make no link that leads out of the trees,
// or in.
type linkJudge struct {
	trees   *trees
	allowed []Identity

	mu     sync.Mutex
	counts *linkCounts
	judged map[linkedFile]linkVerdict
	walked int // entries, in all walks
}

// A linkedFile is a file at any time: its number can be another's later, its birth cannot.
type linkedFile struct {
	Identity
	born unix.StatxTimestamp
}

// A linkVerdict holds as long as the file has no more names than that.
type linkVerdict struct {
	names uint32
	why   string
}

// allowNamed takes the files that are themselves what the run may write. Its command line names
// them, so their other names were known when that was judged.
func (l *linkJudge) allowNamed() {
	for _, r := range l.trees.roots {
		var st unix.Statx_t
		err := Control(r.File, func(fd int) error { return statx(fd, "", &st) })
		if err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG {
			l.allowed = append(l.allowed, identify(&st))
		}
	}
}

// allow takes files by their names, before the run could put others there.
func (l *linkJudge) allow(names []string) {
	for _, name := range names {
		var st unix.Statx_t
		if statx(unix.AT_FDCWD, name, &st) == nil {
			l.allowed = append(l.allowed, identify(&st))
		}
	}
}

// maxLinkWalk bounds the entries that all walks of a run look at.
const maxLinkWalk = 4 << 20

const (
	linkedOutside = "another name of this file (hard link) is outside of the writable folders, " +
		"and would change too; give it a copy of its own first: cp -p FILE NEW && mv NEW FILE"
	linkedUnknown = "this file has several names (hard links), and not all were found in the " +
		"writable folders; give it a copy of its own first: cp -p FILE NEW && mv NEW FILE"
)

// outside returns why a file may not be written in place: it has, or could have, a name outside of
// the trees. Slow says that this takes a walk, and that the caller has no time for it (waits).
func (l *linkJudge) outside(at int, name string, st *unix.Statx_t,
	waits bool) (why string, slow bool) {
	switch gone := strings.HasSuffix(name, deleted); {
	case st.Nlink == 0, st.Nlink == 1 && !gone, slices.Contains(l.allowed, identify(st)):
		return "", false
	}
	if waits {
		l.mu.Lock()
	} else if !l.mu.TryLock() {
		return "", true
	}
	defer l.mu.Unlock()
	file := linkedFile{identify(st), st.Btime}
	v, known := l.judged[file]
	if !known || v.names < st.Nlink {
		if !waits {
			return "", true
		}
		v = linkVerdict{st.Nlink, l.judge(at)}
		if l.judged == nil {
			l.judged = map[linkedFile]linkVerdict{}
		}
		if len(l.judged) < maxJudged {
			l.judged[file] = v
		}
	}
	return v.why, false
}

// deleted is what the kernel adds to a name that is no longer there.
const deleted = " (deleted)"

// maxJudged bounds what is remembered.
const maxJudged = 1 << 14

// judge counts the names of what at is a handle of. If the last walk knows too few, or the file was
// changed since, there is another.
func (l *linkJudge) judge(at int) string {
	if l.counts != nil {
		l.counts.fresh = false
	}
	for range 3 {
		var st unix.Statx_t
		if statx(at, "", &st) != nil {
			return linkedUnknown
		}
		changed := time.Unix(st.Ctime.Sec, int64(st.Ctime.Nsec)).Add(tick)
		if c := l.counts; c != nil && changed.Before(c.began) {
			switch n := c.names[identify(&st)]; {
			case n >= st.Nlink:
				return ""
			case c.fresh && c.whole:
				return linkedOutside
			case c.fresh:
				return linkedUnknown
			}
		}
		if l.walked >= maxLinkWalk {
			return linkedUnknown
		}
		// a later change has a later time
		if ahead := time.Until(changed); ahead > 0 && ahead < time.Second {
			time.Sleep(ahead)
		}
		c := countLinks(l.trees, maxLinkWalk-l.walked)
		l.walked += c.looked
		l.counts = c
	}
	return linkedUnknown
}

// tick is how far the times of a file system lie behind the clock.
const tick = 20 * time.Millisecond
