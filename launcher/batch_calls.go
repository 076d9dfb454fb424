package launcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/intent"
)

// ErrDirectory is returned by Calls for a command that is to run where no directory is.
var ErrDirectory = errors.New("is not a directory")

// Calls returns proposed commands as the requests of a batch. base holds for all of them; each has
// its own id, directory and intent, an empty input and no terminal.
func Calls(base Request, list []intent.Proposed) ([]Request, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	calls := make([]Request, 0, len(list))
	for _, p := range list {
		c := base
		c.CallID, c.Intent, c.PTY = p.ID, p.Intent, session.Never
		c.Shell = shell.Call{Text: p.Text, Words: p.Words, Name: "tada-run"}
		c.Stdio = session.Stdio{In: null}
		if p.Dir != "" {
			if c.Dir = p.Dir; !filepath.IsAbs(p.Dir) {
				c.Dir = filepath.Join(base.Dir, p.Dir)
			}
			if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
				return nil, fmt.Errorf("%q %w", c.Dir, ErrDirectory)
			}
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// ExportBatch is ExportPlan for several calls that are one question: signed, with an answer for
// each, they may run once as a batch with the profile ci.
func (l *Launcher) ExportBatch(calls []Request) ([]byte, error) {
	b := Batch{}
	for _, c := range calls {
		c.Profile = profileCI
		b.Calls = append(b.Calls, c)
	}
	m, err := l.judgeBatch(b)
	if err != nil {
		return nil, err
	}
	defer m.close()
	verdict := pathguard.Deny
	for _, j := range m.calls {
		// one that asks makes a question of it; those that are denied are no part of it
		if d := j.Verdict.Decision; d == pathguard.Ask ||
			d == pathguard.Allow && verdict == pathguard.Deny {
			verdict = d
		}
	}
	if verdict != pathguard.Ask {
		return nil, nothingToSign(verdict)
	}
	whole, err := m.whole()
	if err != nil {
		return nil, err
	}
	return l.ExportPayload(whole.Payload())
}
