package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/tamper"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// workspaceConfig is tada-run's own configuration in a workspace. It is protected always, as are
// the files of the own store: security.tamper_proof is about what the person asked to protect.
const workspaceConfig = ".tada/config.yaml"

// ownStore is the store of tada-run's own configuration and of what was registered with other
// programs. It includes the floor that root sets, if there is one. When the floor appears, that can
// only make things stricter; a change of it, or its end, is for a person to see, even when root
// made it.
func (l *Launcher) ownStore() *tamper.Store {
	paths := []string{l.state.Config()}
	if _, err := os.Lstat(l.floor); err == nil {
		paths = append(paths, l.floor)
	}
	if own := filepath.Join(l.account, ".tada", "config.yaml"); own != paths[0] &&
		owned(l.account) {
		paths = append(paths, own)
	}
	o := l.shadowOptions("/")
	o.Patterns, o.All = paths, true
	return tamper.Open(filepath.Join(l.state.Shadow(), "own"), o)
}

// workStore is the store of a workspace. The policy is that of the run's own workspace: what
// another one protects besides, it does not tell. Where the configuration is refused, what it
// protects is what has a baseline.
func (l *Launcher) workStore(root string, j *Judgement, own bool) *tamper.Store {
	o := l.shadowOptions(root)
	o.All = j.refused != nil
	o.Complete = own && !o.All
	o.Patterns, o.Export = append(slices.Clone(j.policy.Settings().Protect), workspaceConfig), true
	return tamper.Open(filepath.Join(l.state.Shadow(), shadowName(root)), o)
}

// storeNamed is the store in a folder of the state directory, without what its policy protects. The
// folder of a workspace is the one above its files that has this name; where a store never had a
// file, there is nothing to tell of it.
func (l *Launcher) storeNamed(name string) *tamper.Store {
	dir := filepath.Join(l.state.Shadow(), name)
	s := tamper.Open(dir, l.shadowOptions("/"))
	for _, path := range s.Names() {
		for root := filepath.Dir(path); root != "/"; root = filepath.Dir(root) {
			if shadowName(root) == name {
				return tamper.Open(dir, l.shadowOptions(root))
			}
		}
	}
	return s
}

// expireArchives gives up what protected files of all workspaces were before and after an override
// that is older than that moment.
func (l *Launcher) expireArchives(log *audit.Log, before time.Time) (gone int, err error) {
	entries, err := os.ReadDir(l.state.Shadow())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		s := l.storeNamed(e.Name())
		n, expireErr := s.Expire(person(tamper.CLI), before)
		gone += n
		err = errors.Join(err, expireErr, record.Deliver(log, s, audit.Lazy))
	}
	return gone, err
}

func (l *Launcher) shadowOptions(root string) tamper.Options {
	return tamper.Options{Root: root, Now: l.state.Now, Alive: l.state.Lives,
		Waiting: l.state.WaitsFor}
}

// shadowName is the folder of a workspace's store: 64 bits of a hash of its path, which may hold
// any byte.
func shadowName(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:8])
}

// protectionOf looks at the protected files that the plan can reach. It changes nothing.
func (l *Launcher) protectionOf(j *Judgement) (*protection, error) {
	w := &protection{stores: []*watched{{Store: l.ownStore()}}}
	for _, root := range l.reached(j.Plan) {
		w.stores = append(w.stores, &watched{Store: l.workStore(root, j, root == j.Plan.Workspace)})
	}
	var err error
	for _, s := range w.stores {
		if s.report, err = s.Look(); err != nil {
			return nil, &ProtectionError{Err: err}
		}
		w.files = append(w.files, s.report.Files...)
	}
	return w, nil
}

// clean reports whether nothing was found, and there is nothing to settle.
func (w *protection) clean() bool {
	return !slices.ContainsFunc(w.stores,
		func(s *watched) bool { return len(s.report.Findings) > 0 || s.report.Unsettled() })
}

