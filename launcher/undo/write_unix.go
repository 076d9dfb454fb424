//go:build linux || darwin

package undo

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

// add adds a record to those that flush writes.
func (j *Journal) add(fill func([]byte) []byte) { j.buf = appendFrame(j.buf, fill) }

// flush writes the records of one change. A journal that could not be written takes no more: what
// follows a record that is cut would not be read.
func (j *Journal) flush() error {
	switch {
	case j.err == nil && len(j.buf) > 0:
		j.err = j.write()
		j.told = time.Now()
	case j.out != nil && time.Since(j.told) > grace/2:
		// what is noted changes again: a run that is killed has gone on until now
		_ = unix.Futimes(int(j.out.Fd()), nil)
		j.told = time.Now()
	}
	j.buf = j.buf[:0]
	if j.err != nil {
		return fmt.Errorf("write the undo journal: %w", j.err)
	}
	return nil
}

func (j *Journal) write() error {
	if j.out == nil {
		if err := j.create(); err != nil {
			return err
		}
	}
	n, err := j.out.Write(j.buf)
	if err != nil && n > 0 { // a disk that is full takes a part
		if size, e := j.out.Seek(0, 1); e == nil {
			_ = j.out.Truncate(size - int64(n))
		}
	}
	return err
}

// create makes the run's folder and the file of the journal with its head.
func (j *Journal) create() error {
	home := j.places[0]
	if err := home.open(j.book.head.run); err != nil {
		return err
	}
	if j.budget.stands {
		fd, err := open(home.fd, standsName, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
		if err != nil {
			return &os.PathError{Op: "create", Path: standsName, Err: err}
		}
		unix.Close(fd)
	}
	fd, err := open(home.fd, journalName, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err != nil {
		return &os.PathError{Op: "create", Err: err,
			Path: filepath.Join(home.path, j.book.head.run, journalName)}
	}
	j.out = os.NewFile(uintptr(fd), journalName)
	if err := flock.Try(j.out); err != nil { // held as long as the run goes on
		return err
	}
	_, err = j.out.Write(appendFrame(append([]byte(magic), version), j.book.head.append))
	return err
}

// begin makes the journal before the first pre-image is kept, so that none is without a journal.
func (j *Journal) begin() error {
	if j.err == nil && j.out == nil {
		j.err = j.create()
	}
	return j.err
}
