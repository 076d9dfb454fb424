package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/flock"
)

// The kinds of entries about a run. The launcher writes all but KindOrphan; these members of their
// bodies are read here, by Orphans and by VerifyOptions.Complete:
//
//	exec.intent  sid, verdict, plan_hash     before anything runs
//	exec.start   sid, authority, envelope_id it runs; batch_plan, where the envelope is for several calls
//	exec.left    sid                         its command has ended, but not all processes
//	exec.end     sid                         it has ended, with all that it started
//	exec.denied  sid                         it was not permitted
//	exec.failed  sid                         it could not be started
//	exec.orphan  sid, started                its launcher died before the end
const (
	KindIntent = "exec.intent"
	KindStart  = "exec.start"
	KindLeft   = "exec.left"
	KindEnd    = "exec.end"
	KindDenied = "exec.denied"
	KindFailed = "exec.failed"
	KindOrphan = "exec.orphan"
)

// endsRun reports whether an entry is the last one of a run.
func endsRun(kind string) bool {
	return kind == KindEnd || kind == KindDenied || kind == KindFailed || kind == KindOrphan
}

// runningName is the folder with a file for each run that has begun and not ended.
const runningName = "running"

// A Running is a run's place among those that have not ended. It is a locked file: the kernel
// releases the lock when the process dies, however it dies, and there is no process number that
// could be reused.
//
// Any process may look for dead runs at any moment. So every name in the folder is made, changed
// and removed only by the process that holds the lock of the file behind it, after checking the
// name again under that lock. A place gets its name when it is already locked. So an unlocked place
// is a dead run, and a place that this process opened and locked, and that still has its name, may
// be removed.
type Running struct {
	l   *Log
	dir *os.File
	f   *os.File
	sid string
}

// Begin takes the place of run sid. Call it before the run's intent is appended, and Running.End
// after its end is. Orphans finds a process that dies in between. Begin returns fs.ErrExist if the
// run has already begun. The descriptor is close-on-exec; a child that is forked and never executes
// would keep the place taken.
func (l *Log) Begin(sid string) (*Running, error) {
	if !validSID(sid) {
		return nil, fmt.Errorf("begin run %q: %w", sid, ErrUnsafe)
	}
	dir, err := l.openRunning()
	if err != nil {
		return nil, fmt.Errorf("begin run %q: %w", sid, err)
	}
	f, err := l.place(dir, sid)
	if err != nil {
		dir.Close()
		return nil, fmt.Errorf("begin run %q: %w", sid, err)
	}
	return &Running{l, dir, f, sid}, nil
}

// draftPrefix begins the name of a place that may not be locked yet. No run has such a name
// (validSID).
const draftPrefix = "."

