package permit

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// watched tells of changes by inotify(7). It reports false if other programs have used that up
// (fs.inotify.max_user_instances, max_user_watches).
func (p *Approvals) watched(ctx context.Context, changes chan<- struct{}) bool {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return false
	}
	// The folder, because a database that is rebuilt is another file.
	if _, err := unix.InotifyAddWatch(fd, p.dir.Dir,
		unix.IN_CLOSE_WRITE|unix.IN_MOVED_TO); err != nil {
		unix.Close(fd)
		return false
	}
	events := os.NewFile(uintptr(fd), "inotify")
	stop := context.AfterFunc(ctx, func() { _ = events.SetReadDeadline(time.Unix(1, 0)) })
	go func() {
		defer close(changes)
		defer events.Close()
		defer stop()
		name := filepath.Base(p.dir.Approvals())
		for buf := make([]byte, 64<<10); ; {
			n, err := events.Read(buf)
			if err != nil {
				return
			}
			if !namesFile(buf[:n], name) {
				continue
			}
			tellChange(changes)
		}
	}()
	return true
}

// namesFile reports whether one of the events in buf is about the file. The layout is that of
// struct inotify_event: 16 bytes, the last 4 of them the length of the name that follows, padded
// with zeros.
func namesFile(buf []byte, file string) bool {
	for len(buf) >= unix.SizeofInotifyEvent {
		size := int(binary.NativeEndian.Uint32(buf[12:16]))
		if size > len(buf)-unix.SizeofInotifyEvent {
			return true // cannot be; looking once more costs nothing
		}
		name := buf[unix.SizeofInotifyEvent : unix.SizeofInotifyEvent+size]
		if unix.ByteSliceToString(name) == file || size == 0 { // 0: the queue was too long
			return true
		}
		buf = buf[unix.SizeofInotifyEvent+size:]
	}
	return false
}
