package audit

import "errors"

// rotate continues in the next file. This is a convenience, and recording comes first: if no file
// can be made, the old one grows on.
//
// The old file is stored first, so that no power cut affects both sides of a seam. The new one
// exists before the anchor names it. A crash in between leaves an empty file, which the next
// rotation uses.
func (l *Log) rotate(t *tail) error {
	a := t.anchor
	if a.Size-a.Base < l.rotateAt || t.at.offset != a.Size || t.size != a.Size || t.bare || t.lost {
		return nil
	}
	if err := datasync(l.log); err != nil {
		return nil // the next durable entry meets it, and says so
	}
	name := segmentName(a.Segment + 1)
	f, err := openAt(l.dir, name, openLogFlags)
	if err != nil {
		return nil
	}
	size, err := checkAt(l.dir, f, name)
	if err == nil && size > 0 {
		err = &TamperError{File: name, Offset: 0, Reason: "it was there before the log came to it"}
	}
	if err == nil {
		err = errors.Join(f.Sync(), l.dir.Sync())
	}
	if err != nil {
		f.Close()
		return err
	}
	l.step("segment created")
	a.Base, a.Segment = a.Size, a.Segment+1
	a.Synced, a.SyncedCount, a.SyncedHead = a.Size, a.Count, a.Head
	if err := l.writeAnchor(a); err != nil {
		f.Close()
		return err
	}
	a.turn++
	l.log.Close()
	l.log, l.segment, t.anchor = f, a.Segment, a
	l.step("rotated")
	return nil
}
