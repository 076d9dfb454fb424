package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// openPlain opens a plain file for reading, but not a link.
func openPlain(path string) (*os.File, error) {
	named, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %q is not a plain file", ErrUnsafe, path)
	}
	// a FIFO that took its place must not block us
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(named, opened) {
		f.Close()
		return nil, fmt.Errorf("%w: %q was replaced while it was opened", ErrUnsafe, path)
	}
	return f, nil
}

// plainSize is the size of a file that openPlain would open.
func plainSize(path string) (int64, error) {
	named, err := os.Lstat(path)
	if err == nil && !named.Mode().IsRegular() {
		err = fmt.Errorf("%w: %q is not a plain file", ErrUnsafe, path)
	}
	if err != nil {
		return 0, err
	}
	return named.Size(), nil
}

// ReadPlain reads a plain file, at most so many bytes of it. A link, or anything else that is not a
// plain file, is ErrUnsafe.
func ReadPlain(path string, limit int64) ([]byte, error) {
	f, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// SumFile returns the SHA-256 of a plain file as it lies on the disk, and an error for one of
// another size. A link is ErrUnsafe.
func SumFile(path string, size int64) (h Hash, err error) {
	f, err := openPlain(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	return sumOf(f, size)
}

var errSize = errors.New("the file has another size")

func sumOf(f *os.File, size int64) (h Hash, err error) {
	sum := sha256.New()
	n, err := io.Copy(sum, io.NewSectionReader(f, 0, size+1))
	if err == nil && n != size {
		err = errSize
	}
	return Hash(sum.Sum(nil)), err
}
