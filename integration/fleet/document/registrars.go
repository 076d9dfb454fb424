package document

import (
	"errors"
	"fmt"
	"slices"
)

// maxEarlier is the maximum number of earlier registrars.
const maxEarlier = 100

// checkEarlier refuses an earlier registrar who is somebody else too.
func checkEarlier(earlier, others []Person) error {
	if len(earlier) > maxEarlier {
		return fmt.Errorf("more than %d earlier registrars", maxEarlier)
	}
	for _, p := range earlier {
		if err := p.check(); err != nil {
			return fmt.Errorf("earlier registrar: %w", err)
		}
		if slices.ContainsFunc(others, func(q Person) bool { return q.Key.Equal(p.Key) }) {
			return errEarlier
		}
		others = append(others, p)
	}
	return nil
}

var errEarlier = errors.New("the key of an earlier registrar is also that of somebody else")
