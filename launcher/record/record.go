package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/archive"
	"github.com/tada-run/tada-run/launcher/state"
)

// A Record is the log and the transcripts of a state directory.
type Record struct {
	Codec audit.Codec // of transcripts at rest; its zero value reads no packed ones
	// Passkeys checks what passkeys have signed; nil in a program that does without that code
	Passkeys func(partial bool) audit.PasskeyCheck

	dir    *state.Directory
	once   sync.Once
	folder *archive.Folder
}

// Of returns the record of a state directory.
func Of(dir *state.Directory) *Record { return &Record{dir: dir} }

// OpenLog opens the hash-chained log for appending. The environment does not decide where it is
// kept: $AUDIT_LOG_PATH belongs to the caller.
func (r *Record) OpenLog() (*audit.Log, error) {
	log, err := audit.OpenLog(r.dir.Audit(),
		audit.LogOptions{Now: r.dir.Now, BootID: r.dir.BootID, Codec: r.Codec, Mark: r.dir.Mark(),
			Waiting: r.dir.WaitsFor, Policies: r.policies()})
	if errors.Is(err, audit.ErrUnsafe) {
		err = fmt.Errorf("%w; try: ls -la %q", err, r.dir.Audit())
	}
	return log, err
}

// policies are the bundles of the fleet that are in force, which each entry names. Nothing runs
// while they cannot be read.
func (r *Record) policies() []string {
	all, err := r.dir.Bundles()
	if err != nil || len(all) == 0 || !r.dir.Joined() {
		return nil
	}
	force, _ := state.InForce(all)
	return state.BundleNames(force)
}

// Transcripts is the folder of the transcripts. Codec must not change any more.
func (r *Record) Transcripts() *archive.Folder {
	r.once.Do(func() { r.folder = &archive.Folder{Dir: r.dir.Sessions(), Codec: r.Codec} })
	return r.folder
}

// Transcript opens the transcript of a session for reading, packed or not. It is fs.ErrNotExist for
// one that was dropped. Ids come from the log, which may have been edited: a text that is not an id
// must not become a path.
func (r *Record) Transcript(sid string) (io.ReadSeekCloser, error) {
	if !state.IsID(sid) {
		return nil, fmt.Errorf("session %q: %w", sid, os.ErrNotExist)
	}
	return r.Transcripts().Open(sid)
}

// Browse returns Transcript for who opens many of them: it looks for all files once.
func (r *Record) Browse() (func(sid string) (io.ReadSeekCloser, error), error) {
	b, err := r.Transcripts().Browse()
	if errors.Is(err, os.ErrNotExist) {
		return r.Transcript, nil
	}
	return func(sid string) (io.ReadSeekCloser, error) {
		if !state.IsID(sid) {
			return r.Transcript(sid)
		}
		return b.Open(sid)
	}, err
}

// HasTranscript reports whether a session, given by its whole id, has a transcript.
func (r *Record) HasTranscript(sid string) bool {
	return state.IsID(sid) && r.Transcripts().Has(sid)
}

// Sessions returns the ids of all sessions that have a transcript, oldest first.
func (r *Record) Sessions() ([]string, error) { return r.Transcripts().IDs(state.IsID) }

// SaySessions calls say with the id of each session that has a transcript, with some of them twice.
func (r *Record) SaySessions(say func(id string)) error {
	return r.Transcripts().Say(func(id string) {
		if state.IsID(id) {
			say(id)
		}
	})
}
