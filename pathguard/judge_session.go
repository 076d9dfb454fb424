package pathguard

import (
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/shellparse"
)

// session asks whether an agent's program may have what it needs in a session. This replaces the
// questions whether it may run at all, because the sandbox contains it. A rule that allows the
// program does not answer this question, since its author has not seen what is opened; a rule about
// a host of the vendor does apply.
func (j *judgement) session() {
	s := j.plan.Caller.Session
	if s == nil || j.inner {
		return
	}
	whole := shellparse.Span{End: len(j.script.Text)}
	j.add(Ask, "session.agent", "", s.Agent, whole, -1)
	for _, entry := range s.Hosts {
		host, _ := hosts.Cut(entry)
		host = strings.ToLower(strings.TrimSuffix(host, "."))
		if rule := j.hostRule(host); rule != nil && rule.Verdict != Allow {
			j.configured("rule.host", rule.Verdict, rule.Message, "", host, whole, -1)
		}
	}
}
