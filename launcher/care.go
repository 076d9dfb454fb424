package launcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// What a person does to the record itself: go on after tampering, seal, remove a text, give up
// what is old. Each leaves an entry.

// Accept lets the log continue after it was found changed, because the person at tty has read the
// findings and typed what the page asks for. What was changed stays unproven: see [audit.Gap]. The
// error wraps [approval.ErrPeer] for a process that may not answer questions, [ErrNobody] if no one
// answered, and [ErrNotAccepted] if the person refused.
func (l *Launcher) Accept(ctx context.Context, tty *os.File, reason string) (audit.Entry, error) {
	if _, err := l.May(approval.AcceptRecord, approval.ChannelTadactl); err != nil {
		return audit.Entry{}, err
	}
	found, seen := l.changed(), l.StorePlace(ctx)
	payload, err := acceptPage(l.state.Audit(), found, reason)
	if err != nil {
		return audit.Entry{}, err
	}
	yes, _, err := l.AskQuestion(ctx, tty, approval.Question{Payload: payload})
	switch {
	case err != nil:
		return audit.Entry{}, err
	case !yes:
		return audit.Entry{}, ErrNotAccepted
	}
	log, err := l.OpenLog()
	if err != nil {
		return audit.Entry{}, err
	}
	defer log.Close()
	e, err := log.Accept(permit.Person(), reason, seen...)
	if err == nil && len(seen) > 0 {
		err = l.Store.Follow(ctx, e.Place().String())
	}
	return e, err
}

// ErrNotAccepted is returned by Accept when the person at the terminal refused.
var ErrNotAccepted = errors.New("not accepted; nothing was changed")

// changed says what is wrong with the log, "" if the log alone does not show it.
func (l *Launcher) changed() string {
	if _, err := l.Verify(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err.Error()
	}
	return ""
}

// acceptPage is the question whether the record may go on. It is of the highest risk: what a person
// accepts here stays unproven for ever.
func acceptPage(folder, found, reason string) ([]byte, error) {
	if found == "" {
		found = "the log verifies; an earlier entry may not have been stored"
	}
	return canonical.Append(nil, object{
		"agent_name": "", "work_item_id": "", "risk": 3, "trust": "human",
		"tool_calls": []any{object{
			"tool_call_id": "c1", "tool_name": "audit accept",
			"args": object{"record": folder, "found": found, "reason": reason},
		}},
		"reasons": []any{object{
			"rule": "audit.accept", "decision": "ask", "risk": 3,
			"message": "accepts a record that was changed; the changed part stays unproven",
		}},
	})
}

// Seal signs the log up to here and throws the key away.
func (l *Launcher) Seal() (audit.Entry, error) {
	log, err := l.OpenLog()
	if err != nil {
		return audit.Entry{}, err
	}
	defer log.Close()
	e, err := log.Seal(l.state.Random)
	if err == nil {
		_ = l.MoveOn(e)
	}
	return e, err
}

// transcripts is the lock of those that remove a closed transcript or put another file in its
// place: a packing that went on beside a redaction would bring back what was removed, or remove the
// only copy.
const transcripts = "transcripts"

