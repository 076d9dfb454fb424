package upkeep

import (
	"context"
	"errors"
	"slices"
	"syscall"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/launcher/state"
)

// Seal signs the log up to here and throws the key away.
func (k *Keeper) Seal() (audit.Entry, error) {
	log, err := k.record.OpenLog()
	if err != nil {
		return audit.Entry{}, err
	}
	defer log.Close()
	e, err := log.Seal(k.dir.Random)
	if err == nil {
		_ = k.approvals.MoveOn(e)
	}
	return e, err
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
func (k *Keeper) Collect(ctx context.Context, r audit.Retention,
	reason string) (f Freed, err error) {
	if k.record.Codec.Decoder == nil { // a packed transcript would count as lost
		return f, audit.ErrPacked
	}
	alone, err := k.dir.Lock(transcripts, syscall.LOCK_EX)
	if err != nil {
		return f, err
	}
	defer alone.Close()
	log, err := k.record.OpenLog()
	if err != nil {
		return f, err
	}
	defer log.Close()
	if _, err := log.Orphans(); err != nil {
		return f, err
	}
	if r.MaxAge > 0 && !r.Dated {
		if err := k.knowsAge(r.MaxAge); err != nil {
			return f, err
		}
	}
	if r != (audit.Retention{}) {
		f.Sessions, f.SessionBytes, err = k.record.Transcripts().Drop(log, r, k.dir.Now(), reason,
			k.recording)
		if err != nil {
			return f, err
		}
		if err := k.pin(log); err != nil {
			return f, err
		}
		f.Entries, f.LogBytes, err = log.Prune(r, reason, k.record.HasTranscript)
		if err == nil && f.Entries > 0 {
			f.Dropped, err = k.dropPlans()
		}
		if err != nil {
			return f, err
		}
	}
	if r.MaxAge > 0 {
		if f.Archives, err = k.aging.Archives(log, k.dir.Now().Add(-r.MaxAge)); err != nil {
			return f, err
		}
	}
	if f.Undo, err = k.aging.Undo(); err != nil {
		return f, err
	}
	if log.SealDue() {
		if _, err := log.Seal(k.dir.Random); err != nil {
			return f, err
		}
	}
	err = k.pack(ctx, log, r.MaxBytes == 0, &f)
	return f, err
}

// pack keeps the record small. What fails in one place is no reason not to go on in the others.
func (k *Keeper) pack(ctx context.Context, log *audit.Log, quota bool, f *Freed) error {
	state.RemoveDrafts(k.dir.Now(), k.dir.Dir, k.dir.Runtime(), k.dir.Plans())
	var errs []error
	done := func(err error) {
		if !errors.Is(err, audit.ErrPacking) {
			errs = append(errs, err)
		}
	}
	if quota { // first: it makes room
		done(k.keepQuota(log, f))
	}
	var err error
	f.Packed, err = k.record.Transcripts().Pack(ctx, audit.Alive(k.dir.Audit()))
	done(err)
	// what tada-run reads, which unpacks nothing, must not be packed
	if log.Packable() {
		if err = k.pin(log); err == nil {
			f.Log, err = log.Pack(ctx)
		}
		done(err)
	}
	f.Plans, err = plans.Pack(ctx, k.dir.Plans(), k.record.Codec)
	done(err)
	done(k.approvals.TidyIfDue(ctx))
	f.Store, err = k.approvals.Compact(ctx)
	done(err)
	return errors.Join(errs...)
}

// keepQuota gives up the oldest transcripts beyond record.quota.
func (k *Keeper) keepQuota(log *audit.Log, f *Freed) error {
	r := audit.Retention{MaxBytes: k.aging.Quota()}
	ids, size, err := k.record.Transcripts().Drop(log, r, k.dir.Now(), "record.quota", k.recording)
	f.Sessions, f.SessionBytes = append(f.Sessions, ids...), f.SessionBytes+size
	return err
}

// pin has the store remember the end of the log before the beginning goes: a store whose place is
// gone counts as old.
func (k *Keeper) pin(log *audit.Log) error {
	if !k.approvals.HasStore() {
		return nil
	}
	for e, err := range audit.Newest(k.dir.Audit(), audit.Filter{Codec: k.record.Codec}) {
		if err == nil && slices.Contains(k.approvals.StorePlace(context.Background()), e.Place()) {
			return nil
		}
		break
	}
	e, err := log.Seal(k.dir.Random)
	if err != nil {
		return err
	}
	return k.approvals.MoveOn(e)
}

// dropPlans deletes the plans that no entry of the log names any more.
func (k *Keeper) dropPlans() (int, error) {
	named := map[string]bool{}
	err := replay.NamedPlans(k.record, 0, func(name string) { named[name] = true })
	if err != nil {
		return 0, err
	}
	return plans.Drop(k.dir.Plans(), func(name string) bool { return named[name] }, k.record.Codec)
}
