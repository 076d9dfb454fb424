//go:build amd64 || arm64

package broker

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// read copies from the caller's memory. Another sandbox around this process (Codex's own) may keep
// it from the call for that, and not from the file.
func (c *call) read(address uint64, into []byte) error {
	if len(into) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &into[0], Len: uint64(len(into))}}
	remote := []unix.RemoteIovec{{Base: uintptr(address), Len: len(into)}}
	got, err := unix.ProcessVMReadv(int(c.PID), local, remote, 0)
	if err == unix.EPERM || err == unix.ENOSYS {
		got, err = c.readFile(address, into)
	}
	if err == nil && got != len(into) {
		err = unix.EFAULT
	}
	return err
}

func (c *call) readFile(address uint64, into []byte) (int, error) {
	fd, err := unix.Open(c.process()+"mem", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, unix.EPERM
	}
	defer unix.Close(fd)
	got, err := unix.Pread(fd, into, int64(address))
	if err != nil {
		err = unix.EFAULT
	}
	return got, err
}

// text copies a string that ends with a NUL from the caller's memory, at most size bytes with it.
func (c *call) text(address uint64, size int) (string, error) {
	var b []byte
	for step := 256; len(b) < size; step = size { // most names are short
		// Not past the end of a page: the next may not be there.
		part := make([]byte, min(step, size-len(b), 4096-int(address)%4096))
		if err := c.read(address, part); err != nil {
			return "", err
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(b, part[:end]...)), nil
		}
		b = append(b, part...)
		address += uint64(len(part))
	}
	return "", unix.ENAMETOOLONG
}

// number copies an int.
func (c *call) number(at uint64) (uint32, error) {
	var b [4]byte
	if err := c.read(at, b[:]); err != nil {
		return 0, unix.EFAULT
	}
	return binary.NativeEndian.Uint32(b[:]), nil
}

// A writer writes into the memory of a caller that waits. Its file stays that memory, even if
// another process gets the caller's number.
type writer struct {
	file *os.File
	err  error
}

func (c *call) writer() (*writer, error) {
	f, err := os.OpenFile(c.process()+"mem", os.O_WRONLY, 0)
	if err != nil {
		return nil, unix.EFAULT
	}
	if !c.waits() {
		f.Close()
		return nil, unix.ESRCH
	}
	return &writer{file: f}, nil
}

// put writes what is wanted somewhere.
func (w *writer) put(at uint64, b []byte) {
	if at == 0 || len(b) == 0 || w.err != nil {
		return
	}
	if _, err := w.file.WriteAt(b, int64(at)); err != nil {
		w.err = unix.EFAULT
	}
}

func (w *writer) int(at uint64, v uint32) { w.put(at, binary.NativeEndian.AppendUint32(nil, v)) }

func (w *writer) long(at, v uint64) { w.put(at, binary.NativeEndian.AppendUint64(nil, v)) }
