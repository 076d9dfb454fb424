package record

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
)

// A Record is the log and the transcripts of a state directory.
type Record struct {
	Codec audit.Codec // of transcripts at rest; its zero value reads no packed ones

	dir *state.Directory
}

// Of returns the record of a state directory.
func Of(dir *state.Directory) *Record { return &Record{dir: dir} }

// OpenLog opens the hash-chained log for appending. The environment does not decide where it is
// kept: $AUDIT_LOG_PATH belongs to the caller.
func (r *Record) OpenLog() (*audit.Log, error) {
	log, err := audit.OpenLog(r.dir.Audit(),
		audit.LogOptions{Now: r.dir.Now, BootID: r.dir.BootID, Mark: r.dir.Mark(),
			Waiting: r.dir.WaitsFor})
	if errors.Is(err, audit.ErrUnsafe) {
		err = fmt.Errorf("%w; try: ls -la %q", err, r.dir.Audit())
	}
	return log, err
}

// Transcript opens the transcript of a session for reading, packed or not. It is fs.ErrNotExist for
// one that was dropped. Ids come from the log, which may have been edited: a text that is not an id
// must not become a path.
func (r *Record) Transcript(sid string) (io.ReadSeekCloser, error) {
	if !state.IsID(sid) {
		return nil, fmt.Errorf("session %q: %w", sid, os.ErrNotExist)
	}
	return audit.OpenTranscript(r.dir.Cast(sid), r.Codec)
}

// Sessions returns the ids of all sessions that have a transcript, oldest first.
func (r *Record) Sessions() ([]string, error) {
	entries, err := os.ReadDir(r.dir.Sessions())
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".zst"), ".cast")
		if ok && state.IsID(id) {
			ids = append(ids, id)
		}
	}
	return slices.Compact(ids), nil // a packing that died leaves both files
}

// Entries returns the entries of the log, oldest first. It reads and does not prove.
func (r *Record) Entries(f audit.Filter) iter.Seq2[audit.Entry, error] {
	return audit.Entries(r.dir.Audit(), f)
}

// Gaps returns the parts of the log that hold no entries or are not proven, oldest first.
func (r *Record) Gaps() (gaps []audit.Gap, err error) {
	for e, err := range r.Entries(audit.Filter{Kinds: []string{audit.KindAccept,
		audit.KindRecover}}) {
		var bad *audit.BadEntry
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, nil
		case errors.As(err, &bad): // set apart, or found by verify
		case err != nil:
			return gaps, err
		}
		if g, ok := e.Gap(); ok {
			gaps = append(gaps, g)
		}
	}
	return gaps, nil
}
