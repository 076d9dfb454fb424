package launcher

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// A configuration with cases (the key expect) is tried when it is loaded for the first time. While
// a case fails, the last configuration of which none failed applies too.

// triedCases is what is remembered of it, in a file.
type triedCases struct {
	Sum    string `json:"sum"` // of the policy and its cases
	Passed bool   `json:"passed"`
	Good   string `json:"good"` // the configuration of which no case failed last
}

// Cases judges the cases of a policy as the account of this launcher.
func (l *Launcher) Cases(p pathguard.Policy) []pathguard.CaseResult {
	can := l.undoOf(Request{})
	return p.Cases(pathguard.Caller{Home: l.account, UID: os.Getuid(), StateDir: l.state.Dir,
		Local: pathguard.Local{Undo: p.UndoOf(l.account).Kept(can.Not, can.Session,
			p.Settings().KeepBackground, func() string { return "" })}})
}

// failedOf are the cases that fail.
func failedOf(all []pathguard.CaseResult) (failed []pathguard.CaseResult) {
	for _, c := range all {
		if c.Failed != "" {
			failed = append(failed, c)
		}
	}
	return failed
}

// tested returns the policy that is in force while the configuration has the cases that it has.
func (l *Launcher) tested(p pathguard.Policy) (pathguard.Policy, error) {
	expect := p.Settings().Expect
	if len(expect) == 0 {
		return p, nil
	}
	var tried triedCases
	if text, err := setup.Read(l.beside(l.state.Cases())); err == nil {
		_ = json.Unmarshal(text, &tried) // what cannot be read is tried again
	}
	sum := sumOf(fmt.Appendf(nil, "%s %#v", p.Digest(), expect))
	if tried.Sum == sum && tried.Passed {
		return p, nil
	}
	l.failed = failedOf(l.Cases(p))
	if tried.Sum != sum || tried.Passed != (len(l.failed) == 0) {
		tried.Sum, tried.Passed = sum, len(l.failed) == 0
		if tried.Passed {
			text, err := os.ReadFile(l.loosest())
			if err != nil {
				return p, err
			}
			now, err := l.PolicyFrom(l.loosest(), text)
			if err != nil || now.Digest() != p.Digest() { // it was changed since it was loaded
				return p, err
			}
			tried.Good = string(text)
		}
		text, err := json.Marshal(tried)
		if err == nil {
			err = state.Replace(l.beside(l.state.Cases()), text)
		}
		if err != nil {
			return p, fmt.Errorf("remember that the cases of the configuration passed: %w", err)
		}
	}
	if len(l.failed) == 0 {
		return p, nil
	}
	before, err := l.PolicyFrom(l.loosest(), []byte(tried.Good))
	if err != nil { // it was good for an earlier version
		before, err = l.PolicyFrom(l.loosest(), nil)
	}
	if err != nil {
		return p, err
	}
	return p.Both(before)
}

// Failing are the cases of the configuration that fail. While there are any, the configuration
// before it applies too.
func (l *Launcher) Failing() []pathguard.CaseResult { return l.failed }

// failing says that the configuration is in force only in part; "" if it is not.
func (l *Launcher) failing() string {
	if len(l.failed) == 0 {
		return ""
	}
	return fmt.Sprintf("%q: %d of %s failed; until they pass, the configuration before it applies "+
		"too, and the stricter verdict counts; see: tadactl policy test", l.loosest(),
		len(l.failed), audit.Plural(len(l.policy.Settings().Expect), "case"))
}
