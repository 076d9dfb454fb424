//go:build amd64 || arm64

package attack

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// objects are attacks on memory, semaphores and queues of other programs, which are found by a
// number, a key or a name.
var objects = []Attack{
	{Name: "System V memory", try: func(w World) error { return readSegment(w.Segment) }},
	{Name: "System V memory by its key", try: func(w World) error {
		id, err := object(unix.SYS_SHMGET, uintptr(w.Key), 0, 0)
		if err != nil {
			return err
		}
		return readSegment(id)
	}},
	{Name: "System V memory by its place", try: func(World) error {
		const shmStat, shmInfo = 13, 14
		var b [32]uint64
		last, err := object(unix.SYS_SHMCTL, 0, shmInfo, uintptr(unsafe.Pointer(&b)))
		if err != nil {
			return err
		}
		for at := range last + 1 {
			_, err := object(unix.SYS_SHMCTL, uintptr(at), shmStat, uintptr(unsafe.Pointer(&b)))
			if err == nil {
				return nil
			}
		}
		return errors.New("there is none")
	}},
	{Name: "look at System V memory", try: func(w World) error {
		var b [32]uint64
		return call(unix.SYS_SHMCTL, uintptr(w.Segment), unix.IPC_STAT, uintptr(unsafe.Pointer(&b)))
	}},
	{Name: "remove System V memory", try: func(w World) error {
		return call(unix.SYS_SHMCTL, uintptr(w.Segment), unix.IPC_RMID, 0)
	}},
	{Name: "System V memory, high bits", try: func(w World) error {
		return readSegment(1<<32 | w.Segment)
	}},
	{Name: "take the key of System V memory", try: func(w World) error {
		id, err := object(unix.SYS_SHMGET, uintptr(w.Key), 4096, unix.IPC_CREAT|0o600)
		if err != nil {
			return err
		}
		return readSegment(id)
	}},
	{Name: "System V semaphores", try: func(w World) error {
		down := [3]int16{0, -1, unix.IPC_NOWAIT}
		return call(unix.SYS_SEMOP, uintptr(w.Set), uintptr(unsafe.Pointer(&down)), 1)
	}},
	{Name: "System V semaphores, in time", try: func(w World) error {
		down := [3]int16{0, -1, unix.IPC_NOWAIT}
		return call(unix.SYS_SEMTIMEDOP, uintptr(w.Set), uintptr(unsafe.Pointer(&down)), 1, 0)
	}},
	{Name: "set System V semaphores", try: func(w World) error {
		const setVal = 16
		return call(unix.SYS_SEMCTL, uintptr(w.Set), 0, setVal, 7)
	}},
	{Name: "System V messages", try: func(w World) error {
		var b [16]byte
		return call(unix.SYS_MSGRCV, uintptr(w.Messages), uintptr(unsafe.Pointer(&b)), 6, 0,
			unix.IPC_NOWAIT)
	}},
	{Name: "send System V messages", try: func(w World) error {
		b := [16]byte{0: 1}
		return call(unix.SYS_MSGSND, uintptr(w.Messages), uintptr(unsafe.Pointer(&b)), 6,
			unix.IPC_NOWAIT)
	}},
	{Name: "POSIX messages", try: func(w World) error {
		_, err := openQueue(w.Queue, unix.O_RDWR)
		return err
	}},
	{Name: "remove a POSIX queue", try: func(w World) error {
		b, err := unix.BytePtrFromString(w.Queue)
		if err != nil {
			return err
		}
		return call(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(b)))
	}},
}

func readSegment(id int) error {
	address, _, errno := syscall.RawSyscall(unix.SYS_SHMAT, uintptr(id), 0, unix.SHM_RDONLY)
	if errno != 0 {
		return errno
	}
	text := *(*[6]byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address)))
	if string(text[:]) != "secret" {
		return errors.New("another segment")
	}
	return nil
}
