package cli

import (
	"fmt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/prompt"
)

// A choosable is what the open question offers to allow until further notice.
type choosable struct {
	choices []prompt.Choice
	choice  int // from 1 on; 0 for none
}

// offer reads what the question offers, if an answer may allow it.
func (b *board) offer() {
	b.choosable = choosable{}
	if b.desk.MayChoose(b.open) {
		b.choices = b.desk.ChoicesOf(b.open.Payload)
	}
}

// next selects the next choice, and after the last one none.
func (b *board) next() {
	b.choice = (b.choice + 1) % (len(b.choices) + 1)
	b.lay()
	b.scroll(len(b.text))
}

// choiceRows tell of the selected choice, below the page.
func (b *board) choiceRows() (rows []string) {
	if b.choice == 0 {
		return nil
	}
	c := b.choices[b.choice-1]
	rows = append(rows, "", fmt.Sprintf("and from now on, until it is revoked (%d of %d):", b.choice,
		len(b.choices)), "  "+c.Command)
	for _, says := range c.Says {
		rows = append(rows, "  "+says)
	}
	var all []string
	for _, row := range rows {
		all = append(all, folded(row, b.width)...)
	}
	return all
}

// remember approves, and allows the selected choice from now on.
func (b *board) remember(d approval.Decision) {
	_, err := b.desk.DecideStanding(b.ctx, d, approval.GrantRequest{Choice: b.choice})
	b.told(err, "approved from now on:")
}

func (b *board) choiceHelp() string {
	if len(b.choices) > 0 {
		return "   a: always"
	}
	return ""
}
