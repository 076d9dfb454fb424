package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// answer notes that a person has answered the questions of a line: yes, and it ran, or no.
func answer(t *testing.T, rec Record, line string, yes bool) {
	t.Helper()
	w, err := rec.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	runs, err := rec.Runs()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if r.Command != line {
			continue
		}
		kind, body := record.KindDenied, map[string]any{"sid": r.ID, "code": "human_denied"}
		if yes {
			kind, body = record.KindStart, map[string]any{"sid": r.ID, "authority": "approval"}
		}
		body["envelope_id"] = "of " + r.ID
		text, err := json.Marshal(body)
		if err == nil {
			_, err = w.Append(kind, text, audit.Lazy)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Rules that are chosen together do not allow what a person has denied either.
func TestLearnedTogether(t *testing.T) {
	one, two := "pkill -f one", "pkill -x two"
	both := one + "; " + two
	rec := recordOf(t, one, two, both)
	answer(t, rec, one, true)
	answer(t, rec, two, true)
	lessons, err := rec.Learned(time.Time{})
	if err != nil || len(lessons.Rules) != 2 || len(lessons.Left) != 0 {
		t.Fatalf("%+v, %v", lessons, err)
	}
	runs, err := rec.Runs() // the first line ran twice, the second time as the last one
	if err != nil || lessons.Rules[0].Last != runs[3].Began {
		t.Errorf("%+v, %+v, %v", lessons.Rules[0], runs, err)
	}
	answer(t, rec, both, false)
	lessons, err = rec.Learned(time.Time{})
	if err != nil || len(lessons.Rules) != 1 || lessons.Rules[0].Examples[0] != one ||
		!slices.Equal(lessons.Left, []Skipped{{noRule, 1}}) {
		t.Errorf("%+v, %v", lessons, err)
	}
}

// A plan that was denied and cannot be judged again keeps away the rules that answer all questions
// that it asked.
func TestLearnedBesideLost(t *testing.T) {
	for _, plan := range []string{strings.Repeat("0", 64), ""} {
		for rules, kept := range map[string]int{`["proc.kill"]`: 0, `["net.upload"]`: 1,
			`["proc.kill","write.outside"]`: 1, `[]`: 0} {
			rec := recordOf(t, "pkill -f one")
			answer(t, rec, "pkill -f one", true)
			w, err := rec.OpenLog()
			if err == nil {
				_, err = w.Append(record.KindIntent, fmt.Appendf(nil, `{"command":"sh two",`+
					`"plan":%q,"rules":%s,"sid":"06h2t9zbj5ctbcs9","verdict":"ask"}`, plan,
					rules), audit.Lazy)
				w.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			answer(t, rec, "sh two", false)
			lessons, err := rec.Learned(time.Time{})
			if err != nil || len(lessons.Rules) != kept || len(lessons.Left) != 1-kept {
				t.Errorf("%q %s: %+v, %v", plan, rules, lessons, err)
			}
		}
	}
}
