package inbox

import (
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
)

// Near-identical questions are shown together, each on its own row and with its own answer. Only a
// denial may apply to all of them at once.

// kin returns the questions in the list that are near-identical to e, e included, and the index of
// e.
func (b *board) kin(e approval.Envelope) (kin []approval.Envelope, at int) {
	if e.Kin == "" {
		return nil, 0
	}
	for _, other := range b.list {
		if other.Kin == e.Kin {
			kin = append(kin, other)
		}
	}
	return kin, slices.IndexFunc(kin,
		func(other approval.Envelope) bool { return other.ID == e.ID })
}

// chosenKin is kin of the selected question.
func (b *board) chosenKin() []approval.Envelope {
	i := slices.IndexFunc(b.list, func(e approval.Envelope) bool { return e.ID == b.at })
	if i < 0 {
		return nil
	}
	kin, _ := b.kin(b.list[i])
	return kin
}

// denyAll denies the questions that were near-identical when the person asked for it, and none that
// came since.
func (b *board) denyAll(why string) {
	denied := 0
	for _, e := range b.flock {
		if err := b.desk.Decide(b.ctx, permit.Answer(e, false, why, "inbox")); err != nil {
			b.back(fmt.Sprintf("denied %d of %d: %s", denied, len(b.flock), explained(err)))
			return
		}
		denied++
	}
	b.back("denied " + audit.Plural(denied, "question"))
}
