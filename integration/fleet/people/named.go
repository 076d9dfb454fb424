package people

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Named returns the members that a person may mean: the one that has the id, otherwise all that
// have the name. Machines choose their names, so several can have the same one.
func Named(all []Member, which string) []Member {
	byID := func(m Member) bool { return m.ID == which }
	if i := slices.IndexFunc(all, byID); i >= 0 {
		return all[i : i+1]
	}
	return slices.DeleteFunc(slices.Clone(all), func(m Member) bool { return m.Name != which })
}

// NoMachine is the error for an id or a name that no member has.
func NoMachine(which string) error {
	return fmt.Errorf("no machine has the id or the name %q; type: tadactl fleet list", which)
}

// Machine returns the member that has an id, or alone has a name. The error names the ids of
// several.
func (o Office) Machine(ctx context.Context, which string) (Member, error) {
	all, err := o.Members(ctx)
	if err != nil {
		return Member{}, err
	}
	found := Named(all, which)
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) == 0 {
		return Member{}, NoMachine(which)
	}
	var ids []string
	for _, m := range found {
		ids = append(ids, m.ID)
	}
	return Member{}, fmt.Errorf("several machines have the name %q; type the id of one: %s",
		which, strings.Join(ids, ", "))
}
