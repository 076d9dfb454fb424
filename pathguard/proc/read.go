package proc

import (
	"os"
	"slices"
	"syscall"
)

// Read returns the content of a short file. [os.ReadFile] would also register the file for polling,
// which is five system calls more.
func Read(name string) ([]byte, error) {
	fd, err := open(name)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	text, err := whole(fd, 512)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: name, Err: err}
	}
	return text, nil
}

// whole reads to the end of a file, of which about room bytes are expected.
func whole(fd, room int) ([]byte, error) {
	text := make([]byte, 0, room)
	for {
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return text, err
		case n == 0:
			return text, nil
		default:
			text = slices.Grow(text[:len(text)+n], 512)
		}
	}
}

func open(name string) (fd int, err error) {
	for {
		fd, err = syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == nil {
			return fd, nil
		}
		if err != syscall.EINTR {
			return -1, &os.PathError{Op: "open", Path: name, Err: err}
		}
	}
}
