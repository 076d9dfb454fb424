package launcher

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// openLog opens the hash-chained log for appending. Where it is kept is not for the environment
// to say: $AUDIT_LOG_PATH belongs to whoever asks.
func (l *Launcher) openLog() (*audit.Log, error) {
	log, err := audit.OpenLog(l.home.Audit(), audit.LogOptions{Now: l.now, BootID: l.bootID, Mark: l.home.Mark()})
	if errors.Is(err, audit.ErrUnsafe) {
		err = fmt.Errorf("%w; try: ls -la %q", err, l.home.Audit())
	}
	return log, err
}

// Verify checks the log, and every transcript that it names, against what the log says. The
// error is an [audit.BadEntry] for the first thing that is not as it was written. Heads that
// were kept elsewhere are given as remember.
func (l *Launcher) Verify(remember ...audit.Point) (audit.Report, error) {
	return l.VerifyWith(audit.VerifyOptions{Remember: remember})
}

// VerifyWith is Verify with other options; what belongs to this state directory is filled in.
func (l *Launcher) VerifyWith(o audit.VerifyOptions) (audit.Report, error) {
	o.Mark, o.Running = l.home.Mark(), audit.Alive(l.home.Audit())
	o.Transcript = func(sid string) (io.ReadCloser, error) { return l.openCast(sid) }
	return audit.Verify(l.home.Audit(), o)
}

// Mark is where the head of the record is remembered outside of its folder.
func (h Home) Mark() string { return filepath.Join(h.Dir, "audit.mark") }

// openCast opens the transcript of a session. Ids come from the log, which somebody may have
// edited: what is no id must not become a path.
func (l *Launcher) openCast(sid string) (io.ReadSeekCloser, error) {
	if !isSessionID(sid) {
		return nil, fmt.Errorf("session %q: %w", sid, os.ErrNotExist)
	}
	return audit.OpenTranscript(l.home.Cast(sid), l.codec)
}

// errNoTranscript is for a session that the log knows of: a refusal, or a transcript that is gone.
var errNoTranscript = errors.New("it has no transcript")

// Session returns the id of the session with a transcript that begins with prefix, or the newest for "".
func (l *Launcher) Session(prefix string) (string, error) {
	ids, err := l.Sessions()
	if err != nil {
		return "", err
	}
	switch {
	case prefix == "" && len(ids) == 0:
		return "", errors.New("no session is recorded yet; try: tada-run 'ls -l'")
	case prefix == "":
		return ids[len(ids)-1], nil
	}
	id, err := oneSession(ids, prefix)
	if errors.Is(err, ErrNoSuch) {
		if past, known := l.Past(prefix); known == nil {
			err = fmt.Errorf("session %q (%s): %w; try: tadactl show %s", past.ID, past.State, errNoTranscript, past.ID)
		}
	}
	return id, err
}

// oneSession is only for sessions, with the next command to type.
func oneSession(ids []string, prefix string) (string, error) {
	id, err := only(ids, prefix)
	switch {
	case errors.Is(err, ErrAmbiguous):
		err = fmt.Errorf("session %q: %w; give more of it", prefix, err)
	case err != nil:
		err = fmt.Errorf("session %q: %w; try: tadactl sessions", prefix, err)
	}
	return id, err
}

// Sessions returns the ids of all sessions that have a transcript, oldest first.
func (l *Launcher) Sessions() ([]string, error) {
	entries, err := os.ReadDir(l.home.Sessions())
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".zst"), ".cast")
		if ok && isSessionID(id) {
			ids = append(ids, id)
		}
	}
	return slices.Compact(ids), nil // a packing that died leaves both files
}

// Entries returns the entries of the log, oldest first. It reads and does not prove.
func (l *Launcher) Entries(f audit.Filter) iter.Seq2[audit.Entry, error] {
	return audit.Entries(l.home.Audit(), f)
}

