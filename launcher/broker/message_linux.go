//go:build amd64 || arm64

package broker

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// A message is where a call wants what it receives: places in the caller's memory, 0 for what it
// does not want.
type message struct {
	parts     []unix.RemoteIovec
	size      int // of all parts
	flags     int
	name      place
	controlAt uint64
	flagsAt   uint64
	countAt   uint64 // of recvmmsg: where the length of the first message goes
}

// A place is where a call wants an address.
type place struct {
	at, sizeAt uint64
	room       uint32
}

// The layout of struct msghdr, and the most that is taken.
const (
	msghdrSize     = 56
	msghdrNameSize = 8
	msghdrParts    = 16
	msghdrControl  = 40
	msghdrFlags    = 48

	maxParts  = 64
	maxPacket = 64 << 10
)

// readMessage reads where a call wants what comes.
func readMessage(c *call) (m message, err error) {
	if c.Nr == unix.SYS_RECVFROM {
		part := unix.RemoteIovec{Base: uintptr(c.Args[1]), Len: int(min(c.Args[2], maxPacket))}
		m = message{parts: []unix.RemoteIovec{part}, size: part.Len, flags: int(int32(c.Args[3]))}
		m.name = place{at: c.Args[4], sizeAt: c.Args[5]}
		m.name.room, err = c.number(m.name.sizeAt)
		return m, err
	}
	at := c.Args[1]
	var head [msghdrSize]byte
	if err := c.read(at, head[:]); err != nil {
		return m, unix.EFAULT
	}
	order := binary.NativeEndian
	m = message{
		flags:     int(int32(c.Args[2])),
		controlAt: at + msghdrControl,
		flagsAt:   at + msghdrFlags,
	}
	room := order.Uint32(head[msghdrNameSize:])
	m.name = place{at: order.Uint64(head[0:]), sizeAt: at + msghdrNameSize, room: room}
	if c.Nr == unix.SYS_RECVMMSG { // one message is as many as there may be
		m.flags, m.countAt = int(int32(c.Args[3])), at+msghdrSize
	}
	table := make([]byte, 16*min(order.Uint64(head[msghdrParts+8:]), maxParts))
	if err := c.read(order.Uint64(head[msghdrParts:]), table); err != nil {
		return m, unix.EFAULT
	}
	for ; len(table) > 0; table = table[16:] {
		size := int(min(order.Uint64(table[8:]), uint64(maxPacket-m.size)))
		m.parts = append(m.parts, unix.RemoteIovec{Base: uintptr(order.Uint64(table)), Len: size})
		m.size += size
	}
	return m, nil
}
