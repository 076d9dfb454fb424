//go:build amd64 || arm64

package broker

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// watches is the customer for inotify(7), which reports when a file is opened and changed. It needs
// no Landlock right. So the broker makes each watch, on the object that it has examined, and none
// on anything hidden.
type watches struct {
	guard *guard
	work  *workers
}

func watchRules(p *Profile, answered bool) []seccomp.Rule {
	if p.Guard == nil || !answered || len(p.Guard.Hide)+len(p.Guard.Far) == 0 {
		return nil
	}
	return []seccomp.Rule{seccomp.On(unix.SYS_INOTIFY_ADD_WATCH, seccomp.Ask)}
}

func watchNumbers(yield func(uint32) bool) { yield(unix.SYS_INOTIFY_ADD_WATCH) }

func openWatches(_ *Profile, r *run) customer {
	if r.files == nil || r.files.guard == nil {
		return nil
	}
	return &watches{guard: r.files.guard, work: newWorkers()}
}

func (w *watches) answer(c *call) {
	w.work.beside(func() {
		n, err := w.watch(c)
		c.result(n, err)
	})
}

// watch is inotify_add_watch(2).
func (w *watches) watch(c *call) (int, error) {
	mask := uint32(c.Args[2])
	at, err := w.look(c, mask&unix.IN_DONT_FOLLOW == 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(at)
	fd, err := hold(c)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	var st unix.Statx_t
	name, err := nameOf(at)
	switch {
	case err != nil, statx(at, "", &st) != nil:
		return 0, unix.EACCES
	case w.guard.hides(name, &st):
		return 0, unix.EACCES
	}
	return unix.InotifyAddWatch(fd, selfFile(at), mask&^unix.IN_DONT_FOLLOW)
}

// look opens, as a handle, what the caller names.
func (w *watches) look(c *call, follow bool) (int, error) {
	path, err := c.text(c.Args[1], unix.PathMax)
	if err != nil {
		return -1, err
	}
	if number, ok := descriptor(path); ok {
		return handle(c.process() + "fd/" + number)
	}
	r := &fileRequest{call: c}
	name, err := r.full(-1, path)
	switch {
	case path == "":
		return -1, unix.ENOENT
	case err != nil:
		return -1, unix.EACCES
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	if !follow {
		how.Flags |= unix.O_NOFOLLOW
	}
	return unix.Openat2(unix.AT_FDCWD, name, &how)
}

func (w *watches) close() {
	w.work.cancel()
	w.work.wait()
}