// A Past is one run as the log tells it.
type Past struct {
	ID       string    `json:"id"`
	Began    time.Time `json:"began"`
	Command  string    `json:"command"`
	Inside   string    `json:"inside,omitempty"` // the agent's own, where its program put it into a text of its own
	Agent    string    `json:"agent,omitempty"`
	Dir      string    `json:"cwd"`
	Verdict  string    `json:"verdict"`
	State    string    `json:"state"` // announced, refused, running, failed, ended, lost: it was started, and nobody saw its end
	Status   int       `json:"status"`
	Signal   int       `json:"signal,omitempty"`
	Envelope string    `json:"envelope,omitempty"`
	Level    string    `json:"level,omitempty"`

	WorkItem  string    `json:"work_item,omitempty"`
	Authority string    `json:"authority,omitempty"` // that it was started by: policy, approval, grant
	Ended     time.Time `json:"ended,omitzero"`
	Session   bool      `json:"session,omitempty"` // tada-run --session: while it runs, others can attach
	Tier      string    `json:"tier,omitempty"`
	Within    string    `json:"within,omitempty"` // the session that it ran inside of

	launcher string // the process that started it and records it, see runner
}

// pastStates says what a kind of entry means for the run that it speaks of.
var pastStates = map[string]string{
	kindIntent: "announced", kindDenied: "refused", kindStart: "running", kindFailed: "failed", kindEnd: "ended",
	audit.KindOrphan: "lost",
}

// Runs returns every request that the log knows, oldest first.
func (l *Launcher) Runs() ([]Past, error) {
	runs, index, alive := []Past{}, map[string]int{}, audit.Alive(l.home.Audit())
	for e, err := range l.Entries(audit.Filter{Kinds: []string{"exec."}}) {
		if errors.Is(err, os.ErrNotExist) {
			return runs, nil
		}
		if err != nil {
			return runs, err
		}
		var body struct {
			SID, Command, Inside, Agent, Cwd, Verdict, Level, Authority, Launcher, Tier, Within string
			Session                                                                             bool

			Envelope string `json:"envelope_id"`
			WorkItem string `json:"work_item"`
			Status   any
			Signal   int
			Started  bool
		}
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return runs, fmt.Errorf("entry %d of the log: %w", e.Seq, err)
		}
		i, known := index[body.SID]
		if !known {
			i = len(runs)
			index[body.SID] = i
			runs = append(runs, Past{ID: body.SID, Began: e.Time, Command: body.Command, Inside: body.Inside, Agent: body.Agent, Dir: body.Cwd, Verdict: body.Verdict, WorkItem: body.WorkItem,
				Session: body.Session, Tier: body.Tier, Within: body.Within})
		}
		r := &runs[i]
		r.State = pastStates[e.Kind]
		r.Envelope, r.Level = cmp.Or(body.Envelope, r.Envelope), cmp.Or(body.Level, r.Level)
		r.Authority, r.launcher = cmp.Or(body.Authority, r.Authority), cmp.Or(body.Launcher, r.launcher)
		if slices.Contains(ends, e.Kind) {
			r.Ended = e.Time
		}
		if e.Kind == kindStart && !alive(body.SID) {
			r.State = "lost" // unless the end is told further down
		}
		if e.Kind == audit.KindOrphan && !body.Started {
			r.State = "announced" // its launcher died before it could say that it had let it go
		}
		if status, ok := body.Status.(float64); ok && e.Kind == kindEnd {
			r.Status, r.Signal = int(status), body.Signal
		}
	}
	return runs, nil
}

// Past returns the run whose id begins with prefix, refused ones included.
func (l *Launcher) Past(prefix string) (Past, error) {
	runs, err := l.Runs()
	if err != nil {
		return Past{}, err
	}
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	id, err := oneSession(ids, prefix)
	if err != nil {
		return Past{}, err
	}
	return runs[slices.IndexFunc(runs, func(r Past) bool { return r.ID == id })], nil
}

// Transcript opens the transcript of a session for reading, packed or not. It is fs.ErrNotExist
// for one that was dropped.
func (l *Launcher) Transcript(id string) (io.ReadSeekCloser, error) { return l.openCast(id) }
