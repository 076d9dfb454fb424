package console

import (
	"fmt"
	"strconv"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
)

// What the page offers to repeat: the same plan, for a while. Other numbers are for the terminal.
const (
	repeatUses = 5
	repeatTime = time.Hour
)

// The values of the field with what an approval allows, beside the number of a choice.
const (
	fieldLasts = "lasts"
	lastsOnce  = ""
	lastsTime  = "time"
)

// A lasting is something that an approval can allow for longer than once.
type lasting struct {
	value string
	what  g.Node
	says  []string
}

// lastings are what this question offers, as the terminal does; nil for nothing.
func (s visit) lastings(e approval.Envelope) (list []lasting) {
	if s.inbox.MayChoose(e, approval.ChannelWeb) {
		for n, c := range s.inbox.ChoicesOf(e.Payload) {
			list = append(list, lasting{strconv.Itoa(n + 1),
				g.Group{g.Text("Always, until it is revoked: "), h.Code(g.Text(c.Command))},
				c.Says})
		}
	}
	if s.repeats(e) {
		list = append(list, lasting{value: lastsTime, what: g.Textf(
			"Exactly this, %s within an hour", audit.Plural(repeatUses, "time"))})
	}
	return list
}

// repeats reports whether the same plan may be allowed for a while.
func (s visit) repeats(e approval.Envelope) bool {
	return !plan.Lasting(e.Payload) && s.inbox.MayRepeat(e, approval.ChannelWeb)
}

// lastingFields are the choices in the form. The first one is once.
func lastingFields(list []lasting) g.Node {
	if len(list) == 0 {
		return nil
	}
	one := func(l lasting, more ...g.Node) g.Node {
		says := g.Group{}
		for _, text := range l.says {
			says = append(says, h.Span(h.Class("soft"), worded(text)))
		}
		return h.Label(h.Input(h.Type("radio"), h.Name(fieldLasts), h.Value(l.value),
			g.Group(more)), h.Span(l.what, says))
	}
	fields := g.Group{one(lasting{what: g.Text("Approve once")}, h.Checked())}
	for _, l := range list {
		fields = append(fields, one(l))
	}
	return h.FieldSet(h.Class("lasts"), h.Legend(g.Text("What to allow")), fields)
}

// grantOf is the grant that a value of the field asks for; nil for once. The error is for what the
// question does not offer.
func (s visit) grantOf(e approval.Envelope, value string) (*approval.GrantRequest, error) {
	r := &approval.GrantRequest{}
	n, err := strconv.Atoi(value)
	may := false
	switch {
	case value == lastsOnce:
		return nil, nil
	case value == lastsTime:
		r.Uses, r.For = repeatUses, repeatTime
		may = s.repeats(e)
	case err == nil && n > 0 && strconv.Itoa(n) == value:
		r.Choice = n
		may = n <= len(plan.Choices(e.Payload)) && s.inbox.MayChoose(e, approval.ChannelWeb)
	}
	if !may {
		return nil, fmt.Errorf("question %q does not offer %.20q", e.ID, value)
	}
	return r, nil
}
