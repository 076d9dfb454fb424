package launcher

import (
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard/frozen"
)

// storePlan puts what a verdict depended on into the record, once for equal plans, and returns its
// name there; "" for a plan that is too long to keep, or that was not judged.
func (l *Launcher) storePlan(j *Judgement) (name string, err error) {
	j = j.subject()
	if j.frozen.Plan == nil {
		return "", nil
	}
	plan := frozen.Freeze(j.frozen, nil)
	if hide := hiding(environ.Secrets(j.environ.vars)); hide(string(plan)) != string(plan) {
		plan = frozen.Freeze(j.frozen, hide)
	}
	if len(plan) > frozen.Max {
		return "", nil
	}
	if name, err = audit.PutPlan(l.state.Plans(), plan); err != nil {
		return "", &record.Error{Kind: record.KindIntent, Err: err}
	}
	return name, nil
}

// shortSecret is a value that is too short to be looked for in other texts.
const shortSecret = 6

// hiding returns a function that puts an asterisk in the place of each byte of a credential of a
// known shape, and of the secret values of variables, which a word of the line can hold.
func hiding(values []string) func(string) string {
	var pairs []string
	for _, value := range values {
		if len(value) >= shortSecret {
			pairs = append(pairs, value, strings.Repeat("*", len(value)))
		}
	}
	known := strings.NewReplacer(pairs...)
	return func(text string) string {
		if len(pairs) > 0 {
			text = known.Replace(text)
		}
		text, _ = audit.HideSecrets(text)
		return text
	}
}
