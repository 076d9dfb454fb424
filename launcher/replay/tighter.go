package replay

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard"
)

// A Tighter is a configuration for one workspace that takes away what its runs have not needed.
type Tighter struct {
	Runs   int    // from which it was found
	Config string // YAML; "" if every permission was needed
}

// Tighter finds what the runs of a workspace have not needed since a time. own is what the
// workspace says about itself now. Every plan of these runs has the same verdict under the result.
// ok is false if the record does not go back as far, has no such run, or no plan of one.
func (rec Record) Tighter(workspace string, own []pathguard.ConfigFile,
	since time.Time) (t Tighter, ok bool, err error) {
	r, err := rec.recent(since, workspace)
	if err != nil || !r.known || len(r.runs) == 0 {
		return t, false, err
	}
	policy, err := rec.Policy.Tighten(own...)
	if err != nil {
		return t, false, err
	}
	needed, err := rec.neededBy(r, policy)
	if err != nil {
		return t, false, nil // of another version
	}
	seen, err := rec.observed(r, since)
	if err != nil {
		return t, false, err
	}
	needed.localhost = needed.localhost || seen.localhost
	t.Runs = len(r.runs)
	parts := permissions(policy, needed, seen.strong)
	if parts, err = rec.harmless(r, policy, workspace, parts); err == nil {
		t.Config, err = written(parts)
	}
	return t, err == nil, err
}

// observed is what runs did, by the record.
type observed struct {
	localhost bool
	strong    bool // all of them ran in the strong sandbox
}

func (rec Record) observed(r recent, since time.Time) (o observed, err error) {
	starts, weak := 0, 0
	f := audit.Filter{Since: since,
		Kinds: []string{record.KindStart, record.KindTraffic, record.KindEnd}}
	_, err = record.Bodies(rec, f, func(_ time.Time, body struct {
		SID, Level  string
		Connections []past.Connection // of traffic
		Network     struct {
			Connections []past.Connection
			More        int // that are not on record
		}
	}) {
		if !r.runs[body.SID] {
			return
		}
		if body.Level != "" {
			starts++
		}
		if body.Level != "" && body.Level != pathguard.Strong.String() {
			weak++
		}
		o.localhost = o.localhost || body.Network.More > 0 ||
			slices.ContainsFunc(body.Connections, staysHere) ||
			slices.ContainsFunc(body.Network.Connections, staysHere)
	})
	o.strong = starts > 0 && weak == 0
	return o, err
}

// staysHere reports whether network.localhost is about a connection.
func staysHere(c past.Connection) bool {
	at, err := netip.ParseAddrPort(c.Address)
	return c.Kind == "listen" || c.Kind == "unix" || err == nil && at.Addr().Unmap().IsLoopback()
}

// A permission is one that was not needed, as the lines of a configuration that take it away.
type permission struct {
	section, line string
	rule          pathguard.Way // in place of section and line
}

func permissions(p pathguard.Policy, needed needed, strong bool) (list []permission) {
	set := p.Settings()
	if !set.NoLocalhost && !needed.localhost {
		list = append(list, permission{section: "network", line: "localhost: false"})
	}
	asked := slices.DeleteFunc(slices.Clone(set.Registries),
		func(name string) bool { return !needed.registries[name] })
	if len(asked) < len(set.Registries) {
		list = append(list, permission{section: "network",
			line: "registries: [" + strings.Join(asked, ", ") + "]"})
	}
	if strong && set.Require != pathguard.Strong {
		list = append(list, permission{section: "sandbox", line: "require: strong"})
	}
	for _, rule := range p.Asking(needed.rules) {
		list = append(list, permission{rule: rule})
	}
	return list
}

// harmless are the permissions without which every plan has the verdict that it has with them.
func (rec Record) harmless(r recent, p pathguard.Policy, workspace string,
	list []permission) ([]permission, error) {
	now := Judge{Policy: p, Home: rec.Account.Home}
	without := make([]Judge, len(list))
	for i, part := range list {
		text, err := written([]permission{part})
		if err != nil {
			return nil, err
		}
		file := pathguard.WorkspaceConfig(workspace)
		file.Draft = []byte(text)
		next, err := p.Tighten(file)
		if err != nil {
			return nil, err
		}
		without[i] = Judge{Policy: next, Home: rec.Account.Home}
	}
	needed := make([]bool, len(list))
	for f, err := range rec.thawed(r) {
		if err != nil {
			return nil, err
		}
		f.Rules = "" // the workspace's own configuration is in the policy
		was, err := now.Verdict(f)
		if err != nil {
			continue // for reasons of the plan, not of what is taken away
		}
		for i := range without {
			v, err := without[i].Verdict(f)
			needed[i] = needed[i] || err != nil || v.Decision != was.Decision
		}
	}
	var left []permission
	for i, part := range list {
		if !needed[i] {
			left = append(left, part)
		}
	}
	return left, nil
}

// written is a configuration without these permissions; "" for none.
func written(list []permission) (string, error) {
	var text, section string
	var rules []pathguard.Way
	for _, part := range list {
		switch {
		case part.section == "":
			rules = append(rules, part.rule)
			continue
		case part.section != section:
			section = part.section
			text += section + ":\n"
		}
		text += fmt.Sprintf("  %s\n", part.line)
	}
	slices.Reverse(rules) // each is put before the others
	with, err := pathguard.Insert([]byte(text), rules...)
	return string(with), err
}
