package launcher

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// A ShadowPolicy is a configuration that is tried beside the one in force: it decides nothing, and
// the record has its verdicts.
type ShadowPolicy struct {
	File  string    `json:"file"` // where it was read
	Text  string    `json:"text"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// ShadowPolicy returns the one that was set, even if its time is over; false if there is none.
func (l *Launcher) ShadowPolicy() (s ShadowPolicy, ok bool, err error) {
	text, err := setup.Read(l.state.ShadowPolicy())
	if text == nil {
		return s, false, err
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err == nil, err
}

// SetShadowPolicy tries a configuration beside the one in force for some time. The error is of a
// configuration that would be refused.
func (l *Launcher) SetShadowPolicy(file string, text []byte, during time.Duration) error {
	if _, err := l.PolicyFrom(file, text); err != nil {
		return err
	}
	now := l.state.Now().UTC()
	set, err := json.Marshal(ShadowPolicy{file, string(text), now, now.Add(during)})
	if err != nil {
		return err
	}
	return state.Replace(l.state.ShadowPolicy(), set)
}

// EndShadowPolicy ends it. Ending none is no error.
func (l *Launcher) EndShadowPolicy() error {
	err := os.Remove(l.state.ShadowPolicy())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// shadowed is what the record has of the verdict of the shadow policy; nil if there is none.
func (l *Launcher) shadowed(j *Judgement) object {
	s, ok, err := l.ShadowPolicy()
	if !ok || err != nil || l.state.Now().After(s.Until) {
		return nil
	}
	j = j.subject()
	if j.frozen == nil {
		return nil
	}
	p, err := l.PolicyFrom(s.File, []byte(s.Text))
	if err != nil {
		return object{"error": err.Error()}
	}
	v, err := l.verdictUnder(j, p)
	if err != nil {
		return object{"error": err.Error()}
	}
	if v.Decision == j.Verdict.Decision {
		return object{"verdict": v.Decision.String()}
	}
	rules := v.Deciding()
	if v.Decision > j.Verdict.Decision {
		rules = j.Verdict.Deciding()
	}
	return object{"verdict": v.Decision.String(), "rules": rules}
}

// verdictUnder is what another policy says about what was judged, in its workspace.
func (l *Launcher) verdictUnder(j *Judgement, p pathguard.Policy) (pathguard.Verdict, error) {
	f := j.frozen()
	return replay.Judge{Policy: p, Home: l.account}.Beside(f, func(set pathguard.Undo) string {
		return l.Unsure(set, sumOf([]byte(f.Plan.Script.Text)), f.Plan.Caller.Dir)
	})
}
