package inbox

import (
	"fmt"

	"github.com/tada-run/tada-run/approval"
)

// offer reads what the question offers, if an answer may allow it.
func (b *board) offer() {
	b.choosable = choosable{}
	if b.desk.MayChoose(b.open, approval.ChannelInbox) {
		b.choices = b.desk.ChoicesOf(b.open.Payload)
	}
}

// choiceRows tell of the selected choice, below the page.
func (b *board) choiceRows() (rows []string) {
	if b.choice == 0 {
		return nil
	}
	c := b.choices[b.choice-1]
	title := fmt.Sprintf("and from now on, until it is revoked (%d of %d):", b.choice,
		len(b.choices))
	rows = append(rows, "", title, "  "+c.Command)
	for _, says := range c.Says {
		rows = append(rows, "  "+says)
	}
	var all []string
	for _, row := range rows {
		all = append(all, folded(row, b.width)...)
	}
	return all
}
