package bolt

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/flock"
	"github.com/tada-run/tada-run/approval/private"
	"golang.org/x/sys/unix"
)

// Group commit. A commit waits for the disk twice, about a millisecond in all, and 64 processes
// that take turns wait 64 times that. So processes that find the database busy share a transaction.
// The first creates a board and leads; the others write their jobs to the board, one line each.
// When the leader has the lock it closes the board, does every job in one transaction and writes
// the answers to the same file. What is permitted is on the disk before a process can read the
// answer.
//
// The leader holds an exclusive flock on the board from before it is visible, and a bell. The
// others wait for the end of both, so all of them wake at once when the answers are there, and also
// if the leader was killed. A process that then finds no answer does its job alone.

const (
	boardSuffix = ".board"

	// How often to try a board before taking the lock alone; a board may close just too soon.
	boardings = 3
	// A longer job is done alone, so that one process cannot make the others read much.
	maxLine = 1 << 20
	// More jobs than these wait for the next transaction.
	maxJobs = 256
)

// Do implements [approval.DB]: at once if the database is free, otherwise together with others.
func (b *DB) Do(ctx context.Context, j *approval.Job) error {
	lock, err := b.tryLock()
	if err != nil {
		return err
	}
	for range boardings {
		if lock != nil {
			break
		}
		if done, err := b.board(ctx, j); done || err != nil {
			return err
		}
	}
	if lock == nil {
		if lock, err = b.lock(ctx, true); err != nil {
			return err
		}
	}
	defer lock.Close()
	b.clearBoard()
	return b.write(lock, j.Do)
}

// board does a job together with others. It reports false if that failed without an answer. The job
// may have been done all the same, and must be done again under the same ticket.
func (b *DB) board(ctx context.Context, j *approval.Job) (bool, error) {
	line, err := j.Line()
	if err != nil || len(line) > maxLine {
		return false, nil
	}
	f, err := openBoard(b.path + boardSuffix)
	switch {
	case err != nil:
		return false, private.Named(b.path+boardSuffix, err)
	case f == nil:
		return b.lead(ctx, j)
	}
	defer f.Close()
	if flock.Do(f, unix.LOCK_SH|unix.LOCK_NB) == nil { // a leader that died left it
		return false, nil
	}
	if _, err := f.Write(line); err != nil {
		return false, private.Named(f.Name(), err)
	}
	// From here on the job may be done at any time, so it is too late for the caller to cancel.
	if err := waitBoard(f, b.o.LockWait, b.o.Waiting); err != nil {
		return false, nil
	}
	answer, err := indexed(f, j.Ticket())
	return err == nil && j.Read(answer), nil
}

// lead creates a board, waits for the lock and does the jobs that were written to the board by
// then.
func (b *DB) lead(ctx context.Context, j *approval.Job) (bool, error) {
	f, err := makeBoard(b.path + boardSuffix)
	if f == nil || err != nil { // another process was first, or boards are not supported here
		return false, nil
	}
	if bell := hangBell(f); bell != nil {
		defer bell.Close() // wakes the others, whatever happens here
	}
	defer f.Close()
	lock, err := b.lock(ctx, true)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	if err := dropBoard(f); err != nil {
		return false, private.Named(b.path+boardSuffix, err)
	}
	b.step("boarded")
	joinAll(f, j)
	err = b.write(lock, j.Do)
	if err != nil && j.Joined() > 0 {
		j.Alone() // the others do theirs again: one of theirs may have failed
		err = b.write(lock, j.Do)
	}
	if err != nil {
		return false, err
	}
	lock.Close() // the next leader need not wait for what follows
	b.step("to answer")
	if j.Joined() > 0 {
		// a process without an answer does its job again, and learns that it was done
		f.Write(answers(j.Answers()))
	}
	return true, nil
}

// joinAll reads the lines of a board. It skips a torn line and one that is not a job.
func joinAll(f *os.File, j *approval.Job) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return
	}
	text, err := io.ReadAll(io.LimitReader(f, 16*maxLine))
	if err != nil {
		return
	}
	for line := range bytes.Lines(text) {
		if j.Joined() < maxJobs {
			j.Join(line)
		}
	}
}

// answers are lines followed by an index, so that no process reads the answers of others: 64
// readers of 64 answers would be most of the work of 64 processes. The index has a line for each
// ticket, with the distance of its answer from the end of the file and the answer's length. Its
// last line is the number of answers.
func answers(list []approval.JobAnswer) []byte {
	var out []byte
	for _, a := range list {
		out = append(out, a.Line...)
	}
	back := len(out) + len(list)*indexLine + indexEnd // from the end of the file
	for _, a := range list {
		out = fmt.Appendf(out, "%-32.32s %08x %08x\n", a.Ticket, back, len(a.Line))
		back -= len(a.Line)
	}
	return fmt.Appendf(out, "index %08x\n", len(list))
}

// The lengths of a line of the index and of its last line.
const (
	indexLine = 32 + 1 + 8 + 1 + 8 + 1
	indexEnd  = len("index ") + 8 + 1
)

// clearBoard removes a board whose leader died. Only the process that holds the lock may remove
// one.
func (b *DB) clearBoard() {
	f, err := openBoard(b.path + boardSuffix)
	if f == nil || err != nil {
		return
	}
	defer f.Close()
	if flock.Do(f, unix.LOCK_SH|unix.LOCK_NB) == nil {
		dropBoard(f)
	}
}

// indexed reads the line of a ticket in the index.
func indexed(f *os.File, ticket string) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	part := func(back, length int64) ([]byte, error) {
		if length < 0 || back < length || back > info.Size() {
			return nil, io.ErrUnexpectedEOF
		}
		p := make([]byte, length)
		_, err := f.ReadAt(p, info.Size()-back)
		return p, err
	}
	last, err := part(int64(indexEnd), int64(indexEnd))
	if err != nil {
		return nil, err
	}
	n, ok := hexIn(last, len("index "))
	if !ok || !bytes.HasPrefix(last, []byte("index ")) || n > maxJobs {
		return nil, io.ErrUnexpectedEOF
	}
	index, err := part(n*indexLine+int64(indexEnd), n*indexLine)
	if err != nil {
		return nil, err
	}
	_, entry, found := bytes.Cut(index, fmt.Appendf(nil, "%-32.32s ", ticket))
	if !found {
		return nil, io.ErrUnexpectedEOF
	}
	back, ok1 := hexIn(entry, 0)
	length, ok2 := hexIn(entry, 8+1)
	if !ok1 || !ok2 {
		return nil, io.ErrUnexpectedEOF
	}
	return part(back, length)
}

// hexIn reads the eight digits at a position of the index.
func hexIn(b []byte, at int) (n int64, ok bool) {
	if len(b) < at+8 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[at:at+8]), 16, 32)
	return int64(v), err == nil
}
