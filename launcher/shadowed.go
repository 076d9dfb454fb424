package launcher

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// A ShadowPolicy is a configuration that is tried beside the one in force: it decides nothing, and
// where its verdict is another one, the record has it.
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

// shadowed is what the record has of the verdict of the shadow policy; nil where it is the same, or
// there is none.
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
		return nil
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
	plan := *f.Plan // its own answers about undo
	f.Plan = &plan
	at := rejudge{policy: p, home: l.account}
	p, err := at.at(&f)
	if err != nil {
		return pathguard.Verdict{}, err
	}
	set := undoUnder(p, l.account)
	plan.Caller.Undo = keepsOf(f.Undo, set, p.Settings().KeepBackground, func() string {
		return l.unsure(set, sumOf([]byte(plan.Script.Text)), plan.Caller.Dir)
	})
	v := p.Judge(&plan)
	if f.Lines {
		v = lineByLine(v)
	}
	return v, nil
}

// Shadowed returns the runs for which the shadow policy has another verdict, by the record, in
// groups.
func (l *Launcher) Shadowed(o Replay) (Replayed, error) {
	var done Replayed
	err := intents(l, o, func(r recorded) {
		done.Runs++
		if r.Shadow.Verdict == "" {
			done.Same++
			return
		}
		i := slices.IndexFunc(done.Changes, func(c *Changed) bool {
			return c.From == r.Verdict && c.To == r.Shadow.Verdict &&
				slices.Equal(c.Rules, r.Shadow.Rules)
		})
		if i < 0 {
			i = len(done.Changes)
			done.Changes = append(done.Changes, &Changed{From: r.Verdict, To: r.Shadow.Verdict,
				Rules: r.Shadow.Rules})
		}
		done.Changes[i].Count++
		done.Changes[i].example(r, "")
	})
	sortChanges(done.Changes)
	return done, err
}
