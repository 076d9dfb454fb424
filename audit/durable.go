package audit

import (
	"errors"
	"fmt"
)

// makeDurable returns when the first end bytes of the log are on the disk.
//
// It runs without the append lock, so that others can append at the same time, and under a lock of
// its own. The process that holds it stores for all that wait for it; when they get the lock, their
// bytes are already stored.
func (l *Log) makeDurable(end int64) (err error) {
	held, err := l.lockNamed(nil, syncName)
	if err != nil {
		return err
	}
	defer held.Close()
	l.step("sync locked")
	a, err := l.anchorNow()
	switch {
	case err != nil:
		return err
	case a.Fault != "":
		return fmt.Errorf("%w: %s", ErrNotDurable, a.Fault)
	case a.Synced >= end:
		return nil
	}
	fault := ""
	if err := datasync(l.log); err != nil {
		fault = plainWord(err.Error(), maxFault)
		l.poisoned = fmt.Errorf("%w: storing bytes %d to %d: %w", ErrNotDurable, a.Synced, a.Size,
			err)
	}
	l.step("synced")
	return errors.Join(l.poisoned, l.publish(a, fault))
}

// anchorNow reads the anchor between two appends.
func (l *Log) anchorNow() (Anchor, error) {
	if err := l.takeLock(); err != nil {
		return Anchor{}, err
	}
	defer l.freeLock()
	a, state, err := l.readAnchor()
	if err == nil && state != anchorGood {
		err = &TamperError{File: anchorName, Offset: -1, Reason: "both of its slots are damaged"}
	}
	return a, err
}

// publish tells the other processes how much is stored, or that storing failed.
func (l *Log) publish(stored Anchor, fault string) error {
	if err := l.takeLock(); err != nil {
		return err
	}
	defer l.freeLock()
	a, state, err := l.readAnchor()
	if err != nil || state != anchorGood {
		return errors.Join(err, &TamperError{File: anchorName, Offset: -1,
			Reason: "it changed while the log was being stored"})
	}
	switch {
	case fault != "":
		a.Fault = fault
	case a.Size >= stored.Size && a.Synced < stored.Size:
		a.Synced, a.SyncedCount, a.SyncedHead = stored.Size, stored.Count, stored.Head
	default:
		return nil
	}
	if err := l.writeAnchor(a); err != nil {
		return err
	}
	if fault == "" {
		l.writeMark(stored)
	}
	l.step("published")
	return nil
}
