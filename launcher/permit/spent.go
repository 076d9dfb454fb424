package permit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/state"
)

// What was used is also remembered outside of the state directory, in memory that no copy of the
// directory puts back: with all of it as it was before, record and store agree that nothing was
// used. The memory ends with the boot, or when the system clears it after the user's last session;
// a mark is of use for as long as what it names could be.

// spentLife is longer than any approval, grant or signed answer is good.
const spentLife = 25 * time.Hour

// spend marks that something was used, and refuses it when it has the mark: then it was used
// before, and the state directory was put back since. Where there is no such memory, record and
// store alone decide.
func (p *Approvals) spend(envelope string, what ...string) error {
	if !p.remembers() {
		return nil
	}
	f, err := os.OpenFile(p.mark(what), os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return usedBefore(envelope)
	}
	if err == nil {
		f.Close()
		p.forgetMarks()
	}
	return nil
}

// unspent is spend without a mark: it only looks.
func (p *Approvals) unspent(envelope string, what ...string) error {
	if !p.remembers() {
		return nil
	}
	if _, err := os.Lstat(p.mark(what)); err == nil {
		return usedBefore(envelope)
	}
	return nil
}

func usedBefore(envelope string) error {
	const why = "it was used before, and the state directory was restored from an older copy since"
	return &approval.Refused{Envelope: envelope, Outcome: approval.OutcomeReplayed,
		Err: approval.ErrReplayed, Message: why,
		Events: []approval.Event{{Kind: approval.KindRefused, Envelope: envelope,
			Outcome: approval.OutcomeReplayed, Reason: why}}}
}

// mark is the file of one mark. What it is about is hashed, because ids come from files.
func (p *Approvals) mark(what []string) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q", what)))
	return filepath.Join(p.Marks, hex.EncodeToString(sum[:16]))
}

// remembers reports whether there is a folder for marks that only this user can have written.
func (p *Approvals) remembers() bool {
	if p.Marks == "" {
		return false
	}
	if err := os.Mkdir(p.Marks, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Lstat(p.Marks)
	return err == nil && info.IsDir() && state.Private(p.Marks, info, 0o077) == nil
}

// forgetMarks removes the marks of what is too old to be used anyway. There may be thousands, and
// each approval comes here: it looks at them once in an hour, and a file says when it did.
func (p *Approvals) forgetMarks() {
	now, looked := p.dir.Now(), filepath.Join(p.Marks, "looked")
	if info, err := os.Lstat(looked); err == nil && now.Sub(info.ModTime()).Abs() < time.Hour {
		return
	}
	marks, _ := os.ReadDir(p.Marks)
	for _, m := range marks {
		if info, err := m.Info(); err == nil && now.Sub(info.ModTime()) > spentLife {
			_ = os.Remove(filepath.Join(p.Marks, m.Name()))
		}
	}
	f, err := os.OpenFile(looked, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err == nil {
		f.Close()
		_ = os.Chtimes(looked, now, now)
	}
}

// codeSteps are the steps of 30 s for which a one-time code may be good, and one for the clock.
const codeSteps = 4

// codeUnused refuses a one-time code that was used a moment ago.
func (p *Approvals) codeUnused(d approval.Decision) error {
	for step := range codeSteps {
		if d.Code == "" {
			return nil
		}
		if err := p.unspent(d.Envelope, "code", d.Code,
			strconv.FormatInt(p.dir.Now().Unix()/30-int64(step), 10)); err != nil {
			// in the words that a code has
			if refused, ok := errors.AsType[*approval.Refused](err); ok {
				refused.Err, refused.Outcome = approval.ErrCodeUsed, approval.OutcomeDenied
			}
			return err
		}
	}
	return nil
}

// codeUsed marks a one-time code that has just been taken.
func (p *Approvals) codeUsed(d approval.Decision) {
	if d.Code != "" {
		_ = p.spend(d.Envelope, "code", d.Code, strconv.FormatInt(p.dir.Now().Unix()/30, 10))
	}
}

// decide has the store take an answer, with a code that no earlier copy of it has taken.
func (p *Approvals) decide(d approval.Decision,
	take func() ([]approval.Event, error)) ([]approval.Event, error) {
	if err := p.codeUnused(d); err != nil {
		return nil, err
	}
	events, err := take()
	if err == nil {
		p.codeUsed(d)
	}
	return events, err
}
