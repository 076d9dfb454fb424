package launcher

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/state"
)

// A LogKey signs for the log of one state directory. Its name is the origin of the log's
// checkpoints.
type LogKey struct {
	Signer note.Signer
	Public string // NAME+HASH+KEY, for note.NewVerifier
}

// Verifiers are the log's own key and others, NAME+HASH+KEY.
func Verifiers(keys ...string) (note.Verifiers, error) {
	var list []note.Verifier
	for _, key := range keys {
		v, err := note.NewVerifier(strings.TrimSpace(key))
		if err != nil {
			return nil, fmt.Errorf("key %q is not NAME+HASH+KEY: %w", key, err)
		}
		list = append(list, v)
	}
	return note.VerifierList(list...), nil
}

// LogKey returns the key of this log, made when it is first asked for.
func (l *Launcher) LogKey() (LogKey, error) {
	path := l.state.CheckpointKey()
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l.newLogKey(path)
	}
	if err == nil {
		err = state.Private(path, info, 0o077)
	}
	if err != nil {
		return LogKey{}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return LogKey{}, err
	}
	secret, public, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return logKey(path, secret, public)
}

func logKey(path, secret, public string) (LogKey, error) {
	signer, err := note.NewSigner(secret)
	if err != nil { // the error of note never holds the key
		return LogKey{}, &state.HomeError{Path: path,
			Reason: "it does not hold a key: " + err.Error()}
	}
	return LogKey{signer, public}, nil
}

func (l *Launcher) newLogKey(path string) (LogKey, error) {
	var id [4]byte
	if _, err := io.ReadFull(l.state.Random, id[:]); err != nil {
		return LogKey{}, err
	}
	secret, public, err := note.GenerateKey(l.state.Random, "tada-run/"+hex.EncodeToString(id[:]))
	if err != nil {
		return LogKey{}, err
	}
	if err := approval.SaveKey(path, []byte(secret+"\n"+public+"\n")); err != nil {
		return LogKey{}, err
	}
	return logKey(path, secret, public)
}

// ownCheckpoint returns the checkpoint that is kept beside the log and the key that must have
// signed it, both nil where there is none. A key is not made for it.
func (l *Launcher) ownCheckpoint() ([]byte, note.Verifiers, error) {
	signed, err := os.ReadFile(l.state.Checkpoint())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if len(signed) == 0 {
		signed = []byte{'\n'} // one that was emptied is no checkpoint that never was
	}
	if _, err := os.Lstat(l.state.CheckpointKey()); errors.Is(err, fs.ErrNotExist) {
		return signed, nil, nil
	}
	key, err := l.LogKey()
	if err != nil {
		return nil, nil, err
	}
	known, err := Verifiers(key.Public)
	return signed, known, err
}

// options are what every proof of this log is made with.
func (l *Launcher) options() audit.VerifyOptions {
	return audit.VerifyOptions{Mark: l.state.Mark(), Codec: l.Codec}
}

// Growing returns the log, to be read after a point, and on while it grows.
func (l *Launcher) Growing(after audit.Point) *audit.Growing {
	return audit.Grow(l.state.Audit(), l.options(), after)
}

// Checkpoint verifies the log and signs its size and root, a C2SP tlog-checkpoint. A copy is
// kept beside the log; the one that counts is kept elsewhere.
func (l *Launcher) Checkpoint() ([]byte, LogKey, error) {
	key, err := l.LogKey()
	if err != nil {
		return nil, key, err
	}
	signed, err := audit.Checkpoint(l.state.Audit(), l.options(), key.Signer)
	if err != nil {
		return nil, key, err
	}
	return signed, key, l.KeepCheckpoint(signed)
}

// KeepCheckpoint puts a signed checkpoint in the place of the one that is kept beside the log.
func (l *Launcher) KeepCheckpoint(signed []byte) error {
	return state.Replace(l.state.Checkpoint(), signed)
}

// proving returns a fresh checkpoint, and what verifies it.
func (l *Launcher) proving() ([]byte, note.Verifiers, error) {
	signed, key, err := l.Checkpoint()
	if err != nil {
		return nil, nil, err
	}
	known, err := Verifiers(key.Public)
	return signed, known, err
}

