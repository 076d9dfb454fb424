package document

import (
	"errors"
	"fmt"
	"slices"
)

// maxStep is how much higher the serial of the next document can be. A machine that was away sees
// only the newest; but no administrator must be able to use up the serials.
const maxStep = 1 << 20

// pair is how many administrators must sign what one alone could misuse.
const pair = 2

// ErrOlder is returned for a fleet document that does not follow the one that is known.
var ErrOlder = errors.New("it does not follow the fleet document that this machine knows")

// ErrTwo is returned for a fleet document that one administrator has signed and a second one must.
var ErrTwo = fmt.Errorf("%w yet: it changes who the administrators are, or the registrar, which "+
	"takes two of them", ErrUnsigned)

// Follows reads a newer document: one that an administrator of f has signed, of the same fleet and
// with a higher serial. The document that f was read from is accepted again. Otherwise the error is
// ErrUnsigned or ErrOlder.
func (f Fleet) Follows(text []byte) (Fleet, error) {
	next, by, err := f.Proposed(text)
	switch {
	case err != nil:
		return Fleet{}, err
	case len(by) < f.signersOf(next):
		return Fleet{}, fmt.Errorf("%w (so far %q)", ErrTwo, by[0])
	case !slices.ContainsFunc(next.Admins(), func(p Person) bool {
		was, _ := f.Person(p.Name)
		return slices.Contains(by, p.Name) && was.Key.Equal(p.Key)
	}):
		return Fleet{}, fmt.Errorf("%w: one of those who sign it must stay an administrator, or "+
			"nobody could read it alone", ErrUnsigned)
	}
	return next, nil
}

// Proposed reads a document that would follow, if enough administrators had signed it, and returns
// who has. There is at least one.
func (f Fleet) Proposed(text []byte) (next Fleet, by []string, err error) {
	s, err := open(text, kindFleet, f.Admins())
	if err != nil {
		return Fleet{}, nil, err
	}
	if next, err = readFleet(s.Fields); err != nil {
		return Fleet{}, nil, err
	}
	why := ""
	switch {
	case next.Name != f.Name:
		why = fmt.Sprintf("it is of fleet %q, not %q", next.Name, f.Name)
	case next.Serial < f.Serial:
		why = fmt.Sprintf("its serial is %d, that one's %d", next.Serial, f.Serial)
	case next.Serial-f.Serial > maxStep:
		why = fmt.Sprintf("its serial is %d, more than %d after that one's", next.Serial, maxStep)
	case next.Serial == f.Serial && !next.equal(f):
		why = fmt.Sprintf("there are two documents with serial %d", f.Serial)
	}
	if why != "" {
		return Fleet{}, nil, fmt.Errorf("%w: %s", ErrOlder, why)
	}
	return next, s.By, nil
}

// signersOf is how many administrators of f must sign the document that follows. One alone must not
// make a second one of himself, who would then stand for another person; nor a registrar, which
// says what machines are called and which labels people see, nor lead the machines to where nobody
// else reaches them.
func (f Fleet) signersOf(next Fleet) int {
	if len(f.Admins()) >= pair && (!f.sameRegistrars(next) || !f.SameAdmins(next)) {
		return pair
	}
	return 1
}

// FirstFleet reads the document by which a machine joins: one of the administrators that it names
// itself has signed it. The caller knows by other means that it is the right one.
func FirstFleet(text []byte) (Fleet, error) {
	n, err := unverified(text)
	if err != nil {
		return Fleet{}, err
	}
	f, err := body(n, kindFleet)
	if err != nil {
		return Fleet{}, err
	}
	first, err := readFleet(f)
	if err != nil {
		return Fleet{}, err
	}
	return first.Follows(text)
}

// Claims returns the name and the serial of the fleet document that a text says it is, whoever
// signed it.
func Claims(text []byte) (name string, serial int64, err error) {
	n, err := unverified(text)
	if err != nil {
		return "", 0, err
	}
	f, err := body(n, kindFleet)
	return f.Text("name"), f.Number("serial"), err
}

// SameAdmins reports whether both have the same administrators, with the same rights.
func (f Fleet) SameAdmins(g Fleet) bool {
	return slices.EqualFunc(f.Admins(), g.Admins(), Person.equal)
}

// LeadsTo reports whether those who know f alone may be unable to accept what follows next: it has
// other administrators, or another registrar, which one administrator alone cannot change.
func (f Fleet) LeadsTo(next Fleet) bool { return !f.SameAdmins(next) || !f.sameRegistrars(next) }
