package permit

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Changes returns a channel that has a value whenever the approvals may have changed: at once for
// the first time, then after each process that wrote them. It is closed when ctx ends. Several
// changes may arrive as one. The changes come from inotify(7); if other programs have used that up
// (fs.inotify.max_user_instances, max_user_watches), the file is polled. On a machine of a fleet
// they come from its agent, and there is also one when that goes away or comes back.
func (p *Approvals) Changes(ctx context.Context) (<-chan struct{}, error) {
	if p.dir.Joined() {
		return p.follow(ctx), nil
	}
	if err := p.Ready(); err != nil {
		return nil, err
	}
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	go p.withdrawing(ctx)
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		go p.pollChanges(ctx, changes)
		return changes, nil
	}
	// The folder, because a database that is rebuilt is another file.
	if _, err := unix.InotifyAddWatch(fd, p.dir.Dir,
		unix.IN_CLOSE_WRITE|unix.IN_MOVED_TO); err != nil {
		unix.Close(fd)
		go p.pollChanges(ctx, changes)
		return changes, nil
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
	return changes, nil
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
