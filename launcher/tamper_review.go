package launcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard/tamper"
	"github.com/tada-run/tada-run/shellparse"
)

// ModeName is what a person accepts to let a looser security.tamper_proof take effect.
const ModeName = "security.tamper_proof"

// A Review is the protected files of a folder, as a person decides about them.
type Review struct {
	l          *Launcher
	protection *protection
	dir        string
	root       string

	TamperProof bool // in force
	Pending     bool // a looser setting waits for a person
	// why the configuration is refused; what it protects besides is not known then
	Refused  error
	Files    []string
	Findings []tamper.Finding
}

// Review looks at the protected files of the workspace that dir is in, and at tada-run's own. It
// changes nothing. With paranoid it reads them all, whatever their stamps say.
func (l *Launcher) Review(dir string, paranoid bool) (*Review, error) {
	j, err := l.Judge(Request{Dir: dir, Shell: shell.Call{Text: ":", Dialect: shellparse.Bash}})
	if err != nil {
		return nil, err
	}
	defer j.Close()
	w, err := j.protection()
	if err != nil {
		return nil, err
	}
	v := &Review{l: l, protection: w, dir: dir, root: j.Plan.Workspace, Refused: j.refused}
	for _, s := range v.protection.stores {
		if paranoid {
			s.Paranoid()
			if s.report, err = s.Look(); err != nil {
				return nil, &ProtectionError{Err: err}
			}
		}
		v.Files = append(v.Files, s.report.Files...)
		v.Findings = append(v.Findings, s.report.Findings...)
	}
	on, pending, err := v.protection.stores[0].Known()
	v.TamperProof = on || j.policy.Settings().TamperProof
	v.Pending = pending
	slices.Sort(v.Files)
	return v, err
}

func (v *Review) own() *tamper.Store { return v.protection.stores[0].Store }

// Root is the workspace; "" when dir is in none.
func (v *Review) Root() string { return v.root }

// Path is a name as the person typed it, as protected files are named.
func (v *Review) Path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(v.dir, name)
}

// Created reports whether a file was not there when the protected files were last accepted.
func (v *Review) Created(path string) bool {
	return slices.ContainsFunc(v.Findings,
		func(f tamper.Finding) bool { return f.Path == path && f.Kind == tamper.Created })
}

// Diff shows one difference and records that it was shown; only that can be accepted afterwards.
func (v *Review) Diff(path string) (tamper.Diff, error) {
	s := v.protection.storeOf(path)
	d, err := s.Show(person(tamper.CLI), path)
	return d, errors.Join(err, v.tell(s))
}

// Accept makes what was shown the baseline, because the person says so. The digest may be "" for
// what was shown last. A looser configuration that is accepted so takes effect.
func (v *Review) Accept(path, digest, reason string) (tamper.Event, error) {
	if _, err := v.l.May(approval.AcceptFile, approval.ChannelTadactl); err != nil {
		return tamper.Event{}, err
	}
	s := v.protection.storeOf(path)
	e, err := s.Accept(person(tamper.CLI), path, digest, reason)
	if err == nil && s == v.own() {
		if confirmErr := s.ConfirmMode(person(tamper.CLI), reason); !errors.Is(confirmErr,
			tamper.ErrNoPending) {
			err = confirmErr
		}
	}
	return e, errors.Join(err, v.tell(s))
}

// ConfirmMode lets a looser security.tamper_proof take effect.
func (v *Review) ConfirmMode(reason string) error {
	if _, err := v.l.May(approval.AcceptFile, approval.ChannelTadactl); err != nil {
		return err
	}
	err := v.own().ConfirmMode(person(tamper.CLI), reason)
	return errors.Join(err, v.tell(v.own()))
}

// AtPerson is [Launcher.AtPerson].
func (v *Review) AtPerson() bool { return v.l.AtPerson() }

// Restore puts one file back as it was left.
func (v *Review) Restore(path string) (tamper.Event, error) {
	if _, err := v.l.May(approval.RestoreFile, approval.ChannelTadactl); err != nil {
		return tamper.Event{}, err
	}
	s := v.protection.storeOf(path)
	e, err := s.Restore(person(tamper.CLI), path)
	return e, errors.Join(err, v.tell(s))
}

// ArchivePath is where both versions of an overridden event are.
func (v *Review) ArchivePath(e tamper.Event) string {
	return v.protection.storeOf(e.Path).ArchivePath(e.Archive)
}

// tell writes what happened into the record, durably: it is a person's decision.
func (v *Review) tell(s *tamper.Store) error {
	log, err := v.l.OpenLog()
	if err != nil {
		return err
	}
	return errors.Join(record.Deliver(log, s, audit.Durable), log.Close())
}

// Protect registers a file that was just written into another program's configuration: from now on
// it is protected as tada-run's own configuration is.
func (l *Launcher) Protect(path string) error {
	return l.ownStore().Protect(person(tamper.CLI), path)
}

// InitConfig writes the first configuration on the person's behalf, with its baseline. The error is
// [fs.ErrExist] where there is one.
func (l *Launcher) InitConfig(text string) error {
	path := l.state.Config()
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return l.ownStore().Save(person(tamper.CLI), path, path, []byte(text), 0o600)
}

// TamperLog returns what the log says about protected files, oldest first. An event that a process
// which died has recorded twice is returned once.
func (l *Launcher) TamperLog() ([]tamper.Event, error) {
	var events []tamper.Event
	seen := map[string]bool{}
	for e, err := range l.Entries(audit.Filter{Kinds: []string{"tamper."}}) {
		if err != nil {
			return events, err
		}
		var body map[string]any
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return events, fmt.Errorf("entry %d of the log: %w", e.Seq, err)
		}
		if key := fmt.Sprint(body["scope"], body["event"]); !seen[key] {
			seen[key] = true
			events = append(events, tamper.EventOf(body))
		}
	}
	return events, nil
}
