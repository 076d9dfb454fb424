package launcher

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/tamper"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A ward is the protected files that a plan can reach: tada-run's own, those of the workspace it runs in, and
// those of other workspaces that it names.
type ward struct {
	stores []*watched // tada-run's own first
	files  []string   // all of them at the first look; the fence is built beside us, so that this never changes
	ended  bool
}

// watched is one store and what was found in it last.
type watched struct {
	*tamper.Store
	report  tamper.Report
	granted bool // the run may write some of it
}

// Shadow is where baselines and copies of protected files are kept, a folder for each workspace.
func (h Home) Shadow() string { return filepath.Join(h.Dir, "shadow") }

// workspaceConfig is tada-run's own configuration in a workspace. It is protected always, as are the files of
// the own store: security.tamper_proof is about what the person asked to protect.
const workspaceConfig = ".tada/config.yaml"

// ownStore is the store of tada-run's own configuration and of what was registered with other programs. The floor
// that root sets is in it where there is one: that it appears can only make things stricter, but a change of it, or
// its end, is for a person to see, whoever became root for it.
func (l *Launcher) ownStore() *tamper.Store {
	paths := []string{l.home.Config()}
	if _, err := os.Lstat(l.floor); err == nil {
		paths = append(paths, l.floor)
	}
	if own := filepath.Join(l.account, ".tada", "config.yaml"); own != paths[0] && owned(l.account) {
		paths = append(paths, own)
	}
	o := l.shadowOptions("/")
	o.Patterns, o.All = paths, true
	return tamper.Open(filepath.Join(l.home.Shadow(), "own"), o)
}

// workStore is the store of a workspace. The policy is that of the run's own workspace: what another one protects
// besides, it does not tell. Where the configuration is refused, what it protects is what has a baseline.
func (l *Launcher) workStore(root string, j *Judgement, own bool) *tamper.Store {
	o := l.shadowOptions(root)
	o.All = j.refused != nil
	o.Complete = own && !o.All
	o.Patterns, o.Export = append(slices.Clone(j.policy.Settings().Protect), workspaceConfig), true
	return tamper.Open(filepath.Join(l.home.Shadow(), shadowName(root)), o)
}

// storeNamed is the store in a folder of the state directory, without what its policy protects. The folder of a workspace is the one
// above its files that has this name; where a store never had a file, there is nothing to tell of it.
func (l *Launcher) storeNamed(name string) *tamper.Store {
	dir := filepath.Join(l.home.Shadow(), name)
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

func (l *Launcher) shadowOptions(root string) tamper.Options {
	return tamper.Options{Root: root, Now: l.now, Alive: l.lives, Waiting: l.waitsFor}
}

// shadowName is the folder of a workspace's store: 64 bits of a hash of its path, which may hold any byte.
func shadowName(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:8])
}

// wardOf looks at the protected files that the plan can reach. It changes nothing.
func (l *Launcher) wardOf(j *Judgement) (*ward, error) {
	w := &ward{stores: []*watched{{Store: l.ownStore()}}}
	for _, root := range l.reached(j.Plan) {
		w.stores = append(w.stores, &watched{Store: l.workStore(root, j, root == j.Plan.Workspace)})
	}
	var err error
	for _, s := range w.stores {
		if s.report, err = s.Look(); err != nil {
			return nil, &WardError{Err: err}
		}
		w.files = append(w.files, s.report.Files...)
	}
	return w, nil
}

// clean reports whether nothing was found, and there is nothing to settle.
func (w *ward) clean() bool {
	return !slices.ContainsFunc(w.stores, func(s *watched) bool { return len(s.report.Findings) > 0 || s.report.Unsettled() })
}

// A WardError says that protected files could not be verified. What cannot be verified does not run.
type WardError struct{ Err error }

func (e *WardError) Error() string {
	return fmt.Sprintf("protected files cannot be verified, so nothing runs: %v", e.Err)
}

// Unwrap returns the cause.
func (e *WardError) Unwrap() error { return e.Err }

// reached are the workspaces whose protected files a plan can reach: its own, and those with a store that its
// names lie in.
func (l *Launcher) reached(p *pathguard.Plan) []string {
	var roots []string
	if p.Workspace != "" {
		roots = append(roots, p.Workspace)
	}
	known, err := os.ReadDir(l.home.Shadow())
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
	for plan := range plans(p) {
		for i := range plan.Targets {
			for dir := plan.Targets[i].Real; !looked[dir] && len(looked) < maxLooked; dir = filepath.Dir(dir) {
				looked[dir] = true
				if stores[shadowName(dir)] {
					roots = append(roots, dir)
				}
			}
		}
	}
	return roots
}

// maxLooked bounds the folders above a plan's names that are asked for a store: a generated script names more
// files than anybody protects.
const maxLooked = 4096

