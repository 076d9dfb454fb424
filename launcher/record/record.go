package record

import (
	"errors"
	"fmt"
	"io"
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

// HasTranscript reports whether there is a file for the transcript of a session, given by its whole
// id.
func (r *Record) HasTranscript(sid string) bool {
	return state.IsID(sid) && slices.ContainsFunc([]string{"", ".zst"}, func(packed string) bool {
		_, err := os.Lstat(r.dir.Cast(sid) + packed)
		return err == nil
	})
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