// place makes the file of a run, locked before it has the run's name. Until it is locked, Orphans
// in another process may take the draft for an abandoned one and remove it. Each attempt has
// another name, so that a process that is stopped during this blocks no other.
func (l *Log) place(dir *os.File, sid string) (*os.File, error) {
	for i := range 100 {
		draft := fmt.Sprintf("%s%s.%d", draftPrefix, sid, i)
		f, err := openName(dir, draft, openLockFlags|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		l.step("draft")
		ours, err := lockNamed(dir, f, draft)
		if err == nil && ours {
			l.step("draft locked")
			err = linkNew(dir, draft, sid)
			l.step("linked")
			err = errors.Join(err, removeAt(dir, draft))
			l.step("begun")
		}
		if err == nil && ours {
			return theLocked(dir, f, sid)
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return nil, ErrBusy
}

// theLocked returns the file of a place whose lock others meet who open it by name: f, unless the
// file system has other locks for each name of a file, as some of FUSE have. Then the lock of the
// name was free for a moment, in which Orphans finds no intent of the run.
func theLocked(dir, f *os.File, name string) (*os.File, error) {
	g, err := openName(dir, name, openLockFlags&^os.O_CREATE)
	if err != nil {
		f.Close()
		return nil, err
	}
	free, err := lockNamed(dir, g, name)
	if err == nil && !free {
		g.Close()
		return f, nil
	}
	f.Close()
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// lockNamed takes the lock of an open file, without waiting. It returns false if another process
// has the lock, or if the name no longer refers to this file.
func lockNamed(dir, f *os.File, name string) (bool, error) {
	if err := flock.Try(f); err != nil {
		if isLocked(err) {
			err = nil
		}
		return false, err
	}
	return isBehind(dir, f, name), nil
}

// End releases the run's place: its end is in the log.
func (r *Running) End() error {
	err := removeAt(r.dir, r.sid)
	closeAll(r.f, r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &os.PathError{Op: "remove", Path: filepath.Join(runningName, r.sid), Err: err}
	}
	return nil
}

func (l *Log) openRunning() (*os.File, error) {
	path := filepath.Join(l.dir.Name(), runningName)
	dir, err := openDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		dir, err = openDir(path)
	}
	return dir, err
}

// validSID keeps names from becoming paths.
func validSID(s string) bool {
	for _, c := range []byte(s) {
		if !kindByte(c) && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != "" && len(s) <= 64 && s[0] != '.'
}

// Alive returns a function that reports whether the process of a run of the log in dir is alive,
// for VerifyOptions.Running. It looks at locks, not at process numbers, and works for every user
// who may open the folder.
func Alive(dir string) func(sid string) bool {
	return func(sid string) bool {
		if !validSID(sid) {
			return false
		}
		f, err := openPlain(filepath.Join(dir, runningName, sid))
		if err != nil {
			return false
		}
		defer f.Close()
		return isWriting(f)
	}
}

// RunningIDs returns the runs of the log in dir that have a place among those that have not ended,
// dead ones too; see Alive.
func RunningIDs(dir string) ([]string, error) {
	names, err := os.ReadDir(filepath.Join(dir, runningName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []string
	for _, e := range names {
		if validSID(e.Name()) {
			list = append(list, e.Name())
		}
	}
	return list, err
}

// Orphans finds the runs whose process died before it could record their end, and appends an entry
// of kind exec.orphan for each, durably. It returns their ids. If there are none, it only reads a
// folder: call it whenever a log is opened.
func (l *Log) Orphans() ([]string, error) {
	dir, err := l.openRunning()
	if err != nil {
		return nil, fmt.Errorf("looking for orphans: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("looking for orphans: %w", err)
	}
	var list []string
	for _, sid := range names {
		lost, err := l.orphan(dir, sid)
		if err != nil {
			return list, fmt.Errorf("run %q has no end: %w", sid, err)
		}
		if lost {
			list = append(list, sid)
		}
	}
	return list, nil
}

// orphan records the end of one run if its process is gone, and removes its place. It holds the
// lock of the file, so that only one process does so.
func (l *Log) orphan(dir *os.File, name string) (lost bool, err error) {
	f, err := openName(dir, name, openLockFlags&^os.O_CREATE)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	l.step("found")
	if dead, err := lockNamed(dir, f, name); !dead {
		return false, err
	}
	l.step("dead")
	if !strings.HasPrefix(name, draftPrefix) {
		lost, err = l.lost(dir, f, name)
		if errors.Is(err, ErrPacked) {
			return false, nil // a program with a codec finds it
		} else if err != nil {
			return false, err
		}
	}
	l.step("told")
	// Earlier versions made places that were not locked yet, and removed the name of one that they
	// could not lock.
	if !isBehind(dir, f, name) {
		return lost, nil
	}
	if err := removeAt(dir, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return lost, err
	}
	return lost, nil
}

// lost appends the end of a run whose place is dead, unless the log has it or the place was gone
// after the log was searched.
func (l *Log) lost(dir, place *os.File, sid string) (bool, error) {
	info, err := place.Stat()
	if err != nil {
		return false, err
	}
	begun, started, ended, err := l.story(sid, info.ModTime())
	if err != nil || !begun || ended {
		return false, err
	}
	if !isBehind(dir, place, sid) {
		return false, nil
	}
	body := append(canonical.AppendString([]byte(`{"sid":`), sid), fmt.Sprintf(`,"started":%t}`,
		started)...)
	_, err = l.Append(KindOrphan, body, Durable)
	return err == nil, err
}

// storySlack is how far clocks may differ that are read one after the other.
const storySlack = time.Minute

// story returns which entries of a run the log has, whose place was made at a time. An intent is
// the first one, and comes after that. The log is read from its end; the error is ErrPacked if
// that part of it is packed.
func (l *Log) story(sid string, since time.Time) (begun, started, ended bool, err error) {
	ordered := true
	for e, err := range Newest(l.dir.Name(), Filter{Kinds: []string{"exec.", kindClock},
		Codec: l.opts.Codec}) {
		var b struct{ SID string }
		switch {
		case isBad(err):
			continue
		case err != nil:
			return begun, started, ended, err
		case e.Kind == kindClock:
			ordered = false
			continue
		case ordered && e.Time.Before(since.Add(-storySlack)):
			return begun, started, ended, nil
		case json.Unmarshal(e.Body, &b) != nil || b.SID != sid:
			continue
		}
		begun = true
		started = started || e.Kind == KindStart
		ended = ended || endsRun(e.Kind)
		if e.Kind == KindIntent {
			break
		}
	}
	return begun, started, ended, nil
}
