package document

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
)

// The kinds of documents.
const (
	kindFleet   = "fleet"
	kindMachine = "machine"
	kindFreeze  = "freeze"
	kindThaw    = "thaw"
	kindPolicy  = "policy"
)

// A Fleet says who is in charge of a fleet and whose answers count on its machines. Its zero value
// is a fleet in which nobody may do anything.
type Fleet struct {
	Name      string
	Serial    int64 // 1 for the first; each change adds one
	People    []Person
	Registrar Person   // whose machine records count: the registrar's own key
	Revoked   []string // ids of machines that are no longer members
}

// A Person is a name and a key.
type Person struct {
	Name    string
	Key     ed25519.PublicKey
	Admin   bool     // may sign fleet documents, freezes, thaws and bundles
	Answers Selector // the machines whose questions the person may answer
	MaxRisk int      // the highest risk that the person may allow
}

// pair is how many administrators must sign what one alone could misuse.
const pair = 2

// ErrOlder is returned for a fleet document that does not follow the one that is known.
var ErrOlder = errors.New("it does not follow the fleet document that this machine knows")

// ErrTwo is returned for a fleet document that one administrator has signed and a second one must.
var ErrTwo = fmt.Errorf("%w yet: it changes who the administrators are, which takes two of them",
	ErrUnsigned)

// Copy returns a copy that can be changed.
func (f Fleet) Copy() Fleet {
	f.People, f.Revoked = slices.Clone(f.People), slices.Clone(f.Revoked)
	return f
}

// Admins returns the people whose signatures count on fleet documents, freezes and thaws.
func (f Fleet) Admins() []Person {
	return slices.DeleteFunc(slices.Clone(f.People), func(p Person) bool { return !p.Admin })
}

// Person returns the person of a name.
func (f Fleet) Person(name string) (Person, bool) {
	i := slices.IndexFunc(f.People, func(p Person) bool { return p.Name == name })
	if i < 0 {
		return Person{}, false
	}
	return f.People[i], true
}

// PersonOf returns the person whose key has an id.
func (f Fleet) PersonOf(keyID string) (Person, bool) {
	i := slices.IndexFunc(f.People, func(p Person) bool { return approval.KeyID(p.Key) == keyID })
	if i < 0 {
		return Person{}, false
	}
	return f.People[i], true
}

// Trust returns the keys whose answers count on a machine with these labels.
func (f Fleet) Trust(l Labels) approval.TrustList {
	var list approval.TrustList
	for _, p := range f.People {
		if p.Answers.Selects(l) {
			list = append(list, approval.TrustedKey{Public: p.Key, Name: p.Name,
				MaxRisk: p.MaxRisk})
		}
	}
	return list
}

// IsRevoked reports whether the machine with the id is no longer a member.
func (f Fleet) IsRevoked(id string) bool { return slices.Contains(f.Revoked, id) }

// Sign returns the document, signed by one of its administrators.
func (f Fleet) Sign(key approval.Key) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var people []any
	for _, p := range f.People {
		people = append(people, p.fields())
	}
	return sign(kindFleet, plan.Fields{"name": f.Name, "people": people,
		"registrar": f.Registrar.fields(), "revoked": f.Revoked, "serial": f.Serial}, key)
}

// Follows reads a newer document: one that an administrator of f has signed, of the same fleet and
// with a higher serial. The document that f was read from is accepted again. Otherwise the error is
// ErrUnsigned or ErrOlder.
func (f Fleet) Follows(text []byte) (Fleet, error) {
	s, err := open(text, kindFleet, f.Admins())
	if err != nil {
		return Fleet{}, err
	}
	next, err := readFleet(s.Fields)
	switch {
	case err != nil:
		return Fleet{}, err
	case next.Name != f.Name:
		return Fleet{}, fmt.Errorf("%w: it is of fleet %q, not %q", ErrOlder, next.Name, f.Name)
	case next.Serial < f.Serial:
		return Fleet{}, fmt.Errorf("%w: its serial is %d, that one's %d", ErrOlder, next.Serial,
			f.Serial)
	case next.Serial == f.Serial && !next.equal(f):
		return Fleet{}, fmt.Errorf("%w: there are two documents with serial %d", ErrOlder,
			f.Serial)
	case len(s.By) < f.signersOf(next):
		return Fleet{}, fmt.Errorf("%w (so far %q)", ErrTwo, s.By[0])
	}
	return next, nil
}

