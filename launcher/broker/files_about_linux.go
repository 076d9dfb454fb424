//go:build amd64 || arm64

package broker

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What the broker has to know of the caller and the machine before something is made in the view.

// umasks knows the mask of a caller. All processes of a run begin with the launcher's. Reading
// one takes longer than making a file, so it is read only after some process has set another one.
type umasks struct {
	uid  uint32
	once sync.Once
	own  uint32
	mu   sync.Mutex
	set  bool
}

// first is the launcher's.
func (u *umasks) first() uint32 {
	u.once.Do(func() {
		status, _ := os.ReadFile("/proc/self/status")
		u.own = umaskIn(status)
	})
	return u.own
}

func umaskIn(status []byte) uint32 {
	n, err := strconv.ParseUint(statusField(string(status), "Umask:"), 8, 32)
	if err != nil {
		return 0o077 // a kernel before 4.7, or a caller that is gone
	}
	return uint32(n)
}

// of is the mask of a caller that waits.
func (u *umasks) of(c *call) uint32 {
	u.mu.Lock()
	set := u.set
	u.mu.Unlock()
	if !set {
		return u.first()
	}
	text, _ := os.ReadFile(c.process() + "status")
	return umaskIn(text)
}

// accounts are the people of this machine and root, by name and by number. They are read when a
// name is first asked about.
type accounts struct {
	once  sync.Once
	names map[string]bool
}

func (a *accounts) has(name string) bool {
	a.once.Do(func() {
		a.names = map[string]bool{strconv.Itoa(os.Getuid()): true, "0": true, "root": true}
		file, err := os.Open("/etc/passwd")
		if err != nil {
			return
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			field := strings.Split(lines.Text(), ":")
			if len(field) < 3 {
				continue
			}
			uid, err := strconv.Atoi(field[2])
			if err == nil && (uid == os.Getuid() || uid >= leastPerson && uid < nobody) {
				a.names[field[0]], a.names[field[2]] = true, true
			}
		}
	})
	return a.names[name]
}

// People have numbers between these; the others are of services.
const (
	leastPerson = 1000
	nobody      = 65534
)

// maxDenied bounds what is remembered of a run's refusals; the same one counts once.
const maxDenied = 64

type refusals struct {
	mu   sync.Mutex
	list []Denied
	more int
}

func (l *refusals) add(c *call, name, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.list, func(d Denied) bool { return d.Path == name && d.Why == why }) {
		return
	}
	if len(l.list) == maxDenied {
		l.more++
		return
	}
	l.list = append(l.list, Denied{time.Now(), c.caller(), name, why})
}

func (l *refusals) all() (list []Denied, more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list), l.more
}

// insides are the FIFOs and sockets of a run in shared directories. They are in a file system that
// only the run has (View.Inside). The shared directory has a link, which leads nowhere for programs
// outside, and is removed when the run ends.
type insides struct {
	dir   int // a handle of that file system; 0 before it is first needed
	links map[string]string
	ended chan struct{} // closed when nothing is made any more
}

// maxInsides bounds how many there are in all.
const maxInsides = 512
