package pathguard

import (
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/command"
)

// Every rule and every hazard says what is at stake, once.
func TestStakes(t *testing.T) {
	where := map[string][]string{}
	for _, s := range stakes() {
		for rule := range strings.FieldsSeq(s.rules) {
			where[rule] = append(where[rule], s.Name)
		}
	}
	ids := ruleIDs()
	for line := range strings.Lines(hazardsZh) {
		if id, _, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if len(where[id]) != 1 || StakeOf(id).Name != where[id][0] || StakeOf(id).Text == "" {
			t.Errorf("%s is in %q", id, where[id])
		}
	}
	for rule := range where {
		_, hazard := command.LookupHazard(rule)
		if !hazard && !slices.Contains(ids, rule) {
			t.Errorf("%s is no rule", rule)
		}
		if StandsFor(rule) && where[rule][0] != "undone" {
			t.Errorf("undo stands for %s, which is in %q", rule, where[rule])
		}
	}
	if list := Stakes(); len(list) < 10 || StakeOf("no.rule") != (Stake{}) {
		t.Errorf("%d stakes", len(list))
	}
}

// No answer lasts where a secret is at stake, or what may be lost for good.
func TestNothingLastsForWhatIsGone(t *testing.T) {
	for line := range strings.Lines(lastingTable) {
		_, rest, ok := strings.Cut(line, ": ")
		if !ok || line[0] == '#' {
			continue
		}
		rule, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch s := StakeOf(rule).Name; s {
		case "secret", "destroyed", "foreign", "unknown", "":
			t.Errorf("%q lasts: %s", line, s)
		}
	}
}
