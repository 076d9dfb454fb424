package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval/flock"
	"golang.org/x/sys/unix"
)

// reserveSize is disk space reserved for when the disk is full: enough for the longest line, so
// that the end of a run can still be recorded.
const reserveSize = MaxLine

// lowSpace must be free before an Intent: 64 MiB, or 2 % if the whole file system is smaller than
// 3.2 GB. A recorder that only notices a full disk by failing has already started what it cannot
// record.
const lowSpace = 64 << 20

// Durability says when Append returns.
type Durability int

const (
	// Lazy returns when the kernel has the entry: it survives the death of every process, but not a
	// power cut. The next Durable entry stores it too.
	Lazy Durability = iota
	// Durable returns when the entry and all before it are on the disk.
	Durable
	// Intent is Durable for an entry that announces work: it is refused with ErrNoSpace while the
	// disk is nearly full. Entries at the end of work are Durable or Lazy, and may use the reserve.
	Intent
)

// LogOptions are what a log needs from outside.
type LogOptions struct {
	Now func() time.Time // wall clock; required
	// the kernel's boot id: after a power cut, the tail that was never synced may be gone
	BootID string
	Key    []byte // keys the anchor's MAC; nil for a plain checksum
	Codec  Codec  // of packed segments, for Accept, Prune and Pack
	// Mark names a file outside the folder in which the head of the log is remembered with every
	// store. Without it, a folder that was deleted, or replaced by an older copy, looks like a
	// first run or like its older state. With it, Append returns *TamperError, until Accept.
	Mark string
	// for the lock, then ErrBusy; 0 means 30 s: on a slow disk, many runs at once take turns for a
	// long time
	Wait time.Duration
	// Waiting, if set, is called when a wait for a lock has taken one second, and again after five.
	// It is called from another goroutine.
	Waiting func(lock *os.File, waited time.Duration)
	// MinFree is how many bytes must be free before an Intent. 0 means the smaller of 64 MiB and 2
	// % of the file system.
	MinFree int64
	// Policies are what holds here, besides what is on this machine: each body that Append takes
	// has them as "policies", unless it has its own
	Policies []string
}

// A Log appends to the log in one folder. Any number of processes may each have their own; its
// methods may be called from several goroutines.
type Log struct {
	opts LogOptions

	mu       sync.Mutex
	dir      *os.File
	log      *os.File // nil: missing, but the anchor remembers entries
	segment  int64    // number of the segment in log
	anchor   *os.File
	lock     *os.File
	mark     *os.File
	marked   bool  // the log has been compared with the mark
	poisoned error // final, see ErrNotDurable
	rotateAt int64 // bytes of a segment

	step func(string) // for tests: called between the steps of an append
}

// OpenLog opens the log in dir and creates what is missing, the folder included. It returns
// ErrUnsafe if a file or the folder is a link, is open to others or belongs to another user. It
// does not look for tampering: Append checks the end of the log, Verify all of it.
func OpenLog(dir string, o LogOptions) (*Log, error) {
	if o.Now == nil {
		return nil, errors.New("open audit log: no clock given")
	}
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create audit folder: %w", err)
	}
	d, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	l := &Log{opts: o, dir: d, rotateAt: rotateSize, step: func(string) {}}
	if err := l.openFiles(); err != nil {
		l.Close()
		return nil, fmt.Errorf("open audit log %q: %w", dir, err)
	}
	return l, nil
}

// openFiles opens or creates the files. The anchor is created before the log, so a log without an
// anchor is never the result of a crash.
func (l *Log) openFiles() error {
	if err := l.takeLock(); err != nil {
		return err
	}
	defer l.freeLock()
	l.reserve()
	return l.reopen()
}

// reopen (re)opens anchor and log by name, under the lock.
func (l *Log) reopen() (err error) {
	closeAll(l.anchor, l.log)
	l.anchor, l.log = nil, nil
	if l.anchor, err = openAt(l.dir, anchorName, openAnchorFlags); err != nil {
		return err
	}
	a, state, err := l.readAnchor()
	if err != nil {
		return err
	}
	l.segment = a.Segment
	l.log, err = openAt(l.dir, segmentName(l.segment), openLogFlags&^os.O_CREATE)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	size := int64(0)
	if !missing {
		if size, err = checkAt(l.dir, l.log, segmentName(l.segment)); err != nil {
			return err
		}
	}
	switch {
	case state == anchorEmpty && size == 0 && l.firstRun():
		if _, err := l.anchor.WriteAt(firstAnchor(l.opts.BootID, l.opts.Key), 0); err != nil {
			return fmt.Errorf("writing the first %q: %w", anchorName, err)
		}
		if err := l.anchor.Sync(); err != nil {
			return fmt.Errorf("storing the first %q: %w", anchorName, err)
		}
	case state != anchorGood || a.Count > 0:
		return nil // what is missing then is tampering, and Append says so
	}
	if missing {
		return l.createLog()
	}
	return nil
}

