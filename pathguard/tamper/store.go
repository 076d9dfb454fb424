package tamper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/flock"
	"golang.org/x/sys/unix"
)

// Options are what a store needs to know of the world.
type Options struct {
	// the folder that patterns are relative to, absolute; required
	Root string
	// what is protected: names and patterns, relative to Root or absolute
	Patterns []string
	Now      func() time.Time // required
	// whether the process that a run belongs to still lives; nil means that none does
	Alive func(owner string) bool
	// check every file that has a baseline, whatever the patterns say now
	All bool
	// write the checksums to Root/.tada/checksum, for people and other programs
	Export bool
	// Patterns are all that the folder protects: a file that none of them names is protected no
	// longer
	Complete bool
	// called by a wait for the lock after a second, and after five; may be nil
	Waiting func(lock *os.File, waited time.Duration)
	// how many overridden events are archived, at most; 0 means [DefaultKeep]
	Keep int
}

// Limits of a store.
const (
	DefaultKeep = 100
	// MaxShadow is the size up to which a file's content is stored. Of a longer file there is only
	// the hash: it is checked like any other, and cannot be shown or restored.
	MaxShadow = 16 << 20
	// lockWait bounds the wait for other processes. Each needs milliseconds, and many on a slow
	// disk take turns; only one that was stopped in the middle takes longer.
	lockWait = 30 * time.Second
)

// A Store keeps the baselines of the protected files of one folder in a directory of its own. Its
// methods may be called by any number of processes at once.
type Store struct {
	dir  string
	o    Options
	step func(string) error // called between any two steps; nil outside of tests

	paranoid bool

	cached   *manifest
	cachedAt stamp // of the file that it was read from
}

// Open returns the store in dir, which must be a directory that only this user can reach, or not
// exist yet. Nothing is read or made before it is needed.
func Open(dir string, o Options) *Store {
	if o.Keep <= 0 {
		o.Keep = DefaultKeep
	}
	return &Store{dir: dir, o: o}
}

// Paranoid makes every later verification read every file, whatever its stamp says: against an
// attacker who can set the clock, or write to the disk below the file system.
func (s *Store) Paranoid() { s.paranoid = true }

// Root returns the folder that the store is about.
func (s *Store) Root() string { return s.o.Root }

func (s *Store) at(step string) error {
	if s.step == nil {
		return nil
	}
	return s.step(step)
}

func (s *Store) manifestPath() string { return filepath.Join(s.dir, "manifest") }
func (s *Store) blobPath(raw string) string {
	return filepath.Join(s.dir, "blobs", raw)
}

// load reads the manifest, an empty one where there is none. It is read again only when the file is
// another one: a new manifest is a new inode.
func (s *Store) load() (*manifest, error) {
	now, err := glance(s.manifestPath())
	if err != nil {
		return nil, err
	}
	if s.cached != nil && now == s.cachedAt && s.old(now) {
		return s.cached, nil
	}
	text, err := readOwn(s.manifestPath())
	if errors.Is(err, os.ErrNotExist) {
		return newManifest(), nil
	}
	if err != nil {
		return nil, err
	}
	m, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("%q: %w; try: tadactl tamper log", s.manifestPath(), err)
	}
	s.cached, s.cachedAt = m, now
	return m, nil
}

// racy is how long after its last change a file may change again without another time of change:
// two seconds is the coarsest clock of the file systems in use (FAT), and more than the tick of any
// kernel.
const racy = 2 * time.Second

// old reports whether the stamp can be trusted to change with the next change of the file.
func (s *Store) old(st stamp) bool { return s.o.Now().UnixNano()-st.ctime > int64(racy) }

// update changes the manifest under the lock. What change returns false for is not written.
func (s *Store) update(change func(m *manifest) (bool, error)) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	s.cached = nil
	m, err := s.load()
	if err != nil {
		return err
	}
	s.cached = nil // m is changed from here on
	if err := s.recover(m); err != nil {
		return err
	}
	dirty, err := change(m)
	if err != nil || !dirty {
		return err
	}
	return s.commit(m)
}

// lock makes the directory where it is missing, and waits for the lock of the store.
func (s *Store) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Join(s.dir, "blobs"), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	err = flock.Wait(ctx, f, unix.LOCK_EX, s.o.Waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrBusy
	}
	if err != nil {
		return nil, fmt.Errorf("lock %q: %w", s.dir, err)
	}
	return func() { f.Close() }, nil
}

