package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

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
