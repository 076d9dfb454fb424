//go:build amd64 || arm64

package broker

import (
	"errors"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// nowhere are the reasons why a name leads nowhere, for the kernel too.
var nowhere = []unix.Errno{unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ENAMETOOLONG}

// place finds the folder of an entry and the entry's name in it. errApart says that there is none,
// or that nothing is kept there; errSlow, that it takes a look at a disk.
func (k *capture) place(r *fileRequest, at int, path string) (*folder, string, error) {
	name, err := r.full(at, path)
	switch {
	case path == "":
		return nil, "", errApart
	case err != nil:
		return nil, "", errors.New("the directory of the caller is not known")
	case outside(name):
		return nil, "", processName(name)
	}
	in, last, _, ok := splitName(name)
	if !ok {
		return nil, "", errApart // no entry that could be changed
	}
	d, err := k.folder(r, in)
	return d, last, err
}

// processName says that a name below /proc which leads to files is not followed: it leads elsewhere
// for the broker.
func processName(name string) error {
	for _, way := range []string{"/cwd/", "/root/", "/fd/"} {
		if strings.HasPrefix(name, "/proc/") && strings.Contains(name, way) {
			return errors.New("the name leads through /proc")
		}
	}
	return errApart
}

// folder opens one, or has it open.
func (k *capture) folder(r *fileRequest, text string) (*folder, error) {
	if r.cached == 0 { // another thread than the one that receives calls
		return k.openFolder(r, text)
	}
	now := time.Now()
	if last := k.last; last != nil && last.text == text && now.Sub(k.opened) < fresh &&
		!k.stale.Load() {
		last.uses++
		return last, nil
	}
	d, err := k.openFolder(r, text)
	if err != nil {
		return nil, err
	}
	k.forget()
	k.stale.Store(false)
	d.uses++
	k.last, k.opened = d, now
	return d, nil
}

func (k *capture) openFolder(r *fileRequest, text string) (*folder, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, text, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_MAGICLINKS | r.cached,
	})
	if err == unix.EAGAIN && r.cached != 0 {
		return nil, errSlow
	}
	for _, errno := range nowhere {
		if err == errno {
			return nil, errApart
		}
	}
	if err != nil {
		return nil, err
	}
	if r.cached != 0 && isSlow(fd) {
		unix.Close(fd)
		return nil, errSlow
	}
	d := &folder{text: text, fd: fd, uses: 1}
	if d.in, err = nameOf(fd); err != nil {
		unix.Close(fd)
		return nil, err
	}
	// in a shared directory the broker makes what the kernel would refuse, kept or not
	if d.keeps = k.kept(d.in); d.keeps == keepsAll || !k.isShared(d.in) {
		_, guarded := k.files.guard.area(d.in)
		d.alone = !guarded
	}
	return d, nil
}
