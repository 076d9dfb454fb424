package launcher

import (
	"os"

	"github.com/tada-run/tada-run/pathguard"
)

// rulesOf returns what the plan's workspace says about itself, none if it says nothing. The file is
// data of the repository: what it allows counts only for exactly the text that a person accepted.
func (l *Launcher) rulesOf(plan *pathguard.Plan) ([]pathguard.ConfigFile, error) {
	if plan.Workspace == "" {
		return nil, nil
	}
	file := pathguard.WorkspaceConfig(plan.Workspace)
	if _, err := os.Lstat(file.Path); os.IsNotExist(err) || file.Path == l.state.Config() {
		return nil, nil
	}
	text, err := file.Text(os.Getuid())
	if text == nil {
		return nil, err
	}
	file.Draft = text // the record keeps what was judged by
	file.Accepted = l.accepts(plan.Workspace, text)
	return []pathguard.ConfigFile{file}, nil
}

// drafts is the text of what a workspace says, and whether a person has accepted it.
func drafts(files []pathguard.ConfigFile) (text string, accepted bool) {
	for _, f := range files {
		text, accepted = string(f.Draft), f.Accepted
	}
	return text, accepted
}
