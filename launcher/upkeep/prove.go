package upkeep

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
func (k *Keeper) LogKey() (LogKey, error) {
	path := k.dir.CheckpointKey()
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k.newLogKey(path)
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

func (k *Keeper) newLogKey(path string) (LogKey, error) {
	var id [4]byte
	if _, err := io.ReadFull(k.dir.Random, id[:]); err != nil {
		return LogKey{}, err
	}
	secret, public, err := note.GenerateKey(k.dir.Random, "tada-run/"+hex.EncodeToString(id[:]))
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
func (k *Keeper) ownCheckpoint() ([]byte, note.Verifiers, error) {
	signed, err := os.ReadFile(k.dir.Checkpoint())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if len(signed) == 0 {
		signed = []byte{'\n'} // one that was emptied is no checkpoint that never was
	}
	if _, err := os.Lstat(k.dir.CheckpointKey()); errors.Is(err, fs.ErrNotExist) {
		return signed, nil, nil
	}
	key, err := k.LogKey()
	if err != nil {
		return nil, nil, err
	}
	known, err := Verifiers(key.Public)
	return signed, known, err
}

// options are what every proof of this log is made with.
func (k *Keeper) options() audit.VerifyOptions {
	return audit.VerifyOptions{Mark: k.dir.Mark(), Codec: k.record.Codec}
}

// Growing returns the log, to be read after a point, and on while it grows.
func (k *Keeper) Growing(after audit.Point) *audit.Growing {
	return audit.Grow(k.dir.Audit(), k.options(), after)
}

// Checkpoint verifies the log and signs its size and root, a C2SP tlog-checkpoint. A copy is
// kept beside the log; the one that counts is kept elsewhere.
func (k *Keeper) Checkpoint() ([]byte, LogKey, error) {
	key, err := k.LogKey()
	if err != nil {
		return nil, key, err
	}
	signed, err := audit.Checkpoint(k.dir.Audit(), k.options(), key.Signer)
	if err != nil {
		return nil, key, err
	}
	return signed, key, k.KeepCheckpoint(signed)
}

// KeepCheckpoint puts a signed checkpoint in the place of the one that is kept beside the log.
func (k *Keeper) KeepCheckpoint(signed []byte) error {
	return state.Replace(k.dir.Checkpoint(), signed)
}

// proving returns a fresh checkpoint, and what verifies it.
func (k *Keeper) proving() ([]byte, note.Verifiers, error) {
	signed, key, err := k.Checkpoint()
	if err != nil {
		return nil, nil, err
	}
	known, err := Verifiers(key.Public)
	return signed, known, err
}

// Prove proves one entry of the log to a reader who has nothing but the log's key.
func (k *Keeper) Prove(seq int64) ([]byte, error) {
	signed, known, err := k.proving()
	if err != nil {
		return nil, err
	}
	return audit.Prove(k.dir.Audit(), k.options(), seq, signed, known)
}

// ProveStretch proves the events of a session from from up to, but not including, to; to 0 means
// everything that the log vouches for.
func (k *Keeper) ProveStretch(id string, from, to int64) ([]byte, error) {
	signed, known, err := k.proving()
	if err != nil {
		return nil, err
	}
	if to == 0 {
		if to, err = k.vouched(id); err != nil {
			return nil, err
		}
	}
	f, err := k.record.Transcript(id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return audit.ProveStretch(k.dir.Audit(), k.options(), id, f, from, to, signed, known)
}

// ProveGrowth proves that the log which a checkpoint was signed for began with its own first
// old entries: what a witness asks for.
func (k *Keeper) ProveGrowth(old int64, signed []byte, key LogKey) (tlog.TreeProof, error) {
	known, err := Verifiers(key.Public)
	if err != nil {
		return nil, err
	}
	return audit.ProveGrowth(k.dir.Audit(), k.options(), old, signed, known)
}

// vouched is how many events of a session the log vouches for.
func (k *Keeper) vouched(id string) (int64, error) {
	_, found, err := k.VerifySession(id)
	if err == nil && found == nil {
		err = fmt.Errorf("session %q: the log does not cover it yet", id)
	}
	if err != nil {
		return 0, err
	}
	return found.Summary.Count, nil
}

// Verify checks the log, and every transcript that it names, against what the log says. The
// error is an [audit.BadEntry] for the first thing that is not as it was written. Heads that
// were kept elsewhere are given as remember.
func (k *Keeper) Verify(remember ...audit.Point) (audit.Report, error) {
	return k.VerifyWith(audit.VerifyOptions{Remember: remember})
}

// VerifySession is Verify, and returns what was found about one session: nil if the log does not
// name it.
func (k *Keeper) VerifySession(id string) (r audit.Report, found *audit.Session, err error) {
	o := audit.VerifyOptions{}
	o.Session = func(s audit.Session) {
		if s.ID == id {
			found = &s
		}
	}
	r, err = k.VerifyWith(o)
	return r, found, err
}

// Head returns the end of the log, if that is as this machine wrote it; see [audit.Head].
func (k *Keeper) Head() (audit.Point, error) {
	return audit.Head(k.dir.Audit(), k.options(), k.approvals.StorePlace(context.Background())...)
}

// VerifyNew is VerifyWith, and takes files for verified that have not changed since the last one.
func (k *Keeper) VerifyNew(o audit.VerifyOptions) (audit.Report, error) {
	return k.verify(o, audit.LoadVerified(k.dir.Verified()))
}

// VerifyWith is Verify with other options; what belongs to this state directory is filled in.
func (k *Keeper) VerifyWith(o audit.VerifyOptions) (audit.Report, error) {
	return k.verify(o, nil)
}

func (k *Keeper) verify(o audit.VerifyOptions, before *audit.Verified) (audit.Report, error) {
	o.Mark, o.Codec = k.dir.Mark(), k.record.Codec
	o.Running, o.Passkeys = audit.Alive(k.dir.Audit()), k.record.Passkeys
	open, err := k.record.Browse()
	if err != nil {
		return audit.Report{}, err
	}
	o.Transcript = func(sid string) (io.ReadCloser, error) { return open(sid) }
	o.Transcripts, o.AtRest = k.record.SaySessions, k.record.Transcripts().AtRest(state.IsID)
	o.AtRest.Before = before
	if o.Checkpoint, o.Known, err = k.ownCheckpoint(); err != nil {
		return audit.Report{}, err
	}
	ctx, cancel := permit.StoreContext()
	defer cancel()
	for _, place := range k.approvals.StorePlace(ctx) {
		if o.Since == nil { // a place before it is not looked at
			o.Remember = append(slices.Clone(o.Remember), place.Point())
		}
	}
	report, err := audit.Verify(k.dir.Audit(), o)
	if err != nil || o.Since != nil {
		return report, err
	}
	if report.Before.Entries == 0 {
		k.record.Reindex()
	}
	k.keepVerified(report.Before.Next)
	return report, nil
}

// keepVerified stores what was verified. A note that cannot be written is not there.
func (k *Keeper) keepVerified(v *audit.Verified) {
	path := k.dir.Verified()
	if v != nil {
		v.Time = k.dir.Now()
		if state.Replace(path, v.Text()) == nil {
			return
		}
	}
	_ = os.Remove(path)
}
