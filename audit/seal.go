package audit

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
)

// SealDue reports whether SealEvery entries were added since the last seal. After an error it is
// false.
func (l *Log) SealDue() bool { return l.Unsealed() >= SealEvery }

// Unsealed returns how many entries no seal covers yet, 0 if that is unknown. It costs one small
// read.
func (l *Log) Unsealed() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.anchor == nil {
		return 0
	}
	a, state, err := l.readAnchor()
	if err != nil || state != anchorGood {
		return 0
	}
	return a.Count - a.Sealed
}

// Seal signs the log up to here with the key of this epoch, and deletes that key. It costs some
// disk writes: call it after a run, not before one.
//
// The first seal makes the first key, and its entry names it: the member key of the body is what a
// person pins (VerifyOptions.SealKey) and stores elsewhere. Seal returns *TamperError if the key is
// not that of the log's next epoch, because then one of the two was put back or removed.
func (l *Log) Seal(rand io.Reader) (Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.poisoned != nil {
		return Entry{}, l.poisoned
	}
	f, err := openAt(l.dir, sealKeyName, openLockFlags)
	if err != nil {
		return Entry{}, fmt.Errorf("seal: %w", err)
	}
	defer f.Close()
	e, end, epoch, err := l.sealLocked(f, rand)
	if errors.Is(err, errUnstored) {
		if err = l.makeDurable(end); err == nil {
			e, end, epoch, err = l.sealLocked(f, rand)
		}
	}
	if err != nil {
		return Entry{}, fmt.Errorf("seal: %w", err)
	}
	if err := l.makeDurable(end); err != nil {
		return Entry{}, fmt.Errorf("seal: %w", err)
	}
	if err := l.wipeKey(f, epoch); err != nil {
		return Entry{}, fmt.Errorf("seal: %w", err)
	}
	return e, nil
}

// errUnstored is returned if the seal before is not on disk yet. A power cut may then take back one
// seal but never two, and the key of that one still exists.
var errUnstored = errors.New("the seal before is not stored yet")

func (l *Log) sealLocked(f *os.File, rand io.Reader) (e Entry, end, epoch int64, err error) {
	if err := l.takeLock(); err != nil {
		return e, 0, 0, err
	}
	defer l.freeLock()
	t, err := l.tail()
	if err != nil {
		return e, 0, 0, err
	}
	if err := l.rotate(&t); err != nil {
		return e, 0, 0, err
	}
	if t.anchor.Sealed > t.anchor.SyncedCount {
		return e, t.at.offset, 0, errUnstored
	}
	key, next, err := l.sealKeys(f, t.anchor.Epoch, rand)
	if err != nil {
		return e, 0, 0, err
	}
	b, err := l.repair(t)
	if err != nil {
		return e, 0, 0, err
	}
	b.setClock(l.opts.Now())
	body := func(sig []byte) []byte {
		return fmt.Appendf(nil, `{"epoch":%d,"key":"%s","next":"%s","sig":"%x"}`, key.epoch,
			key.public(), next.public(), sig)
	}
	unsigned := appendLine([]byte(sealVersion), kindSeal, body(nil), b.at.head, b.at.seq, b.now)
	e = b.add(kindSeal, body(ed25519.Sign(key.private(), unsigned)))
	was := t.anchor
	was.Epoch, was.Sealed = key.epoch+1, b.at.seq
	if err := l.write(b, was); err != nil {
		return e, 0, 0, err
	}
	return e, b.at.offset, key.epoch, nil
}

// sealKeys returns the key of the epoch and a new one for the next, which it has stored.
func (l *Log) sealKeys(f *os.File, epoch int64, rand io.Reader) (key, next sealKey, err error) {
	file, err := io.ReadAll(io.NewSectionReader(f, 0, 2*keySlotSize))
	if err != nil {
		return key, next, err
	}
	keys := parseKeys(file)
	key, ok := keyOf(keys, epoch)
	switch {
	case ok:
	case epoch == 0 && len(keys) == 0:
		if key, err = newSealKey(f, 0, rand); err != nil {
			return key, next, err
		}
	default:
		return key, next, &TamperError{File: sealKeyName, Offset: -1,
			Reason: fmt.Sprintf("it does not hold the key of epoch %d, which is the log's next",
				epoch)}
	}
	next, err = newSealKey(f, epoch+1, rand)
	l.step("key stored")
	return key, next, err
}

func newSealKey(f *os.File, epoch int64, rand io.Reader) (k sealKey, err error) {
	k.epoch = epoch
	if _, err := io.ReadFull(rand, k.seed[:]); err != nil {
		return k, fmt.Errorf("no randomness for a key: %w", err)
	}
	if _, err := f.WriteAt(k.slot(), epoch%2*keySlotSize); err != nil {
		return k, fmt.Errorf("writing %q: %w", sealKeyName, err)
	}
	if err := f.Sync(); err != nil {
		return k, fmt.Errorf("storing %q: %w", sealKeyName, err)
	}
	return k, nil
}

// wipeKey overwrites the key of a sealed epoch, unless another process has already replaced it with
// a newer one.
func (l *Log) wipeKey(f *os.File, epoch int64) error {
	l.step("sealed")
	if err := l.takeLock(); err != nil {
		return err
	}
	defer l.freeLock()
	file, err := io.ReadAll(io.NewSectionReader(f, 0, 2*keySlotSize))
	if err != nil {
		return err
	}
	if _, there := keyOf(parseKeys(file), epoch); !there {
		return nil
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{' '}, keySlotSize),
		epoch%2*keySlotSize); err != nil {
		return fmt.Errorf("wiping %q: %w", sealKeyName, err)
	}
	return f.Sync()
}
