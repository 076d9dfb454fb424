package broker

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// Metadata is changed for the caller alone: not of the launcher's own descriptors, not by what
// cannot be read.
func TestMetadataDecides(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/f", nil, 0o600))
	fd, err := unix.Open(dir+"/f", unix.O_PATH|unix.O_CLOEXEC, 0)
	must(t, err)
	trees := openTrees(&Profile{Write: []Tree{{Name: dir}}, ReadOnly: []string{dir + "/kept"}})
	defer trees.close()
	m := &metadata{trees: trees, uid: uint32(os.Geteuid())}
	for name, want := range map[string]bool{
		dir: true, dir + "/f": true, dir + "/f (deleted)": true, dir + "x": false, "/": false,
		"/memfd:x (deleted)": false, "pipe:[1]": false, dir + "/kept": false,
		dir + "/kept/x": false,
	} {
		if got := trees.writable(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if asErrno(nil) != 0 || asErrno(unix.EROFS) != unix.EROFS ||
		asErrno(errors.New("x")) != unix.EPERM {
		t.Error("errors")
	}
	object := selfFile(fd)
	r := &change{call: &call{Notification: seccomp.Notification{PID: uint32(os.Getpid())}},
		uid: m.uid}
	must(t, unix.Fstat(fd, &r.object))
	for _, test := range []struct {
		name string
		err  error
		want error
	}{
		{"mode", chmod(r, object, []uint64{0o644}), nil},
		{"set-uid", chmod(r, object, []uint64{0o4755}), unix.EPERM},
		{"as it is", chown(r, object, []uint64{^uint64(0), uint64(r.object.Gid)}), nil},
		{"to another user", chown(r, object, []uint64{uint64(m.uid + 1), ^uint64(0)}), unix.EPERM},
		{"to another group", chown(r, object, []uint64{^uint64(0), 4711}), unix.EPERM},
		{"times at no address", utimens(r, object, []uint64{8}), unix.EFAULT},
		{"times now", utimens(r, object, []uint64{0}), nil},
		{"attribute at no address", removexattr(r, object, []uint64{8}), unix.ERANGE},
	} {
		if !errors.Is(test.err, test.want) || (test.err == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.name, test.err, test.want)
		}
	}
	r.object.Uid++
	if err := chmod(r, object, []uint64{0o600}); err != unix.EPERM {
		t.Errorf("another's file: %v", err)
	}
}

// allNew calls everything new.
type allNew struct{ Changes }

func (allNew) IsNew(int64) bool { return true }

// What is changed through a descriptor that only reads is announced, however new it is: another
// program may have made it.
func TestIsNewToWrite(t *testing.T) {
	name := t.TempDir() + "/f"
	must(t, os.WriteFile(name, nil, 0o600))
	var st unix.Statx_t
	must(t, unix.Statx(unix.AT_FDCWD, name, 0, unix.STATX_BTIME, &st))
	if st.Btime.Sec == 0 {
		t.Skip("no times of birth")
	}
	k := &capture{Capture: &Capture{Changes: allNew{}}}
	c := &call{Notification: seccomp.Notification{PID: uint32(os.Getpid())}}
	for flags, want := range map[int]bool{unix.O_WRONLY: true, unix.O_RDWR: true,
		unix.O_RDONLY: false, unix.O_PATH: false} {
		fd, err := unix.Open(name, flags|unix.O_CLOEXEC, 0)
		must(t, err)
		if got := k.isNew(c, uint64(fd)); got != want {
			t.Errorf("%#x: %v", flags, got)
		}
		must(t, unix.Close(fd))
	}
	if k.isNew(c, 1<<20) {
		t.Error("a descriptor that is not open is new")
	}
}
