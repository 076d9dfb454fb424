package launcher

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Changes returns a channel that has a value whenever the approvals may have changed: at once for the
// first time, then after each process that wrote them, told by inotify(7) and not by looking again and
// again. It is closed when ctx ends. Several changes may arrive as one.
func (l *Launcher) Changes(ctx context.Context) (<-chan struct{}, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watch %q: %w", l.home.Dir, err)
	}
	// The folder, because a database that is rebuilt is another file.
	if _, err := unix.InotifyAddWatch(fd, l.home.Dir, unix.IN_CLOSE_WRITE|unix.IN_MOVED_TO); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("watch %q: %w", l.home.Dir, err)
	}
	events := os.NewFile(uintptr(fd), "inotify")
	stop := context.AfterFunc(ctx, func() { _ = events.SetReadDeadline(time.Unix(1, 0)) })
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	go func() {
		defer close(changes)
		defer events.Close()
		defer stop()
		name := filepath.Base(l.home.Approvals())
		for buf := make([]byte, 64<<10); ; {
			n, err := events.Read(buf)
			if err != nil {
				return
			}
			if !namesFile(buf[:n], name) {
				continue
			}
			select {
			case changes <- struct{}{}:
			default: // one is waiting already
			}
		}
	}()
	return changes, nil
}

// namesFile reports whether one of the events in buf is about the file. The layout is that of struct
// inotify_event: 16 bytes, the last 4 of them the length of the name that follows, padded with zeros.
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
