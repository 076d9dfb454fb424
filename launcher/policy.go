package launcher

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// floorConfig sets what no user can loosen. It counts only when root owns it; pathguard
// refuses another one.
const floorConfig = "/etc/tada/config.yaml"

// policyUnder reads the floor, bundles of the fleet, the account's own file and, if another state
// directory was given, the file in that one. Each can only tighten those before it: the caller of
// this process chooses --home, and must not be able to choose a looser policy with it. A draft is
// what the file of that name is to hold, or the last one, and mistakes in it are reported under
// that name.
func (l *Launcher) policyUnder(bundles []state.Bundle,
	draft pathguard.ConfigFile) (pathguard.Policy, error) {
	files := []pathguard.ConfigFile{{Path: l.floor, Layer: pathguard.FloorLayer}}
	own, home := ownConfig(l.account), l.state.Home
	if own != home.Config() && owned(l.account) {
		file := pathguard.ConfigFile{Path: own, Layer: pathguard.UserLayer}
		if draft.Path == own {
			file.Draft, draft = draft.Draft, pathguard.ConfigFile{}
		}
		files = append(files, file)
	}
	files = append(files, pathguard.ConfigFile{Path: cmp.Or(draft.Path, home.Config()),
		Layer: pathguard.UserLayer, Draft: draft.Draft})
	if len(bundles) > 0 {
		return pathguard.LoadUnder(l.accountOf(), configsOf(bundles), files...)
	}
	return pathguard.Load(l.accountOf(), files...)
}

// accountOf is the account whose policy is read.
func (l *Launcher) accountOf() pathguard.Account {
	return pathguard.Account{Home: l.account, EnvHome: os.Getenv("HOME"), UID: os.Getuid(),
		StateDir: l.state.Dir}
}

// policyWith is the policy with another text of the account's configuration.
func (l *Launcher) policyWith(text []byte) (pathguard.Policy, error) {
	return l.PolicyFrom("", text)
}

// PolicyFrom is the policy with what a file holds as the account's configuration. Mistakes are
// reported as of that file.
func (l *Launcher) PolicyFrom(file string, text []byte) (pathguard.Policy, error) {
	return l.policyUnder(l.force,
		pathguard.ConfigFile{Path: file, Draft: append([]byte{}, text...)})
}

// loosest is the configuration that may loosen what is built in: the account's own, or without one
// that of the state directory.
func (l *Launcher) loosest() string {
	own := ownConfig(l.account)
	if _, err := os.Lstat(own); err == nil && own != l.state.Config() && owned(l.account) {
		return own
	}
	return l.state.Config()
}

// isMistake reports whether an error is of a configuration that is refused.
func isMistake(err error) bool {
	mistake := (*pathguard.ConfigError)(nil)
	return errors.As(err, &mistake)
}

// mendable adds how to mend a mistake in a bundle of the fleet, or in a file that `tadactl policy
// edit` opens. It edits no other, and a file that cannot be read says itself what helps.
func (l *Launcher) mendable(err error) error {
	mistake := (*pathguard.ConfigError)(nil)
	if !errors.As(err, &mistake) {
		return err
	}
	if bundle, is := strings.CutPrefix(mistake.File, bundleLayer); is {
		name, _, _ := strings.Cut(bundle, " ")
		mistake.Fix = fmt.Sprintf("upgrade tada-run, or have an administrator type: tadactl "+
			"fleet policy withdraw %s", name)
		return err
	}
	if mistake.Line == 0 {
		return err
	}
	switch mistake.File {
	case l.state.Config():
		mistake.Fix = "tadactl policy edit"
		if l.named {
			mistake.Fix = fmt.Sprintf("tadactl --home %q policy edit", l.state.Dir)
		}
	case ownConfig(l.account):
		mistake.Fix = "tadactl policy edit"
	}
	return err
}

// ownConfig is the configuration of an account whose home that is.
func ownConfig(account string) string { return filepath.Join(account, ".tada", "config.yaml") }

// owned reports whether the account's home is this user's. In a user namespace the entry that
// /etc/passwd has for uid 0 names the home of another user.
func owned(account string) bool {
	info, err := os.Stat(account)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// MayRead returns nil when the policy lets this process read path for a caller in dir: what
// is read to be judged must not be a way to read what is forbidden.
func (l *Launcher) MayRead(dir, path string) error {
	g := pathguard.Guard{Policy: l.policy, Caller: pathguard.Caller{
		Dir: dir, Env: map[string]string{}, Home: l.account, UID: os.Getuid(),
		StateDir: l.state.Dir,
	}}
	r, err := g.CheckPathAccess(path, false)
	if err != nil {
		return err
	}
	if !r.Allowed {
		return &ForbiddenError{Path: path, Reason: r.Reason}
	}
	return nil
}

// A ForbiddenError says that a script file may not be read. It is reported as a denial.
type ForbiddenError struct{ Path, Reason string }

func (e *ForbiddenError) Error() string { return fmt.Sprintf("script %q: %s", e.Path, e.Reason) }

// Policy returns the policy of the state directory, without any workspace's.
func (l *Launcher) Policy() pathguard.Policy { return l.policy }

// Home returns the state directory.
func (l *Launcher) Home() state.Home { return l.state.Home }
