package console

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/launcher/live"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// errOver is returned for a run that shows nothing more.
var errOver = errors.New("this run is over")

// attach connects to a run: to its session, or else to its transcript as it grows. The error is
// errOver for one that has ended.
func (s *Server) attach(id string, greeting wire.Greeting) (*feed, error) {
	conn, _, err := s.inbox.Live().Dial(id)
	if gone := (*live.UnreachableError)(nil); errors.As(err, &gone) {
		if !gone.Alone {
			return nil, errOver
		}
		return s.lookOn(id)
	}
	if err != nil {
		return nil, err
	}
	f := &feed{frames: make(chan wire.Frame), stop: func() { hangUp(conn) }}
	f.send = func(frame wire.Frame) { // one that does not take it is gone, which listen notices
		_ = conn.SetWriteDeadline(time.Now().Add(timeout))
		_, _ = conn.Write(wire.Append(nil, frame))
	}
	f.send(wire.JSON(wire.Hello, 0, greeting))
	go f.listen(conn)
	return f, nil
}

// listen passes on what a session says.
func (f *feed) listen(conn *os.File) {
	defer close(f.frames)
	defer conn.Close()
	for r := wire.NewReader(conn); ; {
		frame, err := r.Next()
		if err != nil {
			return
		}
		frame.Body = bytes.Clone(frame.Body)
		f.frames <- frame
	}
}

// leaving is how long a session may take to notice that a viewer has left.
const leaving = 2 * time.Second

// hangUp tells a session that nothing more comes. It then ends the connection.
func hangUp(conn *os.File) {
	_ = conn.SetReadDeadline(time.Now().Add(leaving))
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_WR) })
	}
}
