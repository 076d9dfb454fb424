package launcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// What a person does to the record itself: go on after tampering, seal, remove a text, give up
// what is old. Each leaves an entry.

// Accept lets the log go on after it was found changed, because a person said why.
func (l *Launcher) Accept(reason string) (audit.Entry, error) {
	log, err := l.openLog()
	if err != nil {
		return audit.Entry{}, err
	}
	defer log.Close()
	return log.Accept(reason)
}

// Seal signs the log up to here and throws the key away.
func (l *Launcher) Seal() (audit.Entry, error) {
	log, err := l.openLog()
	if err != nil {
		return audit.Entry{}, err
	}
	defer log.Close()
	return log.Seal(l.random)
}

// Redact removes the data of events from a session's transcript, for good, and says so in the
// log. The proofs of all that stays, and the head of the session, stay what they were. It
// returns the events that were removed: more than asked for, where others showed the same.
func (l *Launcher) Redact(id string, events []int64, reason string) (removed []int64, err error) {
	src, err := l.openCast(id)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if audit.Recording(src) {
		return nil, fmt.Errorf("redact session %q: %w", id, audit.ErrRecording)
	}
	path := l.home.Cast(id)
	copied := path + ".redacting"
	if err := os.Remove(copied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dst, err := os.OpenFile(copied, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer os.Remove(copied)
	removed, err = audit.Redact(dst, src, events)
	if err = errors.Join(err, dst.Sync(), dst.Close()); err != nil || len(removed) == 0 {
		return removed, err
	}
	if err := l.recordRedaction(id, removed, reason); err != nil {
		return nil, err
	}
	if err := os.Rename(copied, path); err != nil {
		return nil, err
	}
	if err := os.Remove(path + ".zst"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return removed, fmt.Errorf("what was removed still stands in the packed transcript: %w", err)
	}
	return removed, syncFolder(filepath.Dir(path)) // else the old file could be back after a power cut
}

// recordRedaction stands on the disk before the text goes: else the redacted file would look
// changed to whoever verifies it after a power cut.
func (l *Launcher) recordRedaction(id string, events []int64, reason string) error {
	log, err := l.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	list := make([]any, len(events))
	for i, n := range events {
		list[i] = n
	}
	body, err := canonical.Append(nil, object{"sid": id, "events": list, "reason": reason})
	if err != nil {
		return err
	}
	_, err = log.Append(audit.KindRedact, body, audit.Durable)
	return err
}

// Freed is what Collect gave up.
type Freed struct {
	Sessions     []string // whose transcripts were dropped
	SessionBytes int64
	Entries      int64 // of the log, whose hashes are kept
	LogBytes     int64
	Archives     int // of protected files that were overridden
	Packed       audit.Packed
}

// Collect gives up transcripts and parts of the log that fall under r, oldest first, and archived versions of protected
// files by their age, and packs the transcripts that stay. What is being recorded is left alone. What was proven stays so.
func (l *Launcher) Collect(ctx context.Context, r audit.Retention, reason string) (f Freed, err error) {
	if l.codec.Decoder == nil { // a packed transcript would count as lost
		return f, audit.ErrPacked
	}
	log, err := l.openLog()
	if err != nil {
		return f, err
	}
	defer log.Close()
	if _, err := log.Orphans(); err != nil {
		return f, err
	}
	if r != (audit.Retention{}) {
		f.Sessions, f.SessionBytes, err = log.DropSessions(l.home.Sessions(), r, l.now(), reason, l.recording)
		if err != nil {
			return f, err
		}
		f.Entries, f.LogBytes, err = log.Prune(r, reason, l.kept)
		if err != nil {
			return f, err
		}
	}
	if r.MaxAge > 0 {
		if f.Archives, err = l.expireArchives(log, l.now().Add(-r.MaxAge)); err != nil {
			return f, err
		}
	}
	if log.SealDue() {
		if _, err := log.Seal(l.random); err != nil {
			return f, err
		}
	}
	f.Packed, err = audit.PackFolder(ctx, l.home.Sessions(), l.worthPacking, l.codec)
	return f, err
}

// expireArchives gives up what protected files of all workspaces were before and after an override that is older than that moment.
func (l *Launcher) expireArchives(log *audit.Log, before time.Time) (gone int, err error) {
	entries, err := os.ReadDir(l.home.Shadow())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		s := l.storeNamed(e.Name())
		n, expireErr := s.Expire(l.person(tamper.CLI), before)
		gone += n
		err = errors.Join(err, expireErr, deliver(log, s, audit.Lazy))
	}
	return gone, err
}

// worthPacking is false for a transcript that takes no less room packed: a file system gives
// out whole blocks.
func (l *Launcher) worthPacking(name string) bool {
	info, err := os.Stat(filepath.Join(l.home.Sessions(), name))
	return err == nil && info.Size() > 4096
}

// recording tells whether a session's transcript is still written.
func (l *Launcher) recording(id string) bool {
	f, err := l.openCast(id)
	if err != nil {
		return false
	}
	defer f.Close()
	return audit.Recording(f)
}

// kept tells whether a session's transcript is there.
func (l *Launcher) kept(id string) bool {
	f, err := l.openCast(id)
	if f != nil && err == nil {
		f.Close()
	}
	return err == nil
}