// Prove proves one entry of the log to a reader who has nothing but the log's key.
func (l *Launcher) Prove(seq int64) ([]byte, error) {
	signed, known, err := l.proving()
	if err != nil {
		return nil, err
	}
	return audit.Prove(l.state.Audit(), l.options(), seq, signed, known)
}

// ProveStretch proves the events of a session from from up to, but not including, to; to 0 means
// everything that the log vouches for.
func (l *Launcher) ProveStretch(id string, from, to int64) ([]byte, error) {
	signed, known, err := l.proving()
	if err != nil {
		return nil, err
	}
	if to == 0 {
		if to, err = l.vouched(id); err != nil {
			return nil, err
		}
	}
	f, err := l.Transcript(id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return audit.ProveStretch(l.state.Audit(), l.options(), id, f, from, to, signed, known)
}

// ProveGrowth proves that the log which a checkpoint was signed for began with its own first
// old entries: what a witness asks for.
func (l *Launcher) ProveGrowth(old int64, signed []byte, key LogKey) (tlog.TreeProof, error) {
	known, err := Verifiers(key.Public)
	if err != nil {
		return nil, err
	}
	return audit.ProveGrowth(l.state.Audit(), l.options(), old, signed, known)
}

// vouched is how many events of a session the log vouches for.
func (l *Launcher) vouched(id string) (int64, error) {
	report, err := l.Verify()
	if err != nil {
		return 0, err
	}
	for _, s := range report.Transcripts {
		if s.ID == id {
			return s.Summary.Count, nil
		}
	}
	return 0, fmt.Errorf("session %q: the log does not cover it yet", id)
}

// Verify checks the log, and every transcript that it names, against what the log says. The
// error is an [audit.BadEntry] for the first thing that is not as it was written. Heads that
// were kept elsewhere are given as remember.
func (l *Launcher) Verify(remember ...audit.Point) (audit.Report, error) {
	return l.VerifyWith(audit.VerifyOptions{Remember: remember})
}

// Head returns the end of the log, if that is as this machine wrote it; see [audit.Head].
func (l *Launcher) Head() (audit.Point, error) {
	return audit.Head(l.state.Audit(), l.options(), l.StorePlace(context.Background())...)
}

// VerifyNew is VerifyWith, and takes files for verified that have not changed since the last one.
func (l *Launcher) VerifyNew(o audit.VerifyOptions) (audit.Report, error) {
	return l.verify(o, audit.LoadVerified(l.state.Verified()))
}

// VerifyWith is Verify with other options; what belongs to this state directory is filled in.
func (l *Launcher) VerifyWith(o audit.VerifyOptions) (audit.Report, error) {
	return l.verify(o, nil)
}

func (l *Launcher) verify(o audit.VerifyOptions, before *audit.Verified) (audit.Report, error) {
	o.Mark, o.Codec = l.state.Mark(), l.Codec
	o.Running, o.Passkeys = audit.Alive(l.state.Audit()), l.Passkeys
	open, err := l.Browse()
	if err != nil {
		return audit.Report{}, err
	}
	o.Transcript = func(sid string) (io.ReadCloser, error) { return open(sid) }
	o.Transcripts, o.AtRest = l.Sessions, l.Transcripts().AtRest(state.IsID)
	o.AtRest.Before = before
	if o.Checkpoint, o.Known, err = l.ownCheckpoint(); err != nil {
		return audit.Report{}, err
	}
	ctx, cancel := permit.StoreContext()
	defer cancel()
	for _, place := range l.StorePlace(ctx) {
		if o.Since == nil { // a place before it is not looked at
			o.Remember = append(slices.Clone(o.Remember), place.Point())
		}
	}
	report, err := audit.Verify(l.state.Audit(), o)
	if err != nil || o.Since != nil {
		return report, err
	}
	if report.Before.Entries == 0 {
		l.Reindex()
	}
	l.keepVerified(report.Before.Next)
	return report, nil
}

// keepVerified stores what was verified. A note that cannot be written is not there.
func (l *Launcher) keepVerified(k *audit.Verified) {
	path := l.state.Verified()
	if k != nil {
		k.Time = l.state.Now()
		if state.Replace(path, k.Text()) == nil {
			return
		}
	}
	_ = os.Remove(path)
}
