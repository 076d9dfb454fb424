package launcher

import (
	"strings"

	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// denied words a verdict that no person can change.
func (j *Judgement) denied() *refusal.Refusal { return refusal.Denied(j.Locale(), j.Verdict) }

// Locale is the language of messages about the command.
func (j *Judgement) Locale() pathguard.Locale {
	if j.Plan != nil {
		return pathguard.LocaleOf(j.Plan.Caller.Env)
	}
	env := map[string]string{}
	for _, entry := range j.Request.Env {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	return pathguard.LocaleOf(env)
}

func (j *Judgement) say(key string, args ...any) string {
	return refusal.Phrase(j.Locale(), key, args...)
}
