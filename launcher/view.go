package launcher

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/broker/view"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// shares shows the run the shared directories as a view, with what the plan may change in them
// beside its workspace's own entries: the names that a person has approved, and what the text of an
// agent's program around the command writes.
func (j *Judgement) shares(p *sandbox.Profile, f pathguard.Fence, noted []pathguard.Grant,
	dirs []string) {
	v := &broker.View{Dirs: dirs, System: pathguard.ProgramDirs(), Open: j.scratch()}
	if j.Request.Hold != nil {
		v.Makes = scratchFolders()
	}
	if j.Verdict.Decision == pathguard.Ask {
		noted = append(noted, f.Write...)
	}
	for _, g := range noted {
		name := filepath.Join(g.Path, g.Missing)
		if g.Tree {
			v.Named = append(v.Named, name+"/")
		}
		v.Named = append(v.Named, name)
	}
	v.Named = slices.DeleteFunc(v.Named, func(name string) bool {
		return !slices.ContainsFunc(v.Dirs, func(dir string) bool {
			return strings.HasPrefix(name, dir+"/") && name != dir+"/"
		})
	})
	v.Linked = j.linked()
	p.View = v
}

// linked are the files with hard links outside of the workspace that the verdict lets the run
// change in place.
func (j *Judgement) linked() (names []string) {
	for i := range j.Verdict.Reasons {
		switch r := &j.Verdict.Reasons[i]; r.Rule {
		case "write.linked":
			names = append(names, r.Path)
		case "code.linked":
			names = append(names, j.Plan.LinkedOutside()...)
		}
	}
	return names
}

// seesShared reports whether the shared directories are a view.
func (j *Judgement) seesShared() bool {
	return !j.policy.Settings().PrivateTmp
}

// isShared reports whether a grant of the plan is in a shared directory, where the broker makes
// what the plan writes. The workspace and homes stay what they are.
func (j *Judgement) isShared(g pathguard.Grant, dirs []string) bool {
	return pathname.WithinAny(g.Path, dirs) && !pathname.Within(g.Path, j.workplace(dirs)) &&
		!j.policy.InHome(g.Path)
}

// sharedDirs are the shared directories, links resolved; none where they are no view.
func (j *Judgement) sharedDirs() (list []string) {
	if !j.seesShared() {
		return nil
	}
	for _, dir := range environ.SharedTemp {
		if real, err := filepath.EvalSymlinks(dir); err == nil && !slices.Contains(list, real) {
			list = append(list, real)
		}
	}
	return list
}

// workplace is the workspace, or without one the working directory, if that is not itself what all
// programs share and not a folder that some program looks for there. "-" is none.
func (j *Judgement) workplace(dirs []string) string {
	ground := cmp.Or(j.Plan.Workspace, j.Plan.Dir)
	for _, dir := range dirs {
		if !pathname.Within(ground, dir) {
			continue
		}
		top, _, _ := strings.Cut(strings.TrimPrefix(ground[len(dir):], "/"), "/")
		if top == "" || view.Custom(top) != "" {
			return "-"
		}
	}
	return ground
}

// temporaryFolder names the variable that tells where temporary files are.
const temporaryFolder = "TMPDIR"

// scratch are the folders that other programs made in shared directories for what commands leave
// there, as patterns: that of temporary files, and those that agents tell their commands of.
func (j *Judgement) scratch() (open []string) {
	if dir := filepath.Clean(j.environ.vars[temporaryFolder]); filepath.IsAbs(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			open = append(open, literally(real))
		}
	}
	return append(open, scratchFolders()...)
}

// scratchFolders are those of agents, as patterns.
func scratchFolders() (list []string) {
	for f := range agents.Of("scratch") {
		list = append(list, f.Text())
	}
	return list
}

// literally is name as a pattern that means nothing else.
func literally(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// ledgerName is what the ledger of a workspace is called.
func (j *Judgement) ledgerName() string {
	sum := sha256.Sum256([]byte(cmp.Or(j.Plan.Workspace, j.Plan.Dir)))
	return hex.EncodeToString(sum[:12])
}
