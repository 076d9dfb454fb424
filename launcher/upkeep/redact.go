package upkeep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
)

// transcripts is the lock of those that remove a closed transcript or put another file in its
// place: a packing that went on beside a redaction would bring back what was removed, or remove the
// only copy.
const transcripts = "transcripts"

// Redact removes the data of events from a session's transcript, for good, and says so in the
// log. The proofs of all that stays, and the head of the session, stay what they were. It
// returns the events that were removed: more than asked for, where others showed the same.
func (k *Keeper) Redact(id string, events []int64, reason string) (removed []int64, err error) {
	alone, err := k.dir.Lock(transcripts, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer alone.Close()
	src, err := k.record.Transcript(id)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if k.recording(id) {
		return nil, fmt.Errorf("redact session %q: %w", id, audit.ErrRecording)
	}
	path := k.dir.Cast(id)
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
	if err := k.recordRedaction(id, removed, reason); err != nil {
		return nil, err
	}
	if err := os.Rename(copied, path); err != nil {
		return nil, err
	}
	if err := k.record.Transcripts().RemovePacked(id); err != nil {
		return removed, fmt.Errorf("the removed text is still in a packed transcript: %w", err)
	}
	// else the old file could be back after a power cut
	return removed, state.SyncFolder(filepath.Dir(path))
}

// recordRedaction writes the entry to the disk before the text is removed: otherwise the redacted
// file would look changed to a verifier after a power cut.
func (k *Keeper) recordRedaction(id string, events []int64, reason string) error {
	log, err := k.record.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	list := make([]any, len(events))
	for i, n := range events {
		list[i] = n
	}
	body, err := canonical.Append(nil, map[string]any{"sid": id, "events": list, "reason": reason})
	if err != nil {
		return err
	}
	_, err = log.Append(audit.KindRedact, body, audit.Durable)
	return err
}

// recording reports whether a session's transcript is still written. Its run has a place from
// before there is a transcript until its end is recorded; the transcript is there for a moment
// before it is locked.
func (k *Keeper) recording(id string) bool {
	if audit.Alive(k.dir.Audit())(id) {
		return true
	}
	f, err := k.record.Transcript(id)
	if err != nil {
		return false
	}
	defer f.Close()
	return audit.Recording(f)
}
