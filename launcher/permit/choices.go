package permit

import (
	"fmt"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/prompt"
)

// maxFormer is how many commands of the record a choice is told with.
const maxFormer = 2

// ChoicesOf returns what a question offers to allow until further notice, in words for a person:
// each with what it could allow at most, and what it would have allowed so far.
func (p *Approvals) ChoicesOf(payload []byte) (told []prompt.Choice) {
	var also [][]Former
	so := ""
	if p.Former != nil {
		var err error
		if also, err = p.Former(payload); err != nil {
			so = "not known what it would have allowed so far: " + render.Inert(err.Error())
		}
	}
	for n, c := range plan.Choices(payload) {
		asks := render.Inert(strings.Join(c.Asks, ", "))
		says := []string{"in " + render.Inert(c.Dir) + ": " + asks,
			"at most: " + render.Inert(c.AtMost)}
		switch {
		case so != "":
			says = append(says, so)
		case n < len(also) && len(also[n]) > 0:
			says = append(says, "would also have allowed: "+former(also[n]))
		}
		told = append(told, prompt.Choice{Command: render.Inert(c.Text()), Says: says})
	}
	return told
}

// former tells of the most frequent commands of a list.
func former(list []Former) string {
	var b strings.Builder
	for i, f := range list {
		if i == maxFormer {
			fmt.Fprintf(&b, ", and %s", audit.Plural(len(list)-i, "other command"))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s)", render.Inert(f.Command), audit.Plural(f.Times, "time"))
	}
	return b.String()
}

// MayChoose reports whether an answer over a channel may allow something until further notice.
func (p *Approvals) MayChoose(e approval.Envelope, by approval.Channel) bool {
	return p.mayStand(e, by, approval.GrantRequest{Choice: 1})
}

// MayRepeat reports whether an answer over a channel may allow the same plan several times.
func (p *Approvals) MayRepeat(e approval.Envelope, by approval.Channel) bool {
	return p.mayStand(e, by, approval.GrantRequest{})
}

func (p *Approvals) mayStand(e approval.Envelope, by approval.Channel,
	r approval.GrantRequest) bool {
	if e.MayStand(Answer(e, true, "", string(by)), r) != nil {
		return false
	}
	_, err := p.May(approval.Remember, by)
	return err == nil
}

// choices returns what a person may allow until further notice with an answer by this channel; nil
// if that is nothing.
func (p *Approvals) choices(e approval.Envelope, by approval.Channel) func() []prompt.Choice {
	if !p.MayChoose(e, by) {
		return nil
	}
	return sync.OnceValue(func() []prompt.Choice { return p.ChoicesOf(e.Payload) })
}
