package document

import (
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/approval"
)

// Differences says in lines what the next document changes, for who is to sign it too.
func (f Fleet) Differences(next Fleet) []string {
	var lines []string
	for _, p := range next.People {
		switch was, ok := f.Person(p.Name); {
		case !ok:
			lines = append(lines, "adds "+p.line())
		case !was.equal(p):
			lines = append(lines, "changes "+was.line(), "     to "+p.line())
		}
	}
	for _, p := range f.People {
		if _, ok := next.Person(p.Name); !ok {
			lines = append(lines, "removes "+p.line())
		}
	}
	if !f.Registrar.equal(next.Registrar) {
		lines = append(lines, "changes the registrar to key "+approval.KeyID(next.Registrar.Key))
	}
	for _, p := range f.Earlier {
		if !slices.ContainsFunc(next.Earlier, p.equal) {
			lines = append(lines, "forgets the earlier registrar with key "+approval.KeyID(p.Key))
		}
	}
	if !f.Site.equal(next.Site) {
		lines = append(lines, "moves the "+next.Site.line())
	}
	for _, id := range next.Revoked {
		if !f.IsRevoked(id) {
			lines = append(lines, "revokes machine "+id)
		}
	}
	for _, id := range f.Revoked {
		if !next.IsRevoked(id) {
			lines = append(lines, "no longer revokes machine "+id)
		}
	}
	if len(lines) == 0 && !slices.EqualFunc(f.People, next.People, Person.equal) {
		lines = append(lines, "changes the order of the people")
	}
	return lines
}

func (p Person) line() string {
	role := "person"
	if p.Admin {
		role = "administrator"
	}
	return fmt.Sprintf("%s %s, key %s, answers %q, up to R%d", role, p.Name, approval.KeyID(p.Key),
		p.Answers, p.MaxRisk)
}
