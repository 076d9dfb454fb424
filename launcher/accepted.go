package launcher

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// A Proposed is the configuration of a workspace, for a person who may accept what it allows.
type Proposed struct {
	Workspace string
	File      string
	Accepted  bool   // exactly this text is accepted
	Diff      string // from what was accepted last; "" if nothing changed
	// Allows are the rules that count once it is accepted, as `policy show` has them. None: there
	// is nothing to accept.
	Allows []string

	text []byte
}

// ErrNoProposal is returned for a workspace without a configuration.
var ErrNoProposal = errors.New("this workspace has no .tada/config.yaml")

// Proposed returns what the configuration of the workspace around a directory would allow.
func (l *Launcher) Proposed(dir string) (p Proposed, err error) {
	_, p.Workspace, err = l.PolicyIn(dir)
	if err != nil {
		return p, err
	}
	file := pathguard.WorkspaceConfig(p.Workspace)
	p.File = file.Path
	if p.text, err = file.Text(os.Getuid()); err != nil {
		return p, err
	} else if p.text == nil || p.Workspace == "" || file.Path == l.state.Config() {
		return p, fmt.Errorf("%q: %w", dir, ErrNoProposal)
	}
	last := l.acceptances()[p.Workspace]
	p.Accepted = last.Sum == sumOf(p.text)
	p.Diff = tamper.Unified(filepath.Base(p.File), []byte(last.Text), p.text)
	file.Draft = p.text
	tight, err := l.policy.Tighten(file)
	if err != nil {
		return p, err
	}
	file.Accepted = true
	loose, err := l.policy.Tighten(file)
	if err != nil {
		return p, err
	}
	counts := map[pathguard.Fitting]bool{}
	for _, r := range tight.Rules() {
		counts[r] = true
	}
	for _, r := range loose.Rules() {
		if !counts[r] {
			p.Allows = append(p.Allows, r.Key+": "+r.Entry)
		}
	}
	return p, nil
}

// Changed reports whether the file has another text by now, or cannot be read.
func (p Proposed) Changed() bool {
	text, err := pathguard.WorkspaceConfig(p.Workspace).Text(os.Getuid())
	return err != nil || !bytes.Equal(text, p.text)
}

// AcceptRules remembers and records that a person accepted a proposal. If its file changed
// meanwhile, the new text is not accepted.
func (l *Launcher) AcceptRules(p Proposed) error {
	return l.changeAccepted(p.Workspace, &acceptance{sumOf(p.text), string(p.text),
		l.state.Now().UTC()})
}

// UnacceptRules takes back what was accepted of the workspace around a directory; ok is false if
// nothing was.
func (l *Launcher) UnacceptRules(dir string) (ok bool, err error) {
	_, workspace, err := l.PolicyIn(dir)
	if err != nil {
		return false, err
	}
	if _, ok = l.acceptances()[workspace]; !ok {
		return false, nil
	}
	return true, l.changeAccepted(workspace, nil)
}

// changeAccepted records a change before it takes effect.
func (l *Launcher) changeAccepted(workspace string, to *acceptance) error {
	alone, err := l.state.Lock("accepted.lock", syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer alone.Close()
	log, err := l.OpenLog()
	if err != nil {
		return err
	}
	defer log.Close()
	body := object{"workspace": workspace, "sha256": "", "by": person(tamper.CLI).User}
	all := l.acceptances()
	delete(all, workspace)
	if to != nil {
		body["sha256"], all[workspace] = to.Sum, *to
	}
	entry, err := canonical.Append(nil, body)
	if err != nil {
		return err
	}
	if _, err := log.Append(record.KindAccepted, entry, audit.Durable); err != nil {
		return &record.Error{Kind: record.KindAccepted, Err: err}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return state.Replace(l.beside(l.state.Accepted()), text)
}

// proposes says that the configuration of the workspace of a policy has rules that would count if a
// person accepted them; "" if it has none.
func proposes(workspace string, p pathguard.Policy) string {
	file := pathguard.WorkspaceConfig(workspace).Path
	if workspace == "" || !slices.ContainsFunc(p.Notes(), func(note string) bool {
		return strings.HasPrefix(note, file+": the rule that allows ")
	}) {
		return ""
	}
	return fmt.Sprintf("%q has rules that allow something, and count only if you accept them: "+
		"tadactl policy accept", file)
}