// Redact removes the data of events from a session's transcript, for good, and says so in the
// log. The proofs of all that stays, and the head of the session, stay what they were. It
// returns the events that were removed: more than asked for, where others showed the same.
func (l *Launcher) Redact(id string, events []int64, reason string) (removed []int64, err error) {
	alone, err := l.state.Lock(transcripts, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer alone.Close()
	src, err := l.Transcript(id)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if l.recording(id) {
		return nil, fmt.Errorf("redact session %q: %w", id, audit.ErrRecording)
	}
	path := l.state.Cast(id)
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
	if err := l.Transcripts().RemovePacked(id); err != nil {
		return removed, fmt.Errorf("the removed text is still in a packed transcript: %w", err)
	}
	// else the old file could be back after a power cut
	return removed, state.SyncFolder(filepath.Dir(path))
}

// recordRedaction writes the entry to the disk before the text is removed: otherwise the redacted
// file would look changed to a verifier after a power cut.
func (l *Launcher) recordRedaction(id string, events []int64, reason string) error {
	log, err := l.OpenLog()
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
	Plans        audit.Packed
	Log          audit.Packed
	Store        int64 // bytes of the approval database
	Dropped      int   // plans of no entry that is left
	Undo         int   // runs that cannot be undone any more
}

// Collect gives up transcripts and parts of the log that fall under r, oldest first, and archived
// versions of protected files by their age, and packs the transcripts that stay; where r does not
// say how large these may be, record.quota does. What is being recorded is left alone. What was
// proven stays so.
func (l *Launcher) Collect(ctx context.Context, r audit.Retention,
	reason string) (f Freed, err error) {
	if l.Codec.Decoder == nil { // a packed transcript would count as lost
		return f, audit.ErrPacked
	}
	alone, err := l.state.Lock(transcripts, syscall.LOCK_EX)
	if err != nil {
		return f, err
	}
	defer alone.Close()
	log, err := l.OpenLog()
	if err != nil {
		return f, err
	}
	defer log.Close()
	if _, err := log.Orphans(); err != nil {
		return f, err
	}
	if r != (audit.Retention{}) {
		f.Sessions, f.SessionBytes, err = l.Transcripts().Drop(log, r, l.state.Now(), reason,
			l.recording)
		if err != nil {
			return f, err
		}
		if err := l.pin(log); err != nil {
			return f, err
		}
		f.Entries, f.LogBytes, err = log.Prune(r, reason, l.HasTranscript)
		if err == nil && f.Entries > 0 {
			f.Dropped, err = l.dropPlans()
		}
		if err != nil {
			return f, err
		}
	}
	if r.MaxAge > 0 {
		if f.Archives, err = l.expireArchives(log, l.state.Now().Add(-r.MaxAge)); err != nil {
			return f, err
		}
	}
	if f.Undo, err = l.collectKept(0); err != nil {
		return f, err
	}
	if log.SealDue() {
		if _, err := log.Seal(l.state.Random); err != nil {
			return f, err
		}
	}
	err = l.pack(ctx, log, r.MaxBytes == 0, &f)
	return f, err
}

// pack keeps the record small. What fails in one place is no reason not to go on in the others.
func (l *Launcher) pack(ctx context.Context, log *audit.Log, quota bool, f *Freed) error {
	var errs []error
	done := func(err error) {
		if !errors.Is(err, audit.ErrPacking) {
			errs = append(errs, err)
		}
	}
	if quota { // first: it makes room
		done(l.keepQuota(log, f))
	}
	var err error
	f.Packed, err = l.Transcripts().Pack(ctx, audit.Alive(l.state.Audit()))
	done(err)
	// what tada-run reads, which unpacks nothing, must not be packed
	if log.Packable() {
		if err = l.pin(log); err == nil {
			f.Log, err = log.Pack(ctx)
		}
		done(err)
	}
	f.Plans, err = plans.Pack(ctx, l.state.Plans(), l.Codec)
	done(err)
	done(l.TidyIfDue(ctx))
	f.Store, err = l.Compact(ctx)
	done(err)
	return errors.Join(errs...)
}

// keepQuota gives up the oldest transcripts beyond record.quota.
func (l *Launcher) keepQuota(log *audit.Log, f *Freed) error {
	r := audit.Retention{MaxBytes: l.policy.Settings().TranscriptQuota()}
	ids, size, err := l.Transcripts().Drop(log, r, l.state.Now(), "record.quota", l.recording)
	f.Sessions, f.SessionBytes = append(f.Sessions, ids...), f.SessionBytes+size
	return err
}

// pin has the store remember the end of the log before the beginning goes: a store whose place is
// gone counts as old.
func (l *Launcher) pin(log *audit.Log) error {
	if !l.HasStore() {
		return nil
	}
	for e, err := range audit.Newest(l.state.Audit(), audit.Filter{Codec: l.Codec}) {
		if err == nil && slices.Contains(l.StorePlace(context.Background()), e.Place()) {
			return nil
		}
		break
	}
	e, err := log.Seal(l.state.Random)
	if err != nil {
		return err
	}
	return l.MoveOn(e)
}

// expireArchives gives up what protected files of all workspaces were before and after an override
// that is older than that moment.
func (l *Launcher) expireArchives(log *audit.Log, before time.Time) (gone int, err error) {
	entries, err := os.ReadDir(l.state.Shadow())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		s := l.storeNamed(e.Name())
		n, expireErr := s.Expire(person(tamper.CLI), before)
		gone += n
		err = errors.Join(err, expireErr, record.Deliver(log, s, audit.Lazy))
	}
	return gone, err
}

// recording reports whether a session's transcript is still written. Its run has a place from
// before there is a transcript until its end is recorded; the transcript is there for a moment
// before it is locked.
func (l *Launcher) recording(id string) bool {
	if audit.Alive(l.state.Audit())(id) {
		return true
	}
	f, err := l.Transcript(id)
	if err != nil {
		return false
	}
	defer f.Close()
	return audit.Recording(f)
}