// firstRun reports whether no part of a log exists. A folder that lacks its first segment and its
// anchor only looks new.
func (l *Log) firstRun() bool {
	s, err := openSegments(l.dir.Name(), l.opts.Codec)
	if err != nil {
		return false
	}
	defer s.Close()
	n, _ := s.last()
	return n == 0
}

func (l *Log) createLog() (err error) {
	if l.log, err = openAt(l.dir, segmentName(l.segment), openLogFlags); err != nil {
		return err
	}
	for _, f := range []*os.File{l.log, l.dir} {
		if err := f.Sync(); err != nil {
			return fmt.Errorf("storing the new %q: %w", segmentName(l.segment), err)
		}
	}
	parent, err := os.Open(filepath.Dir(l.dir.Name()))
	if err != nil {
		return nil // not readable: the folder's creator stored it
	}
	defer parent.Close()
	_ = parent.Sync()
	return nil
}

// reserve makes the reserve file if there is room; without it the log works until the disk is full.
func (l *Log) reserve() {
	f, err := openAt(l.dir, reserveName, openLockFlags|os.O_EXCL)
	if err != nil {
		return
	}
	defer f.Close()
	if reserveBlocks(f, reserveSize) != nil {
		_ = removeAt(l.dir, reserveName)
	}
}

// Relieve frees the reserve when the disk is full, so that the end of what has begun can be
// recorded. The next OpenLog makes a new one if there is room.
func (l *Log) Relieve() error {
	err := removeAt(l.dir, reserveName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &os.PathError{Op: "remove", Path: reserveName, Err: err}
	}
	return nil
}

// Close closes the files. Entries need no flushing.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	closeAll(l.log, l.anchor, l.lock, l.mark, l.dir)
	l.log, l.anchor, l.lock, l.mark = nil, nil, nil, nil
	return nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// takeLock takes the append lock of the file that has its name now.
func (l *Log) takeLock() (err error) {
	l.lock, err = l.lockNamed(l.lock, lockName)
	return err
}

func (l *Log) freeLock() {
	if l.lock != nil {
		_ = flock.Unlock(l.lock)
	}
}

// wait waits for the lock of f, and closes f after an error.
func (l *Log) wait(f *os.File) error {
	if flock.Try(f) == nil {
		return nil // nearly always: no clock is needed
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.opts.Wait)
	defer cancel()
	err := flock.Wait(ctx, f, unix.LOCK_EX, l.opts.Waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrBusy
	}
	return err
}

// lockNamed locks a lock file. It opens the file again if held is nil or its name no longer refers
// to held: two processes with two lock files would fork the chain.
func (l *Log) lockNamed(held *os.File, name string) (*os.File, error) {
	for range 8 {
		if held == nil {
			f, err := openAt(l.dir, name, openLockFlags)
			if errors.Is(err, errMoved) {
				continue
			}
			if err != nil {
				return nil, err
			}
			held = f
		}
		if err := l.wait(held); err != nil {
			return nil, fmt.Errorf("locking %q: %w", name, err)
		}
		_, err := checkAt(l.dir, held, name)
		if err == nil {
			return held, nil
		}
		held.Close()
		held = nil
		if !errors.Is(err, errMoved) {
			return nil, err
		}
	}
	return nil, &TamperError{File: name, Offset: -1, Reason: "it is replaced again and again"}
}

type anchorState int

const (
	anchorBad   anchorState = iota // neither slot is whole
	anchorEmpty                    // created, never written
	anchorGood
)

func (l *Log) readAnchor() (Anchor, anchorState, error) {
	var buf [anchorSize + 1]byte
	n, err := l.anchor.ReadAt(buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Anchor{}, anchorBad, fmt.Errorf("reading %q: %w", anchorName, err)
	}
	if n == 0 {
		return Anchor{}, anchorEmpty, nil
	}
	a, ok := parseAnchor(buf[:n], l.opts.Key)
	if !ok {
		return Anchor{}, anchorBad, nil
	}
	return a, anchorGood, nil
}

func (l *Log) writeAnchor(a Anchor) error {
	a.turn++
	if _, err := l.anchor.WriteAt(a.appendSlot(nil, l.opts.Key), a.turn%2*slotSize); err != nil {
		return fmt.Errorf("writing %q: %w", anchorName, err)
	}
	return nil
}

// bytes reads the segment being written to, by offsets into the whole log.
func (l *Log) bytes(a Anchor) shifted { return shifted{l.log, a.Base} }
