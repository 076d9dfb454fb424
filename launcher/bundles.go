package launcher

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// A fleetPolicy is what a machine of a fleet has of the fleet's policy.
type fleetPolicy struct {
	force []state.Bundle // in force: a floor
	tried []state.Bundle // they decide nothing; see trials.go

	member atomic.Int32 // what load saw, for the first judgement; see joined
}

// The values of fleetPolicy.member.
const (
	notSeen int32 = iota
	seenAlone
	seenMember
)

// joined reports whether the machine is in a fleet. The first judgement goes by what was seen when
// the policy was read.
func (l *Launcher) joined() bool {
	if seen := l.member.Swap(notSeen); seen != notSeen {
		return seen == seenMember
	}
	return l.state.Joined()
}

// readBundles reads the policy of the fleet, if the machine is in one.
func (l *Launcher) readBundles() error {
	if !l.state.Joined() {
		l.member.Store(seenAlone)
		return nil
	}
	l.member.Store(seenMember)
	all, err := l.state.Bundles()
	if err == nil {
		l.force, l.tried = state.InForce(all)
		return nil
	}
	mistake := &pathguard.ConfigError{File: l.state.FleetPolicies(), Err: err,
		Msg: "the policy of the fleet cannot be read", Fix: "tadactl fleet agent"}
	if bad := (*state.BundleError)(nil); errors.As(err, &bad) {
		mistake.File, mistake.Err = bad.Path, bad.Err
	}
	return mistake
}

// bundleLayer begins the name of a bundle as a source of settings.
const bundleLayer = "fleet: "

// configOf is a bundle as a configuration.
func configOf(b state.Bundle) pathguard.ConfigFile {
	return pathguard.ConfigFile{Path: fmt.Sprintf("%s%s version %d", bundleLayer, b.Name,
		b.Version), Layer: pathguard.FleetLayer, Draft: append([]byte{}, b.Text...)}
}

// configsOf are bundles as configurations.
func configsOf(list []state.Bundle) (files []pathguard.ConfigFile) {
	for _, b := range list {
		files = append(files, configOf(b))
	}
	return files
}

// bundleNames are the names of bundles in the record.
func bundleNames(list []state.Bundle) (names []string) {
	for _, b := range list {
		names = append(names, b.String())
	}
	return names
}

// TryBundle returns the error for which machines with this version of tada-run would refuse a
// bundle.
func (l *Launcher) TryBundle(b state.Bundle) error {
	_, err := pathguard.Load(l.accountOf(), configOf(b))
	return err
}

// BundleCases judges the cases of a text that is to become a bundle, under that text alone. What is
// not possible in a bundle is an error.
func (l *Launcher) BundleCases(file string, text []byte) (failed []pathguard.CaseResult,
	err error) {
	p, err := pathguard.Load(l.accountOf(), pathguard.ConfigFile{Path: file,
		Layer: pathguard.UserLayer, Draft: append([]byte{}, text...)})
	if err != nil {
		return nil, err
	}
	if len(p.Settings().Approval.Notify) > 0 {
		return nil, &pathguard.ConfigError{File: file, Msg: "notify is not possible in the " +
			"policy of a fleet, which starts no program; each account has its own"}
	}
	return failedOf(l.Cases(p)), nil
}
