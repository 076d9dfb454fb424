package shellparse

import (
	"slices"
	"testing"
)

// J3: a name that the scrubber takes for that of a secret is one for the judge.
func TestSecretsByName(t *testing.T) {
	for line, want := range map[string]bool{
		"echo $DB_PASS":            true,
		"echo ${SENTRY_DSN}":       true,
		"printenv SESSION_COOKIE":  true,
		"env | grep -i pass":       true,
		"echo $HTTP_AUTHORIZATION": true,
		"echo $AUTHOR_TOKEN":       true,
		"python3 -c 'import os; print(os.environ[\"DB_PASS\"])'": true,
		"echo $GIT_AUTHOR_NAME":                                  false,
		"echo $SSH_AUTH_SOCK":                                    false,
		"PASS=3; echo $PASS":                                     false, // its own
		"grep PASS log.txt":                                      false,
	} {
		script := Parse(line, Options{Dir: "/w", Vars: map[string]string{"HOME": "/home/dev"}})
		got := slices.ContainsFunc(script.Hazards,
			func(h Hazard) bool { return h.Rule == "secret.print" })
		if got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
