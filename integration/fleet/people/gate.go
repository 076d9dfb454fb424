package people

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// standing is what the machine says of a version that it has in a stage. The zero Standing: it has
// none.
func (m Member) standing(b document.Bundle) Standing {
	i := slices.IndexFunc(m.Policies, func(s Standing) bool {
		return s.Name == b.Name && s.Version == b.Version && s.Stage == b.Stage && s.Error == ""
	})
	if i < 0 {
		return Standing{}
	}
	return m.Policies[i]
}

// On returns what a machine that the bundle is for says of it, or of a bundle that has its name. A
// machine that says nothing has the zero Standing.
func (p Policy) On(m Member) []Standing {
	var list []Standing
	for _, s := range m.Policies {
		if s.Name == p.Name || s.Name == "" && s.Error != "" {
			list = append(list, s)
		}
	}
	if len(list) == 0 && (p.Force.Machines.Selects(m.Labels) && p.Force.Text != "" ||
		p.Tried.Machines.Selects(m.Labels)) {
		list = append(list, Standing{Name: p.Name})
	}
	return list
}

// A GateError says why a bundle that is tried should not be in force yet.
type GateError struct {
	Bundle  document.Bundle
	Untried []string // the names of connected machines that have tried it in no run
	Denied  int      // runs that it would have denied, and the policy in force did not
}

// Count is what must be named to force the bundle all the same.
func (e *GateError) Count() int { return len(e.Untried) + e.Denied }

func (e *GateError) Error() string {
	text := fmt.Sprintf("bundle %q version %d: ", e.Bundle.Name, e.Bundle.Version)
	switch {
	case e.Count() == 0:
		return text + "nothing speaks against it any more; type it without --despite"
	case len(e.Untried) > 0 && e.Denied > 0:
		text += e.untried() + ", and " + e.denied()
	case len(e.Untried) > 0:
		text += e.untried()
	default:
		text += e.denied()
	}
	return text + fmt.Sprintf("; see: tadactl fleet policy status %s; to have it in force all the "+
		"same: tadactl fleet policy force %s --despite %d", e.Bundle.Name, e.Bundle.Name, e.Count())
}

func (e *GateError) denied() string {
	return "it would deny " + audit.Plural(e.Denied, "run") + " that happened"
}

// maxNames is how many machines an error names.
const maxNames = 3

func (e *GateError) untried() string {
	some := e.Untried[:min(len(e.Untried), maxNames)]
	return fmt.Sprintf("%s did not try it in a run, such as %s",
		audit.Plural(len(e.Untried), "connected machine"), strings.Join(some, ", "))
}

// ForcePolicy puts the version that is tried in force. While a connected machine that it is for has
// not tried it, or would deny what it ran, the error is a *GateError, unless its count is given.
func (o Office) ForcePolicy(ctx context.Context, key approval.Key, name string,
	how Change) (document.Bundle, error) {
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return document.Bundle{}, err
	}
	p, err := o.policy(ctx, fleet, name)
	if err != nil {
		return document.Bundle{}, err
	}
	b := p.Tried
	if b.Text == "" {
		return b, fmt.Errorf("no version of bundle %q is tried; try: tadactl fleet policy push "+
			"%s FILE --label SELECTOR", name, name)
	}
	if how.Version != b.Version {
		return b, ErrRace
	}
	members, err := o.Members(ctx)
	if err != nil {
		return b, err
	}
	if gate := gateOf(b, members); gate.Count() != how.Despite {
		return b, gate
	}
	b.Stage, b.Ungated = document.Force, how.Ungated
	return o.put(ctx, key, fleet, p, b)
}

func gateOf(b document.Bundle, members []Member) *GateError {
	gate := &GateError{Bundle: b}
	for _, m := range members {
		if !m.Connected || m.Revoked || !b.Machines.Selects(m.Labels) {
			continue
		}
		s := m.standing(b)
		if gate.Denied += s.Denied; s.Runs == 0 {
			gate.Untried = append(gate.Untried, m.Name)
		}
	}
	return gate
}
