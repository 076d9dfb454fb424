package launcher

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/preimage"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// An UndoOrder says how a person wants runs to be taken back.
type UndoOrder struct {
	Over    approval.Channel
	Command string // for the record
	Dir     string // where
	Shown   string // the [StepsHash] of what the person saw; "" if that does not matter
}

// An OtherStepsError is returned by [Launcher.Undo] if it would do something else than was shown.
type OtherStepsError struct{}

func (*OtherStepsError) Error() string { return "something has changed since: look at it again" }

// StepsHash names what an undo would do.
func StepsHash(steps []undo.Step) string {
	sum := sha256.New()
	for _, s := range steps {
		fmt.Fprintf(sum, "%q %q %q\n", s.Do, s.Path, s.Why)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Undo takes runs back for a person. It is a run of its own, with the command line that asked for
// it, in the record and for further undos. The error is a [tamper.TamperError] if a person has to
// decide about protected files first.
func (l *Launcher) Undo(take undo.Take, w UndoOrder) (undo.Result, error) {
	if _, err := l.May(approval.RestoreFile, w.Over); err != nil {
		return undo.Result{}, err
	}
	u := &takeBack{l: l, req: Request{Dir: w.Dir, Door: tamper.CLI}, take: take, command: w.Command}
	a, err := u.attempt()
	if err != nil {
		return undo.Result{}, err
	}
	defer a.log.Close()
	defer func() { _ = a.Judgement.Close() }()
	if w.Shown != "" && StepsHash(u.steps) != w.Shown {
		return undo.Result{}, &OtherStepsError{}
	}
	if changed, err := a.Tampered(); changed != nil || err != nil {
		return undo.Result{}, cmp.Or[error](err, changed)
	}
	if _, err := a.verify(); err != nil {
		return undo.Result{}, err
	}
	if err := a.grantWrites(); err != nil {
		return undo.Result{}, err
	}
	return u.do(a, "")
}

// do takes back what was planned, and records it as a run. What it put back of protected files is
// their baseline from now on.
func (u *takeBack) do(a *attempt, authority string) (result undo.Result, err error) {
	store, err := u.l.UndoStore()
	if err != nil {
		return result, err
	}
	running, err := a.log.Begin(a.id)
	if err != nil {
		return result, err
	}
	defer func() { _ = running.End() }()
	if err := appendTo(a.log, record.KindIntent, trimmed(object{"sid": a.id, "command": u.command,
		"cwd": u.req.Dir, "verdict": "allow", "risk": 0, "agent": a.agent(),
		"authority": authority, "undoes": strings.Join(preimage.RunsOf(u.take.Runs), " "),
		"version": Version()}), audit.Intent); err != nil {
		return result, err
	}
	result, err = store.Undo(u.take, a.id)
	err = errors.Join(err, a.wrote())
	end, status := object{"sid": a.id, "exited": true, "signal": 0}, 0
	if err != nil {
		status, end["problem"] = 1, err.Error()
	} else if result.Refused > 0 {
		status = 1
	}
	end["status"] = status
	if run, bad := store.Read(a.id); bad == nil {
		past.ChangesOf(run.Summary(), nil, 0).AddTo(end)
	}
	return result, errors.Join(err, appendTo(a.log, record.KindEnd, end, audit.Durable))
}

func appendTo(log *audit.Log, kind string, body object, d audit.Durability) error {
	b, err := canonical.Append(nil, body)
	if err == nil {
		_, err = log.Append(kind, b, d)
	}
	if err != nil {
		return &record.Error{Kind: kind, Err: err}
	}
	return nil
}
