package launcher

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

// openLog opens the hash-chained log for appending. Where it is kept is not for the environment
// to say: $AUDIT_LOG_PATH belongs to whoever asks.
func (l *Launcher) openLog() (*audit.Log, error) {
	log, err := audit.OpenLog(l.state.Audit(), audit.LogOptions{Now: l.state.Now, BootID: l.state.BootID, Mark: l.state.Mark(), Waiting: l.state.WaitsFor})
	if errors.Is(err, audit.ErrUnsafe) {
		err = fmt.Errorf("%w; try: ls -la %q", err, l.state.Audit())
	}
	return log, err
}

// openCast opens the transcript of a session. Ids come from the log, which somebody may have
// edited: what is no id must not become a path.
func (l *Launcher) openCast(sid string) (io.ReadSeekCloser, error) {
	if !state.IsID(sid) {
		return nil, fmt.Errorf("session %q: %w", sid, os.ErrNotExist)
	}
	return audit.OpenTranscript(l.state.Cast(sid), l.codec)
}

// Sessions returns the ids of all sessions that have a transcript, oldest first.
func (l *Launcher) Sessions() ([]string, error) {
	entries, err := os.ReadDir(l.state.Sessions())
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
func (l *Launcher) Entries(f audit.Filter) iter.Seq2[audit.Entry, error] {
	return audit.Entries(l.state.Audit(), f)
}

// Gaps returns the parts of the log that hold no entries or are not proven, oldest first.
func (l *Launcher) Gaps() (gaps []audit.Gap, err error) {
	for e, err := range l.Entries(audit.Filter{Kinds: []string{audit.KindAccept, audit.KindRecover}}) {
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

// Transcript opens the transcript of a session for reading, packed or not. It is fs.ErrNotExist
// for one that was dropped.
func (l *Launcher) Transcript(id string) (io.ReadSeekCloser, error) { return l.openCast(id) }
