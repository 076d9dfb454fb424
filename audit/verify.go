package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Verify reads the log in dir, and everything that it vouches for, and returns nil only if all of
// it is unchanged. The error is a *BadEntry for the first entry that is not, fs.ErrNotExist if
// there is no log at all, ErrUnsafe for a link in place of a file, or an error of reading.
//
// It writes nothing, and works on a copy of the folder too. If processes are appending to the log,
// it is verified as it was at the moment of the call. With AtRest.Before the
// verdict is that of reading everything.
func Verify(dir string, o VerifyOptions) (Report, error) {
	steps := func(v *verifier) []func() error {
		return []func() error{v.checkpoint, v.since, v.resume, v.chain, v.rest, v.checkPruned,
			v.checkSeals, v.remembered, v.strict, v.beside, v.accepted, v.passkeys, v.complete,
			v.transcripts, v.unnamed, v.whole, v.keep}
	}
	if a := o.AtRest; a != nil && a.Before != nil {
		if len(a.Before.Parts) > 0 && o.Since == nil && !o.Strict && !o.Complete {
			if r, err := verify(dir, o, steps); err == nil {
				return r, nil
			}
		}
		o.AtRest = &AtRest{Files: a.Files, In: a.In, Span: a.Span, Path: a.Path}
	}
	return verify(dir, o, steps)
}

// Head returns the end of the log in dir, and an error as from Verify if the log does not end as
// this machine wrote it, or never passed through the mark and these other places. It reads no more
// than those entries: one that was changed is found by Verify, which such a head makes possible.
func Head(dir string, o VerifyOptions, places ...Place) (Point, error) {
	r, err := verify(dir, o, func(v *verifier) []func() error {
		return []func() error{v.last, v.chain, v.rest, v.remembered,
			func() error { return v.passed(append(places, v.mark.Place)) }}
	})
	return Point{r.Entries, r.Head}, err
}

// last begins the proof after the last entry that the anchor remembers.
func (v *verifier) last() error {
	a := v.anchor
	v.from = v.log.start
	if a.Count == v.from.seq {
		return nil
	}
	ok, err := Holds(v.dir, Place{a.Count, a.Size, a.Last, a.Head}, v.o.Codec)
	if err == nil && !ok {
		err = &BadEntry{File: logName, Seq: a.Count - 1, Offset: a.Size - a.Last,
			Reason: fmt.Sprintf("was changed or cut off: the anchor remembers %s in %s",
				Plural(a.Count, "entry"), Plural(a.Size, "byte"))}
	}
	v.from = cursor{offset: a.Size, seq: a.Count, head: a.Head, time: stampOf(a.Time)}
	return err
}

// passed checks that the log passed through places, by the entries that end there.
func (v *verifier) passed(places []Place) error {
	for _, p := range places {
		ok, err := Holds(v.dir, p, v.o.Codec)
		if err != nil {
			return err
		}
		if !ok && p.Size > v.log.start.offset {
			return neverHad(p.Point())
		}
	}
	return nil
}

func verify(dir string, o VerifyOptions, steps func(*verifier) []func() error) (Report, error) {
	s, err := openSnapshot(dir, o)
	if m := s.mark; m.Count > 0 {
		o.Remember = append(slices.Clone(o.Remember), m.Point())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.mark.Count > 0:
		return Report{}, &BadEntry{File: logName, Reason: s.mark.against(Anchor{})}
	case errors.Is(err, fs.ErrNotExist) && s.marked:
		return Report{}, &BadEntry{File: logName, Reason: "the log is missing; there was one"}
	case err != nil:
		return Report{}, fmt.Errorf("verify %q: %w", dir, asBad(err))
	}
	defer s.log.Close()
	v := verifier{snapshot: s, o: o, dir: dir}
	defer v.listed.close()
	for _, step := range steps(&v) {
		if err := step(); err != nil {
			return v.report, s.log.name(asBad(err))
		}
	}
	return v.report, nil
}

// asBad names a file of the log that cannot be read as the entry at which the proof ends.
func asBad(err error) error {
	if s, ok := errors.AsType[*SegmentError](err); ok && !errors.Is(err, ErrPacked) {
		return &BadEntry{File: s.File, Reason: s.Err.Error()}
	}
	return err
}