// signersOf is how many administrators of f must sign the document that follows. One alone must not
// make a second one of himself, who would then stand for another person.
func (f Fleet) signersOf(next Fleet) int {
	if len(f.Admins()) >= pair && !slices.EqualFunc(f.Admins(), next.Admins(), Person.equal) {
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

func (f Fleet) equal(g Fleet) bool {
	return f.Name == g.Name && f.Serial == g.Serial && slices.Equal(f.Revoked, g.Revoked) &&
		f.Registrar.equal(g.Registrar) && slices.EqualFunc(f.People, g.People, Person.equal)
}

// check refuses a fleet that could not be changed any more, or that names somebody twice.
func (f Fleet) check() error {
	if err := checkName(f.Name); err != nil {
		return fmt.Errorf("fleet %w", err)
	}
	if len(f.Admins()) == 0 {
		return fmt.Errorf("fleet %q: nobody is an administrator, so nobody could change it", f.Name)
	}
	for i, p := range append(slices.Clone(f.People), f.Registrar) {
		if err := checkName(p.Name); err != nil {
			return err
		}
		if len(p.Key) != ed25519.PublicKeySize {
			return fmt.Errorf("key of %q: it is not an Ed25519 key", p.Name)
		}
		for _, q := range f.People[:min(i, len(f.People))] {
			if q.Name == p.Name || q.Key.Equal(p.Key) {
				return fmt.Errorf("%q and %q have the same name or key", q.Name, p.Name)
			}
		}
	}
	return nil
}

func readFleet(f plan.Fields) (Fleet, error) {
	fleet := Fleet{Name: f.Text("name"), Serial: f.Number("serial"), Revoked: f.Texts("revoked")}
	var err error
	for _, o := range f.Objects("people") {
		var p Person
		if p, err = readPerson(o); err != nil {
			return Fleet{}, err
		}
		fleet.People = append(fleet.People, p)
	}
	if fleet.Registrar, err = readPerson(f.Object("registrar")); err != nil {
		return Fleet{}, err
	}
	if fleet.Serial < 1 {
		return Fleet{}, fmt.Errorf("fleet %q: its serial is %d", fleet.Name, fleet.Serial)
	}
	return fleet, fleet.check()
}

func (p Person) fields() map[string]any {
	return map[string]any{"admin": p.Admin, "answers": p.Answers.String(),
		"key": base64.StdEncoding.EncodeToString(p.Key), "max_risk": p.MaxRisk, "name": p.Name}
}

func (p Person) equal(q Person) bool {
	return p.Name == q.Name && p.Key.Equal(q.Key) && p.Admin == q.Admin && p.MaxRisk == q.MaxRisk &&
		p.Answers.String() == q.Answers.String()
}

func readPerson(f plan.Fields) (Person, error) {
	p := Person{Name: f.Text("name"), Admin: f.Flag("admin"), MaxRisk: int(f.Number("max_risk"))}
	key, err := base64.StdEncoding.Strict().DecodeString(f.Text("key"))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return Person{}, fmt.Errorf("key of %q: it is not an Ed25519 key", p.Name)
	}
	p.Key = key
	if text := f.Text("answers"); text != "" {
		if p.Answers, err = ParseSelector(text); err != nil {
			return Person{}, fmt.Errorf("machines of %q: %w", p.Name, err)
		}
	}
	if p.MaxRisk < 0 || p.MaxRisk > plan.MaxRisk {
		return Person{}, fmt.Errorf("risk of %q: %d is not 0 to %d", p.Name, p.MaxRisk,
			plan.MaxRisk)
	}
	return p, nil
}
