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
// it is verified as it was at the moment of the call.
func Verify(dir string, o VerifyOptions) (Report, error) {
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
		return Report{}, fmt.Errorf("verify %q: %w", dir, err)
	}
	defer s.log.Close()
	v := verifier{snapshot: s, o: o, dir: dir}
	for _, step := range []func() error{v.checkpoint, v.since, v.chain, v.rest, v.checkPruned,
		v.checkSeals, v.remembered, v.strict, v.beside, v.accepted, v.complete, v.transcripts,
		v.unnamed, v.whole} {
		if err := step(); err != nil {
			return v.report, s.log.name(err)
		}
	}
	return v.report, nil
}