// commit replaces the manifest, then does what may follow it: nothing that is lost when the process
// dies here is missing afterwards, because recover does it.
func (s *Store) commit(m *manifest) error {
	if err := s.at("commit"); err != nil {
		return err
	}
	if err := replace(s.dir, "manifest", m.encode()); err != nil {
		return fmt.Errorf("write the baselines: %w", err)
	}
	if err := s.at("committed"); err != nil {
		return err
	}
	return s.publish(m)
}

// recover finishes what a process began and did not live to end.
func (s *Store) recover(m *manifest) error {
	m.forget(s.logged())
	if err := s.publish(m); err != nil {
		return err
	}
	return s.finishSaves(m)
}

// forget drops the events up to seq, which are in the log.
func (m *manifest) forget(seq uint64) {
	for len(m.events) > 0 && m.events[0].Seq <= seq {
		m.events = m.events[1:]
	}
}

// tell adds an event.
func (s *Store) tell(m *manifest, who Who, e Event) Event {
	e.Seq, e.Time = m.seq, s.o.Now().UTC()
	e.User, e.Interface, e.Task, e.Session = who.User, who.Interface, who.Task, who.Session
	m.seq++
	m.events = append(m.events, e)
	return e
}

// Unlogged returns the events that the record may not have yet, oldest first.
func (s *Store) Unlogged() ([]Event, error) {
	m, err := s.load()
	if err != nil {
		return nil, err
	}
	seq := s.logged()
	for i, e := range m.events {
		if e.Seq > seq {
			return m.events[i:], nil
		}
	}
	return nil, nil
}

// Logged says that the events up to seq are in the log. If this mark is lost, they are reported
// again.
func (s *Store) Logged(seq uint64) error {
	f, err := os.OpenFile(filepath.Join(s.dir, "logged"), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%020d\n", seq)
	return errors.Join(err, f.Close())
}

// Deliver passes every event that may not be in the log to record, oldest first, and remembers
// which it took. No other process delivers at the same time. It stops at the first error, which it
// returns.
func (s *Store) Deliver(record func(Event) error) error {
	if waiting, err := s.Unlogged(); err != nil || len(waiting) == 0 {
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	s.cached = nil
	waiting, err := s.Unlogged()
	for _, e := range waiting {
		if err == nil {
			err = record(e)
		}
		if err == nil {
			err = s.Logged(e.Seq)
		}
	}
	return err
}

func (s *Store) logged() uint64 {
	text, err := readOwn(filepath.Join(s.dir, "logged"))
	if err != nil {
		return 0
	}
	seq, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return seq
}

// replace writes a private file so that at any moment it is the old one or the new one, and after a
// power cut too.
func replace(dir, name string, content []byte) error {
	tmp := filepath.Join(dir, "."+name+".new")
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return syncDir(dir)
}

// readOwn reads a file that tada-run wrote. In its place there may be anything: in a workspace a
// link to a device, which has no end, or a FIFO, which would hold this process.
func readOwn(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() || info.Size() > maxOwn {
		return nil, fmt.Errorf("%q is not a regular file of at most %d MiB; try: ls -l %q", path,
			maxOwn>>20, path)
	}
	return io.ReadAll(io.LimitReader(f, maxOwn))
}

// maxOwn is more than a list of all protected files, or a copy of one, ever has.
const maxOwn = 64 << 20

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// keepBlob stores a content under its hash, unless it is there already.
func (s *Store) keepBlob(raw string, content []byte) error {
	if have, err := readOwn(s.blobPath(raw)); err == nil && hexSum(have) == raw {
		return nil
	}
	if err := s.at("blob"); err != nil {
		return err
	}
	return replace(filepath.Join(s.dir, "blobs"), raw, content)
}

// blob returns the content with this hash.
func (s *Store) blob(raw string) ([]byte, error) {
	content, err := readOwn(s.blobPath(raw))
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNotKept
	}
	if err == nil && hexSum(content) != raw {
		return nil, fmt.Errorf("copy %q: %w", raw, ErrCorrupt)
	}
	return content, err
}

// dropBlobs removes the copies that no baseline names any more. What stays behind costs room and
// nothing else.
func (s *Store) dropBlobs(m *manifest) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "blobs"))
	if err != nil {
		return
	}
	used := m.raws()
	for _, e := range entries {
		if !used[e.Name()] {
			_ = os.Remove(s.blobPath(e.Name()))
		}
	}
}
