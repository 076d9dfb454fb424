package document

import (
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
	Earlier   []Person // registrars of before: what their machines have signed stays proven
	Revoked   []string // ids of machines that are no longer members
	Ship      Shipping // where records are copied to
	Site      Site     // where the registrar and etcd are
}

// maxPeople is the maximum number of people: a trust list of so many can be read.
const maxPeople = 1000

// Copy returns a copy that can be changed.
func (f Fleet) Copy() Fleet {
	f.People, f.Revoked = slices.Clone(f.People), slices.Clone(f.Revoked)
	f.Earlier = slices.Clone(f.Earlier)
	f.Site.Etcd = slices.Clone(f.Site.Etcd)
	f.Ship.Recipients = slices.Clone(f.Ship.Recipients)
	f.Ship.Witnesses = slices.Clone(f.Ship.Witnesses)
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

// Remember adds the registrar of the document before, if f has another one. What machines have
// signed that it has let in stays proven. They are no members any more, until the new one lets them
// in.
func (f *Fleet) Remember(was Person) {
	if !f.Registrar.equal(was) {
		f.Earlier = append(slices.Clone(f.Earlier), was)
	}
}

func (f Fleet) sameRegistrars(g Fleet) bool {
	return f.Registrar.equal(g.Registrar) && f.Site.equal(g.Site) &&
		slices.EqualFunc(f.Earlier, g.Earlier, Person.equal)
}

// Sign returns the document, signed by one of its administrators.
func (f Fleet) Sign(key approval.Key) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	fields := plan.Fields{"name": f.Name, "people": fieldsOf(f.People),
		"registrar": f.Registrar.fields(), "revoked": f.Revoked, "serial": f.Serial}
	if len(f.Earlier) > 0 {
		fields["earlier"] = fieldsOf(f.Earlier)
	}
	if !f.Ship.Nowhere() {
		fields["ship"] = f.Ship.fields()
	}
	if !f.Site.empty() {
		fields["site"] = f.Site.fields()
	}
	return sign(kindFleet, fields, key)
}

func (f Fleet) equal(g Fleet) bool {
	return f.Name == g.Name && f.Serial == g.Serial && slices.Equal(f.Revoked, g.Revoked) &&
		f.sameRegistrars(g) && slices.EqualFunc(f.People, g.People, Person.equal) &&
		f.Ship.equal(g.Ship)
}

// check refuses a fleet that could not be changed any more, or that names somebody twice.
func (f Fleet) check() error {
	if err := checkName(f.Name); err != nil {
		return fmt.Errorf("fleet %w", err)
	}
	if len(f.Admins()) == 0 {
		return fmt.Errorf("fleet %q: nobody is an administrator, so nobody could change it", f.Name)
	}
	if len(f.People) > maxPeople {
		return fmt.Errorf("fleet %q: more than %d people", f.Name, maxPeople)
	}
	if err := checkEarlier(f.Earlier, append(slices.Clone(f.People), f.Registrar)); err != nil {
		return err
	}
	for _, id := range f.Revoked {
		if err := checkName(id); err != nil {
			return fmt.Errorf("revoked machine: %w", err)
		}
	}
	for i, p := range append(slices.Clone(f.People), f.Registrar) {
		if err := p.check(); err != nil {
			return err
		}
		for _, q := range f.People[:min(i, len(f.People))] {
			if q.Name == p.Name || q.Key.Equal(p.Key) {
				return fmt.Errorf("%q and %q have the same name or key", q.Name, p.Name)
			}
		}
	}
	return errors.Join(f.Ship.check(), f.Site.check())
}

func readFleet(f plan.Fields) (Fleet, error) {
	fleet := Fleet{Name: f.Text("name"), Serial: f.Number("serial"), Revoked: f.Texts("revoked"),
		Ship: readShipping(f.Object("ship")), Site: readSite(f.Object("site"))}
	var err error
	if fleet.People, err = readPeople(f.Objects("people")); err != nil {
		return Fleet{}, err
	}
	if fleet.Earlier, err = readPeople(f.Objects("earlier")); err != nil {
		return Fleet{}, err
	}
	if fleet.Registrar, err = readPerson(f.Object("registrar")); err != nil {
		return Fleet{}, err
	}
	if fleet.Serial < 1 {
		return Fleet{}, fmt.Errorf("fleet %q: its serial is %d", fleet.Name, fleet.Serial)
	}
	return fleet, fleet.check()
}
