package pathguard

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// effects judges what the script certainly does.
func (j *judgement) effects() {
	j.commands()
	j.session()
	j.here()
	j.person()
	j.listed()
	j.handed()
	for i := range j.plan.Targets {
		j.target(&j.plan.Targets[i])
	}
	j.globs()
	j.lists()
	j.programs()
	j.net()
	j.hazards()
}

// here judges the working directory: what runs in a restricted one could not even be started there.
func (j *judgement) here() {
	restricted := j.marked(j.plan.Dir, markRestricted)
	j.p.tree.byID(j.plan.DirID, func(m mark) {
		restricted = restricted || m.kind == markRestricted
	})
	if restricted && !j.inner && !Idle(j.script) {
		j.add(Deny, "path.restricted", j.plan.Dir, "", shellparse.Span{End: len(j.script.Text)}, -1)
	}
}

// hazards judges what the command table knows to be dangerous whatever the names are.
// Risk 1 informs; fork bombs and their like are never what anyone wants.
func (j *judgement) hazards() {
	j.risks(j.script.Hazards)
	j.sends()
	for _, h := range j.script.Hazards {
		if h.Rule == "net.serve" && j.anyHost() {
			j.add(Ask, "net.listen", "", "", h.Span, h.Command)
			continue
		}
		d := Ask
		switch {
		case h.Risk <= 1:
			d = Allow
		case slices.Contains(deniedHazards, h.Rule):
			d = Deny
		}
		if d == Ask && (j.lifted(h.Command, h.Risk, h.Rule) ||
			j.begins(h.Command) && h.Rule == "code.agent" ||
			h.Rule == "git.discard" && j.removesMade(h.Command) || j.fillsImage(h)) {
			continue
		}
		message := h.Message
		switch about := j.about(h); {
		case about == "":
			message += j.onlyKnows(h)
		case strings.Contains(message, theRepository):
			message = strings.Replace(message, theRepository, about, 1)
		default:
			message += ": " + about
		}
		j.reasons = append(j.reasons,
			Reason{Rule: h.Rule, Decision: d, Risk: h.Risk, Message: message,
				Span: h.Span, Command: h.Command, plain: message,
				origin: origin{stands: StandsFor(h.Rule) && j.inOwnRepository(h.Command)}})
	}
}

// theRepository stands in a message for a repository that is not known.
const theRepository = "the remote repository"

// deniedHazards are dangerous beyond anything that a person could mean to approve.
var deniedHazards = []string{"shell.fork-bomb", "proc.fork-bomb"}

func (j *judgement) limits() {
	for _, l := range j.plan.Limits {
		j.add(Ask, "path.uncounted", "", strconv.Itoa(l.Count), j.span(l.Effect), -1)
	}
}
