package agent

import (
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// A given is where an answer was found.
type given struct {
	envelope string // the question whose place it is
	sum      string // under which name
	again    bool   // what became of it was told before
}

// notice names a signed answer that was given before, or that is for something else: no person
// gives one, so somebody copies answers in etcd. The first of each kind is said at once.
func (a *Agent) notice(g given, token []byte) {
	question, err := a.Launcher.CheckToken(token)
	what := ""
	switch {
	case errors.Is(err, approval.ErrAudience):
		what = "an answer to another machine"
	case err != nil:
		return // nobody who counts here has signed it
	case question != g.envelope:
		what = fmt.Sprintf("the answer to question %s, for another one", question)
	case g.again || keyspace.Sum(token) != g.sum:
		what = fmt.Sprintf("the answer to question %s again", question)
	default:
		return
	}
	if a.news.replays.note(what, plan.Fields{"why": briefly(what)}) {
		a.say("%s was given to this machine; it does not count", what)
		a.hasNews()
	}
}
