package pathguard

import (
	"strings"
	"testing"
)

// TestSaid holds what a question says: each thing once, no worse than it is, and what is not known.
func TestSaid(t *testing.T) {
	t.Parallel()
	g, _ := desk(t, "", "home/dev/.claude/projects/p/a.jsonl")
	program := "cat > t.py <<'E'\nimport requests\nrequests.put('http://api:8000/x', json={})\nE\n"
	for _, c := range []struct {
		line, says, not string
		risk            int
	}{
		{program + "python3 t.py", "sends data from this machine to api", "t.py: sends", 2},
		{"rm -rf apps/api/.git", "protected files", "", 1},
		{"echo x >> ~/.claude/projects/p/a.jsonl", "writes in the home directory", "login", 2},
		{"terraform destroy", "only terraform knows which", "", 3},
		{"psql app -c 'drop table x'", "in a database: app", "", 3},
		{"git push elsewhere main", "its address is not known", "", 2},
		{"go build -o /tmp/x ../other && /tmp/x", "runs newly built code", "runs sh code", 2},
	} {
		r, err := g.AnalyzeShellCommand(c.line)
		if err != nil || !strings.Contains(r.Reason, c.says) || r.Risk != c.risk ||
			c.not != "" && strings.Contains(r.Reason, c.not) {
			t.Errorf("%q: %v, risk %d\n%s", c.line, err, r.Risk, r.Reason)
		}
	}
}
