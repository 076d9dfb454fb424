//go:build amd64 || arm64

package attack

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// customs are more attacks on the names that programs look for in shared directories, by other
// spellings and other calls.
var customs = []Attack{
	{Name: "tmux's folder by a slash",
		try: func(w World) error { return unix.Mkdir(w.Shared+"/tmux-1/", 0o700) }},
	{Name: "tmux's folder by dots", try: func(w World) error {
		if err := unix.Mkdir(w.Shared+"/mine", 0o700); err != nil {
			return err
		}
		return unix.Mkdir(w.Shared+"/mine/../tmux-1", 0o700)
	}},
	{Name: "tmux's folder by a link", try: func(w World) error {
		if err := os.Symlink(w.Shared, w.Workspace+"/l"); err != nil {
			return err
		}
		return unix.Mkdir(w.Workspace+"/l/tmux-1", 0o700)
	}},
	{Name: "tmux's folder from a descriptor", try: func(w World) error {
		fd, err := unix.Open(w.Shared, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return unix.Mkdirat(fd, "tmux-1", 0o700)
	}},
	{Name: "tmux's folder in the working directory", try: func(w World) error {
		if err := os.Chdir(w.Shared); err != nil {
			return err
		}
		return unix.Mkdir("tmux-1", 0o700)
	}},
	{Name: "a hidden name by mknod",
		try: func(w World) error { return unix.Mknod(w.Shared+"/.x", unix.S_IFREG|0o600, 0) }},
	{Name: "a hidden name for a nameless file",
		try: func(w World) error { return linkNameless(w.Shared, w.Shared+"/.x") }},
	{Name: "a hidden name by a link",
		try: func(w World) error { return os.Symlink("mine", w.Shared+"/.x") }},
	{Name: "exchange an own file for a hidden name", try: func(w World) error {
		err := errors.Join(os.WriteFile(w.Shared+"/mine", nil, 0o600),
			os.WriteFile(w.Workspace+"/.x", nil, 0o600))
		if err != nil {
			return err
		}
		return unix.Rename(w.Workspace+"/.x", w.Shared+"/.x")
	}},
	{Name: "replace an empty shared folder", try: func(w World) error {
		if err := unix.Mkdir(w.Shared+"/mine", 0o700); err != nil {
			return err
		}
		return unix.Rename(w.Shared+"/mine", w.Shared+"/empty")
	}},
	{Name: "remove an empty shared folder",
		try: func(w World) error { return unix.Rmdir(w.Shared + "/empty") }},
	{Name: "mark a shared file", try: func(w World) error {
		return unix.Setxattr(w.Shared+"/cc1.s", "user.x", []byte("x"), 0)
	}},
	{Name: "a nameless file in the place of a shared one", try: func(w World) error {
		if err := os.Remove(w.Shared + "/cc1.s"); err != nil {
			return err
		}
		return linkNameless(w.Shared, w.Shared+"/cc1.s")
	}},
	{Name: "a link that leads out by /proc", try: func(w World) error {
		return os.Symlink("/proc/self/root"+w.Outside+"/file", w.Shared+"/report")
	}},
	{Name: "a link that leads out by the workspace", try: func(w World) error {
		return os.Symlink(w.Workspace+"/../outside/file", w.Shared+"/report")
	}},
	{Name: "a link that leads out by a link of the workspace", try: func(w World) error {
		if err := os.Symlink(w.Outside+"/file", w.Workspace+"/l"); err != nil {
			return err
		}
		return os.Symlink(w.Workspace+"/l", w.Shared+"/report")
	}},
	{Name: "a link that leads to what a link there would make", try: func(w World) error {
		if err := os.Symlink(w.Outside+"/new", w.Workspace+"/l"); err != nil {
			return err
		}
		return os.Symlink("../ws/l", w.Shared+"/report")
	}},
	{Name: "a link that leads out by a folder of the workspace", try: func(w World) error {
		if err := os.Symlink(w.Outside+"/new", w.Workspace+"/sub/l"); err != nil {
			return err
		}
		return os.Symlink(w.Workspace+"/sub/l/a/b", w.Shared+"/report")
	}},
	{Name: "a link that leads out by an own folder", try: func(w World) error {
		err := errors.Join(os.Mkdir(w.Shared+"/mine", 0o700),
			os.Symlink("..", w.Workspace+"/l"), os.Symlink("../../ws/l", w.Shared+"/mine/l"))
		if err != nil {
			return err
		}
		return os.Symlink("mine/l/outside/file", w.Shared+"/report")
	}},
	{Name: "a link that leads to a secret of the workspace", try: func(w World) error {
		return os.Symlink(w.secretFile(), w.Shared+"/report")
	}},
	{Name: "a link that a link takes the place of", try: func(w World) error {
		err := errors.Join(os.Symlink(w.Workspace, w.Shared+"/mine"),
			os.Symlink("mine/../outside/file", w.Shared+"/report"))
		if err != nil {
			return err
		}
		return read(w.Shared + "/report")
	}},
}
