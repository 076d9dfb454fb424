package inbox

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/notice"
)

// Short returns what a list shows of a question: the commands, quoted, with what a reason points
// at. What is left out is counted between the quotes, where no command can write.
func Short(payload []byte, room int) string {
	calls := render.Summary(payload, room)
	var b strings.Builder
	if len(calls) > 1 {
		fmt.Fprintf(&b, "%s: ", audit.Plural(len(calls), "call"))
	}
	for i, call := range calls {
		if i > 0 {
			b.WriteString("; ")
		}
		for j, p := range call.Pieces {
			if p.Cut > 0 {
				fmt.Fprintf(&b, "%s[%s cut]", strings.Repeat(" ", min(j, 1)),
					audit.Plural(p.Cut, "char"))
			}
			if p.Cut > 0 && p.Text != "" {
				b.WriteByte(' ')
			}
			if p.Text != "" {
				b.WriteString(render.Quote(p.Text, notice.UTF8()))
			}
		}
	}
	return b.String()
}
