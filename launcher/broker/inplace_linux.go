//go:build amd64 || arm64

package broker

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// An inPlace is what a run may change in place, see [InPlace].
type inPlace struct {
	provides  bool // the broker opens all that could be changed in place
	ownRoot   bool // the run has mounts of its own
	root      runRoot
	private   []string
	terminals terminals
	devices   devices
	links     linkJudge
	scripts   scripts
}

func newInPlace(p *Profile, t *trees) *inPlace {
	i := &inPlace{terminals: terminals{makes: p.Terminals}, scripts: newScripts(p)}
	i.devices.tty = -1
	if p.InPlace == nil {
		return i
	}
	i.provides, i.ownRoot, i.private = true, !p.Shared, p.InPlace.Private
	i.devices.set(p.InPlace)
	i.links.trees = t
	i.links.allowNamed()
	if p.View != nil {
		i.links.allow(p.View.Linked)
	}
	return i
}

func (i *inPlace) close() {
	i.terminals.close()
	i.devices.close()
	i.root.close()
	i.scripts.close()
}

// A runRoot is the root directory of all processes of a run: none can change its own.
type runRoot struct {
	mu sync.Mutex
	fd int // 0 before it is first needed
}

func (o *runRoot) of(c *call) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fd > 0 {
		return o.fd, nil
	}
	fd, err := handle(c.process() + "root")
	if err != nil {
		return -1, err
	}
	if !c.waits() { // it could be another's
		unix.Close(fd)
		return -1, unix.ESRCH
	}
	o.fd = fd
	return fd, nil
}

func (o *runRoot) close() {
	if o.fd > 0 {
		unix.Close(o.fd)
	}
}

// devices are those that a run may open for writing.
type devices struct {
	names   []string
	once    sync.Once
	numbers map[uint64]bool
	tty     int          // a handle of the command's terminal, or -1
	own     bool         // the run finds only terminals of its own
	null    atomic.Int32 // a handle of /dev/null in the run's mounts; 0 before it is first needed
}

func (d *devices) set(p *InPlace) {
	d.names, d.own = p.Devices, p.OwnTerminals
	if p.Terminal != nil {
		_ = Control(p.Terminal, func(fd int) (err error) {
			d.tty, err = openAgain(fd, unix.O_PATH|unix.O_CLOEXEC)
			return err
		})
	}
}

func (d *devices) close() {
	if fd := d.null.Load(); fd > 0 {
		unix.Close(int(fd))
	}
	if d.tty >= 0 {
		unix.Close(d.tty)
	}
}

// has reports whether a number is of one that the profile names.
func (d *devices) has(number uint64) bool {
	d.once.Do(func() {
		d.numbers = map[uint64]bool{}
		for _, name := range d.names {
			var st unix.Stat_t
			if unix.Stat(name, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR {
				d.numbers[st.Rdev] = true
			}
		}
	})
	return d.numbers[number]
}

// isTerminal reports whether an object is the terminal of the command.
func (d *devices) isTerminal(st *unix.Statx_t) bool {
	var own unix.Statx_t
	return d.tty >= 0 && statx(d.tty, "", &own) == nil && identify(&own) == identify(st) &&
		own.Rdev_major == st.Rdev_major && own.Rdev_minor == st.Rdev_minor
}
