package launcher

import (
	"os"
	"path/filepath"

	"github.com/tada-run/tada-run/pathguard"
)

// floorConfig sets what no user can loosen. It counts only when root owns it; pathguard
// refuses another one.
const floorConfig = "/etc/tada/config.yaml"

// loadPolicy reads the floor and the user's file.
func loadPolicy(home Home, account string) (pathguard.Policy, error) {
	return pathguard.Load(
		pathguard.Account{Home: account, EnvHome: os.Getenv("HOME"), UID: os.Getuid(), StateDir: home.Dir},
		pathguard.ConfigFile{Path: floorConfig, Layer: pathguard.FloorLayer},
		pathguard.ConfigFile{Path: home.Config(), Layer: pathguard.UserLayer},
	)
}

// policyFor tightens the policy by what the plan's workspace says about itself. The file is
// data of the repository: it can only make the policy stricter.
func (l *Launcher) policyFor(plan *pathguard.Plan) (pathguard.Policy, error) {
	if plan.Workspace == "" {
		return l.policy, nil
	}
	path := filepath.Join(plan.Workspace, ".tada", "config.yaml")
	if _, err := os.Lstat(path); os.IsNotExist(err) || path == l.home.Config() {
		return l.policy, nil
	}
	return l.policy.Tighten(pathguard.ConfigFile{Path: path, Layer: pathguard.WorkspaceLayer, Root: plan.Workspace})
}

// Policy returns the policy of the state directory, without any workspace's.
func (l *Launcher) Policy() pathguard.Policy { return l.policy }

// Home returns the state directory.
func (l *Launcher) Home() Home { return l.home }