// exposed are the protected files that the plan may not write and that lie where its fence lets it write: what the fence
// has to keep as it is. What it hides anyway has no place in it.
func (j *Judgement) exposed(p sandbox.Profile) []string {
	w, err := j.ward()
	if err != nil {
		return nil // and then nothing runs
	}
	var list []string
	for _, path := range w.files {
		isHidden := slices.ContainsFunc(p.Hide, func(h string) bool { return isWithin(path, h) })
		inTree := slices.ContainsFunc(p.Write, func(tree sandbox.Path) bool { return isWithin(path, tree.Name) })
		if inTree && !isHidden && !j.mayWrite(path) {
			list = append(list, path)
		}
	}
	return list
}

// Tampered returns why a run of this would be refused before a person has decided about protected files, nil
// when it would not. It is for those who judge and leave the running to somebody else; like Judge, it changes
// nothing. The error is a [WardError].
func (j *Judgement) Tampered() (*tamper.TamperError, error) {
	w, err := j.ward()
	if err != nil {
		return nil, err
	}
	on, _, err := w.stores[0].Known()
	if err != nil {
		return nil, &WardError{Err: err}
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

// maxKept bounds the protected files that get a mount of their own in a fence: each takes some twenty microseconds of
// a start that may write where it lies. A change of the others is found as the command ends.
const maxKept = 4000

// mayWrite reports whether the verdict allows the plan to write, make or delete this very file.
func (j *Judgement) mayWrite(path string) bool {
	for plan := range plans(j.Plan) {
		for i := range plan.Targets {
			t := &plan.Targets[i]
			if !writes(t) {
				continue
			}
			full := t.Path()
			tree := t.Flags&(command.Recursive|command.Below) != 0 || t.Mode.IsDir()
			if full == path || tree && isWithin(path, full) {
				return true
			}
		}
	}
	return false
}

func writes(t *pathguard.Target) bool {
	switch t.Right {
	case command.Write, command.Create, command.Delete:
		return t.Kind == pathguard.Plain && !t.Unknown && t.Real != "" && t.Flags&command.Possible == 0
	}
	return false
}

// blocks reports whether nothing goes past a finding before a person has decided: always for tada-run's own
// files, else when security.tamper_proof is in force.
func (w *ward) blocks(s *watched, f tamper.Finding, strict bool) bool {
	return strict || s == w.stores[0] || strings.HasSuffix(f.Path, "/"+workspaceConfig)
}

// A permitFunc decides whether an attempt may run, and by what right. The authority says what was
// consumed for it also where the answer is a refusal.
type permitFunc func(context.Context, *attempt) (*authority, *Refusal, error)

// guarded lets permit decide between two verifications of the protected files: a person may have
// thought for an hour in between. When it returns no refusal and no error, what the run may write is
// on the disk, and it may start.
func (l *Launcher) guarded(ctx context.Context, a *attempt, permit permitFunc) (*authority, *Refusal, error) {
	if refusal, err := a.verify(); refusal != nil || err != nil {
		return &authority{}, refusal, err
	}
	by, refusal, err := permit(ctx, a)
	if refusal == nil && err == nil && by.envelope != "" {
		refusal, err = a.verify() // the judgement is a new one
	}
	if refusal == nil && err == nil {
		err = a.grantWrites()
	}
	if refusal != nil {
		refusal.used = by
	}
	return by, refusal, err
}

// verify settles what needs no decision, and refuses where a person has to decide first.
func (a *attempt) verify() (*Refusal, error) {
	configured := a.l.policy.Settings().TamperProof
	w, err := a.ward()
	if err != nil {
		return nil, err
	}
	if w.clean() && w.stores[0].InForce(configured) {
		return nil, nil
	}
	blocking, pending, err := w.settle(a.who(), configured, a.policy.Settings().TamperProof, os.Stderr)
	if err != nil {
		return nil, &WardError{Err: err}
	}
	for _, s := range w.stores {
		if err := deliver(a.log, s.Store, audit.Lazy); err != nil {
			return nil, err
		}
	}
	if len(blocking) == 0 {
		return nil, nil
	}
	a.endGrants("protected files were changed")
	return a.l.tampered(a.Judgement, blocking, pending), nil
}

// settle verifies again, this time writing down what needs no decision. It returns the findings that do. The
// mode is the one that was in force before this run.
func (w *ward) settle(who tamper.Who, configured, stricter bool, out io.Writer) (blocking []tamper.Finding, pending bool, err error) {
	for _, s := range w.stores {
		if s.report, err = s.VerifyIntegrity(who); err != nil {
			return nil, false, err
		}
		if s != w.stores[0] {
			tellNotes(out, s.report.Notes)
		}
	}
	strict, pending, err := w.stores[0].Mode(who, configured)
	if err != nil {
		return nil, false, err
	}
	for _, s := range w.stores {
		var hard, soft []tamper.Finding
		for _, f := range s.report.Findings {
			if w.blocks(s, f, strict || stricter) {
				hard = append(hard, f)
			} else {
				soft = append(soft, f)
			}
		}
		if err = errors.Join(s.Detected(who, hard), s.pass(who, soft, out)); err != nil {
			return nil, false, err
		}
		blocking = append(blocking, hard...)
	}
	return blocking, pending, nil
}

// pass accepts what was found with security.tamper_proof off: told, archived, and over.
func (s *watched) pass(who tamper.Who, found []tamper.Finding, out io.Writer) error {
	if len(found) == 0 {
		return nil
	}
	events, err := s.Pass(who, found)
	for _, e := range events {
		fmt.Fprintf(out, "tada-run: warning: protected file %s: %s from outside; both versions are kept: tadactl tamper log\n", notice.Visible(e.Path), e.Kind)
	}
	return err
}

// storeOf is the store that a path belongs to.
func (w *ward) storeOf(path string) *tamper.Store {
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

// tampered words a TamperError: the text for a person on stderr now, the line and the object as of every refusal.
func (l *Launcher) tampered(j *Judgement, found []tamper.Finding, pending bool) *Refusal {
	e := &tamper.TamperError{Root: j.Plan.Workspace, Findings: found}
	in := j.tamperLocale()
	fmt.Fprint(os.Stderr, l.ownChange(found, in)+e.Text(in))
	if pending {
		fmt.Fprint(os.Stderr, ownWords[in].pending)
	}
	return j.tamperRefusal(e)
}

// tamperLocale is the language in which protected files are reported.
func (j *Judgement) tamperLocale() tamper.Locale {
	if j.locale() == pathguard.Chinese {
		return tamper.Chinese
	}
	return tamper.English
}

// tamperRefusal is what a program is told about protected files that were changed.
func (j *Judgement) tamperRefusal(e *tamper.TamperError) *Refusal {
	f := &Refusal{
		Version: 1, Status: "denied", Code: tamper.Code, Message: e.In(j.tamperLocale()), Items: []RefusedItem{}, Retry: "after the user has decided",
		HumanCan: "tadactl tamper diff",
	}
	f.exit, f.in = ExitTampered, j.locale()
	for _, told := range e.Files() {
		f.Items = append(f.Items, RefusedItem{
			ID: firstCall, Decision: "denied", Rule: "tamper." + string(told.Kind),
			Message: fmt.Sprintf("%s: expected %s, actual %s, digest %s", told.Path, cmp.Or(told.Expected, "none"), cmp.Or(told.Actual, "none"), told.Digest),
		})
	}
	return f
}

// grantWrites says on the disk which protected files the run may write.
func (a *attempt) grantWrites() error {
	w, err := a.ward()
	if err != nil {
		return err
	}
	for _, s := range w.stores {
		var paths []string
		for _, path := range s.report.Files {
			if a.mayWrite(path) {
				paths = append(paths, path)
			}
		}
		for plan := range plans(a.Plan) { // and those that do not exist yet
			for i := range plan.Targets {
				if t := &plan.Targets[i]; writes(t) && s.Covers(t.Path()) && !slices.Contains(paths, t.Path()) {
					paths = append(paths, t.Path())
				}
			}
		}
		if len(paths) == 0 {
			continue
		}
		if err := s.Begin(a.id, a.l.self(), paths); err != nil {
			return &WardError{Err: err}
		}
		s.granted = true
	}
	return nil
}

// wrote takes over what the run was allowed to write, once, and tells it.
func (a *attempt) wrote() error {
	w, err := a.ward()
	if err != nil || w.ended {
		return nil // it was never let start, or has told
	}
	w.ended = true
	var problem error
	for _, s := range w.stores {
		if !s.granted {
			continue
		}
		_, err := s.UpdateIntegrity(a.who(), a.id)
		problem = errors.Join(problem, err, deliver(a.log, s.Store, audit.Lazy))
	}
	if problem != nil {
		return &RecordError{Kind: "tamper.written", Err: problem}
	}
	return nil
}

// who is on whose behalf the run happens.
func (a *attempt) who() tamper.Who {
	w := a.l.person(a.Request.Door)
	if agent := a.agent(); agent != "" {
		w.User += "/" + agent
	}
	w.Task, w.Session = a.Request.WorkItem, a.id
	return w
}

// person is the account itself, at a door.
func (l *Launcher) person(door tamper.Interface) tamper.Who {
	return tamper.Who{User: cmp.Or(pathguard.NameOf(os.Getuid()), Person()), Interface: cmp.Or(door, tamper.CLI)}
}

// deliver writes the events of one store into the record.
func deliver(log *audit.Log, s *tamper.Store, d audit.Durability) error {
	return s.Deliver(func(e tamper.Event) error {
		body := e.Body()
		body["scope"] = s.Root()
		b, err := canonical.Append(nil, body)
		if err == nil {
			_, err = log.Append(e.RecordKind(), b, d)
		}
		if err != nil {
			return &RecordError{Kind: e.RecordKind(), Err: err}
		}
		return nil
	})
}