// reached are the workspaces whose protected files a plan can reach: its own, and those with a
// store that its names lie in.
func (l *Launcher) reached(p *pathguard.Plan) []string {
	var roots []string
	if p.Workspace != "" {
		roots = append(roots, p.Workspace)
	}
	known, err := os.ReadDir(l.state.Shadow())
	if err != nil || len(known) <= 2 { // tada-run's own, and at most one workspace's
		if len(known) < 2 || p.Workspace != "" && known[0].Name() == shadowName(p.Workspace) {
			return roots
		}
	}
	stores := make(map[string]bool, len(known))
	for _, e := range known {
		stores[e.Name()] = true
	}
	looked := map[string]bool{"/": true, p.Workspace: true, "": true}
	for plan := range p.All() {
		for i := range plan.Targets {
			for dir := plan.Targets[i].Real; !looked[dir] &&
				len(looked) < maxLooked; dir = filepath.Dir(dir) {
				looked[dir] = true
				if stores[shadowName(dir)] {
					roots = append(roots, dir)
				}
			}
		}
	}
	return roots
}

// maxLooked bounds the folders above a plan's names that are searched for a store: a generated
// script names more files than people protect.
const maxLooked = 4096

// exposed are the protected files that the plan may not write and that are where its sandbox lets
// it write: the sandbox has to make these read-only. Hidden files are left out.
func (j *Judgement) exposed(p sandbox.Profile) []string {
	w, err := j.protection()
	if err != nil {
		return nil // and then nothing runs
	}
	trees := names(p.Write)
	var list []string
	for _, path := range w.files {
		isHidden := pathname.WithinAny(path, p.Hide)
		inTree := pathname.WithinAny(path, trees)
		if inTree && !isHidden && !j.mayWrite(path) {
			list = append(list, path)
		}
	}
	return list
}

// Tampered returns why a run of this would be refused before a person has decided about protected
// files, nil if it would not. It is for callers that judge and leave the running to another
// program; like Judge, it changes nothing. The error is a [ProtectionError].
func (j *Judgement) Tampered() (*tamper.TamperError, error) {
	w, err := j.protection()
	if err != nil {
		return nil, err
	}
	on, _, err := w.stores[0].Known()
	if err != nil {
		return nil, &ProtectionError{Err: err}
	}
	e := &tamper.TamperError{Root: j.Plan.Workspace}
	for _, s := range w.stores {
		for _, f := range s.report.Findings {
			if w.blocks(s, f, on || j.policy.Settings().TamperProof) {
				e.Findings = append(e.Findings, f)
			}
		}
	}
	if len(e.Findings) == 0 {
		return nil, nil
	}
	return e, nil
}

// maxKept bounds the protected files that get their own mount in a sandbox: each adds some twenty
// microseconds to the start of a run that may write there. A change of the others is found when the
// command ends.
const maxKept = 4000

// mayWrite reports whether the verdict allows the plan to write, make or delete this very file.
func (j *Judgement) mayWrite(path string) bool {
	for plan := range j.Plan.All() {
		for i := range plan.Targets {
			t := &plan.Targets[i]
			if !writes(t) {
				continue
			}
			full := t.Path()
			tree := t.Flags&(command.Recursive|command.Below) != 0 || t.Mode.IsDir()
			if full == path || tree && pathname.Within(path, full) {
				return true
			}
		}
	}
	return false
}

func writes(t *pathguard.Target) bool {
	switch t.Right {
	case command.Write, command.Create, command.Delete:
		return t.Kind == walk.Plain && !t.Unknown && t.Real != "" && t.Flags&command.Possible == 0
	}
	return false
}

// blocks reports whether nothing goes past a finding before a person has decided: always for
// tada-run's own files, else when security.tamper_proof is in force.
func (w *protection) blocks(s *watched, f tamper.Finding, strict bool) bool {
	return strict || s == w.stores[0] || strings.HasSuffix(f.Path, "/"+workspaceConfig)
}

// storeOf is the store that a path belongs to.
func (w *protection) storeOf(path string) *tamper.Store {
	for _, s := range w.stores {
		if slices.Contains(s.report.Files, path) {
			return s.Store
		}
	}
	for _, s := range w.stores {
		if s.Covers(path) {
			return s.Store
		}
	}
	return w.stores[0].Store
}
