package document

import (
	"errors"
	"fmt"
	"slices"
)

// maxEarlier is the maximum number of earlier registrars.
const maxEarlier = 100

// Remember adds the registrar of the document before, if f has another one. What machines have
// signed that it has let in stays proven. They are no members any more, until the new one lets them
// in.
func (f *Fleet) Remember(was Person) {
	if !f.Registrar.equal(was) {
		f.Earlier = append(slices.Clone(f.Earlier), was)
	}
}

func (f Fleet) sameRegistrars(g Fleet) bool {
	return f.Registrar.equal(g.Registrar) && slices.EqualFunc(f.Earlier, g.Earlier, Person.equal)
}

// checkEarlier refuses an earlier registrar who is somebody else too.
func (f Fleet) checkEarlier() error {
	if len(f.Earlier) > maxEarlier {
		return fmt.Errorf("fleet %q: more than %d earlier registrars", f.Name, maxEarlier)
	}
	others := append(slices.Clone(f.People), f.Registrar)
	for _, p := range f.Earlier {
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
