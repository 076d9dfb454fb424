package audit

import (
	"fmt"

	"github.com/tada-run/tada-run/approval/canonical"
)

// Append adds one entry and returns it as written. The body must be the bytes of one canonical JSON
// object; they are written unchanged, except that LogOptions.Policies are added.
//
// After an error nothing counts as recorded, and what the entry announces must not happen. The
// errors are ErrBody, ErrKind and ErrTooLong (nothing was written); ErrBusy; ErrNoSpace (Intent
// only); *TamperError; ErrNotDurable; ErrUnsafe; and errors of system calls. The entry may still be
// in the log, whole: it then announces something that did not happen.
func (l *Log) Append(kind string, body []byte, d Durability) (Entry, error) {
	if !validKind([]byte(kind)) || isGapKind([]byte(kind)) || kind == kindClock ||
		kind == kindSeal || kind == kindPrune {
		return Entry{}, fmt.Errorf("append %q: %w", kind, ErrKind)
	}
	if err := checkObject(body); err != nil {
		return Entry{}, fmt.Errorf("append %q: %w: %w", kind, ErrBody, err)
	}
	body, err := l.under(body)
	if err != nil {
		return Entry{}, fmt.Errorf("append %q: %w: %w", kind, ErrBody, err)
	}
	if len(body) > MaxLine-256 {
		return Entry{}, fmt.Errorf("append %q: %w: %s, at most %d", kind, ErrTooLong,
			Plural(len(body), "byte"), MaxLine-256)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.append(kind, body, d)
	if err != nil {
		return Entry{}, fmt.Errorf("append %q: %w", kind, err)
	}
	return e, nil
}

// under returns a body with the policies of the log, unless it names its own.
func (l *Log) under(body []byte) ([]byte, error) {
	if len(l.opts.Policies) == 0 {
		return body, nil
	}
	v, err := canonical.Parse(body)
	o, _ := v.(map[string]any)
	if _, own := o["policies"]; own || err != nil {
		return body, err
	}
	o["policies"] = l.opts.Policies
	return canonical.Append(nil, o)
}

func (l *Log) append(kind string, body []byte, d Durability) (Entry, error) {
	if l.poisoned != nil {
		return Entry{}, l.poisoned
	}
	if d == Intent {
		if err := l.checkSpace(); err != nil {
			return Entry{}, err
		}
	}
	e, end, err := l.appendLocked(kind, body)
	if err != nil && isNoSpace(err) && d != Intent && l.Relieve() == nil {
		e, end, err = l.appendLocked(kind, body)
	}
	if err != nil {
		return Entry{}, err
	}
	if d == Lazy {
		return e, nil
	}
	return e, l.makeDurable(end)
}

func (l *Log) checkSpace() error {
	free, total, err := freeSpace(l.dir)
	if err != nil {
		return fmt.Errorf("asking for free space: %w", err)
	}
	need := l.opts.MinFree
	if need == 0 {
		need = min(lowSpace, total/50)
	}
	if free < need {
		return fmt.Errorf("%w: %d KiB free, %d KiB needed", ErrNoSpace, free>>10, need>>10)
	}
	return nil
}

// appendLocked writes the entry and the anchor under the lock, and returns
// the size of the log after it.
func (l *Log) appendLocked(kind string, body []byte) (e Entry, end int64, err error) {
	if err := l.takeLock(); err != nil {
		return e, 0, err
	}
	defer l.freeLock()
	l.step("locked")
	t, err := l.tail()
	if err != nil {
		return e, 0, err
	}
	if err := l.rotate(&t); err != nil {
		return e, 0, err
	}
	b, err := l.repair(t)
	if err != nil {
		return e, 0, err
	}
	b.setClock(l.opts.Now())
	e = b.add(kind, body)
	if err := l.write(b, t.anchor); err != nil {
		return e, 0, err
	}
	return e, b.at.offset, nil
}
