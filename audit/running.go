package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Kinds of entries that tell a run's story. The launcher writes all but
// KindOrphan; these members of their bodies are read here, by Orphans and by
// VerifyOptions.Complete:
//
//	exec.intent  sid, verdict, plan_hash     before anything runs
//	exec.start   sid, authority, envelope_id it runs; batch_plan, where the envelope is for several calls
//	exec.end     sid                         it has ended
//	exec.denied  sid                         it was not permitted
//	exec.failed  sid                         it could not be started
//	exec.orphan  sid, started                its launcher died, and nobody saw the end
const (
	KindIntent = "exec.intent"
	KindStart  = "exec.start"
	KindEnd    = "exec.end"
	KindDenied = "exec.denied"
	KindFailed = "exec.failed"
	KindOrphan = "exec.orphan"
)

// endsRun tells whether an entry is the last word on a run.
func endsRun(kind string) bool {
	return kind == KindEnd || kind == KindDenied || kind == KindFailed || kind == KindOrphan
}

// runningName is the folder with a file for each run that has begun and not
// ended.
const runningName = "running"

// A Running holds a run's place among those that have not ended. It is a
// locked file: the kernel lets go of it when the process dies, however it
// dies, and no number that is used again stands in for a process.
type Running struct {
	l   *Log
	dir *os.File
	f   *os.File
	sid string
}

// Begin takes the place of run sid; call it before the run's intent is
// appended, and Running.End after its end is. A process that dies in between
// is found by Orphans. It returns fs.ErrExist when the run has begun already.
// The descriptor is close-on-exec; a child that is forked and never executes
// would keep the place taken.
func (l *Log) Begin(sid string) (*Running, error) {
	if !validSID(sid) {
		return nil, fmt.Errorf("begin run %q: %w", sid, ErrUnsafe)
	}
	dir, err := l.openRunning()
	if err != nil {
		return nil, fmt.Errorf("begin run %q: %w", sid, err)
	}
	for range 100 {
		f, err := openAt(dir, sid, openLockFlags|os.O_EXCL)
		if errors.Is(err, errMoved) { // it was removed as soon as it was there
			continue
		}
		if err != nil {
			dir.Close()
			return nil, fmt.Errorf("begin run %q: %w", sid, err)
		}
		// Between its creation and its lock an Orphans of another process may
		// take the file for one that was left, and remove it: then once more.
		if flockNow(f) == nil {
			if _, err := checkAt(dir, f, sid); err == nil {
				return &Running{l, dir, f, sid}, nil
			}
		}
		f.Close()
		_ = removeAt(dir, sid)
	}
	dir.Close()
	return nil, fmt.Errorf("begin run %q: %w", sid, ErrBusy)
}

// End gives the run's place back: its end is in the log.
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

// Alive returns what tells whether the process of a run of the log in dir
// lives, for VerifyOptions.Running. It looks at locks, not at numbers of
// processes, and works for whoever may open the folder.
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

// Orphans finds the runs whose process died before it could tell their end,
// and appends an entry of kind exec.orphan for each, durably. It returns their
// ids. It costs one look into a folder when there are none: call it whenever a
// log is opened.
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

// orphan tells the end of one run if its process is gone. Its file is locked
// meanwhile, so that only one process tells it.
func (l *Log) orphan(dir *os.File, sid string) (bool, error) {
	f, err := openAt(dir, sid, openLockFlags&^os.O_CREATE)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errMoved) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if flockNow(f) != nil {
		return false, nil // it lives
	}
	if _, err := checkAt(dir, f, sid); err != nil {
		return false, nil // somebody was faster
	}
	begun, started, ended := l.story(sid)
	if begun && !ended {
		body := append(appendString([]byte(`{"sid":`), sid), fmt.Sprintf(`,"started":%t}`, started)...)
		if _, err := l.Append(KindOrphan, body, Durable); err != nil {
			return false, err
		}
	}
	if err := removeAt(dir, sid); err != nil && !errors.Is(err, fs.ErrNotExist) { // its owner may just have given it up
		return false, err
	}
	return begun && !ended, nil
}

// story reads how far the log tells a run.
func (l *Log) story(sid string) (begun, started, ended bool) {
	text := string(appendString([]byte(`"sid":`), sid))
	for e, err := range Entries(l.dir.Name(), Filter{Kinds: []string{"exec."}, Text: text}) {
		var b struct{ SID string }
		if err != nil || json.Unmarshal(e.Body, &b) != nil || b.SID != sid {
			continue
		}
		begun = true
		started = started || e.Kind == KindStart
		ended = ended || endsRun(e.Kind)
	}
	return begun, started, ended
}
