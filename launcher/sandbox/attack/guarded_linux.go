//go:build amd64 || arm64

package attack

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// guarded are attacks on what is hidden or read-only in the workspace, where all else may be
// changed.
var guarded = []Attack{
	{Name: "read a secret of the workspace",
		try: func(w World) error { return read(w.secretFile()) }},
	{Name: "read it in a folder that is written",
		try: func(w World) error { return read(w.deep()) }},
	{Name: "read it by dots", try: func(w World) error {
		return read(w.Workspace + "/conf/../conf/./.env")
	}},
	{Name: "read it by openat2", try: func(w World) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, w.secretFile(), &unix.OpenHow{})
		if err != nil {
			return err
		}
		return readFrom(fd)
	}},
	{Name: "read it from its folder's descriptor", try: func(w World) error {
		dir, err := unix.Open(w.Workspace, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		fd, err := unix.Openat(dir, ".env", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return readFrom(fd)
	}},
	{Name: "read it from a handle of its folder", try: func(w World) error {
		dir, err := unix.Open(w.Workspace, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return read(descriptorName(dir) + "/.env")
	}},
	{Name: "reopen a handle of it", try: func(w World) error {
		fd, err := unix.Open(w.secretFile(), unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return read("/dev/fd/" + strconv.Itoa(fd))
	}},
	{Name: "reopen a handle of it by another process's name", try: func(w World) error {
		fd, err := unix.Open(w.secretFile(), unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return read("/proc/" + strconv.Itoa(os.Getpid()) + "/fd/" + strconv.Itoa(fd))
	}},
	{Name: "read it in the working directory", try: func(w World) error {
		if err := os.Chdir(w.Workspace); err != nil {
			return err
		}
		return read("/proc/self/cwd/.env")
	}},
	{Name: "read it by a link", try: func(w World) error {
		if err := os.Symlink("../conf/.env", w.Workspace+"/sub/link"); err != nil {
			return err
		}
		return read(w.Workspace + "/sub/link")
	}},
	{Name: "read it by a hard link", try: func(w World) error {
		if err := os.Link(w.secretFile(), w.Workspace+"/sub/linked"); err != nil {
			return err
		}
		return read(w.Workspace + "/sub/linked")
	}},
	{Name: "read it by a hard link beside it", try: func(w World) error {
		if err := os.Link(w.secretFile(), w.Workspace+"/linked"); err != nil {
			return err
		}
		return read(w.Workspace + "/linked")
	}},
	{Name: "hard link a handle of it", try: func(w World) error {
		fd, err := unix.Open(w.secretFile(), unix.O_PATH, 0)
		if err != nil {
			return err
		}
		err = unix.Linkat(unix.AT_FDCWD, descriptorName(fd), unix.AT_FDCWD,
			w.Workspace+"/sub/linked", unix.AT_SYMLINK_FOLLOW)
		if err != nil {
			return err
		}
		return read(w.Workspace + "/sub/linked")
	}},
	{Name: "read it under another name", try: func(w World) error {
		if err := os.Rename(w.secretFile(), w.Workspace+"/sub/moved"); err != nil {
			return err
		}
		return read(w.Workspace + "/sub/moved")
	}},
	{Name: "read it in a moved folder", try: func(w World) error {
		if err := os.Rename(filepath.Dir(w.deep()), w.Workspace+"/sub/moved"); err != nil {
			return err
		}
		return read(w.Workspace + "/sub/moved/.env")
	}},
	{Name: "exchange it for an own file", try: func(w World) error {
		err := unix.Renameat2(unix.AT_FDCWD, w.secretFile(), unix.AT_FDCWD, w.Workspace+"/sub/own",
			unix.RENAME_EXCHANGE)
		if err != nil {
			return err
		}
		return read(w.Workspace + "/sub/own")
	}},
	{Name: "put an own folder in the place of its own", try: func(w World) error {
		return unix.Renameat2(unix.AT_FDCWD, w.Workspace+"/sub", unix.AT_FDCWD,
			filepath.Dir(w.deep()), unix.RENAME_EXCHANGE)
	}},
	{Name: "map it", try: func(w World) error {
		fd, err := unix.Open(w.secretFile(), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.Mmap(fd, 0, 1, unix.PROT_READ, unix.MAP_PRIVATE)
		return err
	}},
	{Name: "send it", try: func(w World) error {
		in, err := unix.Open(w.secretFile(), unix.O_RDONLY|unix.O_NOATIME, 0)
		if err != nil {
			return err
		}
		out, err := unix.Open(w.Workspace+"/copy", unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = unix.Sendfile(out, in, nil, 10)
		return err
	}},
	{Name: "execute it", try: func(w World) error {
		return unix.Exec(w.Workspace+"/conf/.env.sh", []string{"x"}, nil)
	}},
	{Name: "empty it", try: func(w World) error { return os.Truncate(w.secretFile(), 0) }},
	{Name: "write to it",
		try: func(w World) error { return overwrite(w.secretFile(), os.O_WRONLY) }},
	{Name: "remove it", try: func(w World) error { return os.Remove(w.secretFile()) }},
	{Name: "replace it",
		try: func(w World) error { return replace(w.secretFile(), w.Workspace+"/x") }},
	{Name: "open it to all", try: func(w World) error { return os.Chmod(w.secretFile(), 0o666) }},
	{Name: "its name in memory swapped by another thread", try: secretRace},
	{Name: "a link to it swapped by another thread", try: secretLinkRace},
	{Name: "its name swapped while it is linked", try: linkRace},

	{Name: "remove a kept file", Lost: sandbox.Keeping,
		try: func(w World) error { return os.Remove(w.Kept) }},
	{Name: "replace a kept file", Lost: sandbox.Keeping,
		try: func(w World) error { return replace(w.Kept, w.Workspace+"/x") }},
	{Name: "write a kept file by a hard link", Lost: sandbox.Keeping, try: func(w World) error {
		if err := os.Link(w.Kept, w.Workspace+"/sub/linked"); err != nil {
			return err
		}
		return overwrite(w.Workspace+"/sub/linked", os.O_WRONLY)
	}},
	{Name: "write a kept file by a handle", Lost: sandbox.Keeping, try: func(w World) error {
		fd, err := unix.Open(w.Kept, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return overwrite(descriptorName(fd), os.O_WRONLY)
	}},
	{Name: "write a kept file that is open for reading", Lost: sandbox.Keeping,
		try: func(w World) error {
			fd, err := unix.Open(w.Kept, unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			return overwrite("/dev/fd/"+strconv.Itoa(fd), os.O_WRONLY)
		}},
	{Name: "empty a kept file", Lost: sandbox.Keeping,
		try: func(w World) error { return os.Truncate(w.Kept, 0) }},
	{Name: "chmod a kept file", Lost: sandbox.Keeping,
		try: func(w World) error { return os.Chmod(w.Kept, 0o666) }},
	{Name: "exchange the folder of a kept file", Lost: sandbox.Keeping, try: func(w World) error {
		return unix.Renameat2(unix.AT_FDCWD, w.Workspace+"/sub", unix.AT_FDCWD,
			filepath.Dir(w.Kept), unix.RENAME_EXCHANGE)
	}},
}

func readFrom(fd int) error {
	n, err := unix.Read(fd, make([]byte, 16))
	if err == nil && n == 0 {
		err = errors.New("it is empty")
	}
	return err
}

// flipped calls try while another thread turns some bytes into others and back, until it is true. A
// try in which that thread did not run does not count.
func flipped(b, one, other []byte, try func() bool) bool {
	var done atomic.Bool
	var flips atomic.Int64
	defer done.Store(true)
	go func() {
		for !done.Load() {
			copy(b, other)
			flips.Add(1) // after each, so that both are there for equally long
			copy(b, one)
			flips.Add(1)
		}
	}()
	for n, last := 0, int64(0); n < races; {
		if try() {
			return true
		}
		if now := flips.Load(); now != last {
			n, last = n+1, now
		}
	}
	return false
}

// secretRace opens a name whose bytes another thread changes, from an own file's to the secret's.
func secretRace(w World) error {
	if err := os.WriteFile(w.Workspace+"/.own", []byte("own"), 0o600); err != nil {
		return err
	}
	b := append([]byte(w.Workspace+"/.own"), 0)
	text := make([]byte, 6)
	if flipped(b[len(b)-4:], []byte("own"), []byte("env"), func() bool {
		fd, err := openBytes(b, unix.O_RDONLY)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		_, _ = unix.Read(fd, text)
		return bytes.Equal(text, []byte("secret"))
	}) {
		return nil
	}
	return errors.New("the secret was never read")
}

// secretLinkRace reads an own name that another thread turns into a link to the secret and back.
func secretLinkRace(w World) error {
	w.Secret = w.secretFile()
	return swapRace(w)
}

// linkRace links a name whose bytes another thread changes to where it could be read.
func linkRace(w World) error {
	if err := os.WriteFile(w.Workspace+"/.own", []byte("own"), 0o600); err != nil {
		return err
	}
	b, to := append([]byte(w.Workspace+"/.own"), 0), append([]byte(w.Workspace+"/sub/raced"), 0)
	cwd := unix.AT_FDCWD
	if flipped(b[len(b)-4:], []byte("own"), []byte("env"), func() bool {
		if call(unix.SYS_LINKAT, uintptr(cwd), uintptr(unsafe.Pointer(&b[0])), uintptr(cwd),
			uintptr(unsafe.Pointer(&to[0])), 0) != nil {
			return false
		}
		text, _ := os.ReadFile(w.Workspace + "/sub/raced")
		_ = os.Remove(w.Workspace + "/sub/raced")
		return string(text) == "secret"
	}) {
		return nil
	}
	return errors.New("the secret was never linked")
}
