package approval

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
)

// May returns the channel by which this caller may do a, if it asks over the given channel, or an
// error that wraps ErrPeer and says why it may not. Signed answers and grants do not depend on the
// caller that hands them in.
func (c Caller) May(a Action, over Channel) (Channel, error) {
	who, why := c.Who()
	switch {
	case who == ChannelSandbox, who != "" && over != ChannelToken && over != ChannelGranted:
		over = who
	}
	if Permits(a, over) {
		return over, nil
	}
	if why == "" {
		why = fmt.Sprintf("%q is not done over %q", a, over)
	}
	return over, a.refused(why)
}

// Outside returns nil for a caller outside every sandbox, and otherwise an error that wraps ErrPeer
// and names the action.
func (c Caller) Outside(a Action) error {
	if who, why := c.Who(); who == ChannelSandbox {
		return a.refused(why)
	}
	return nil
}

// refused says why a caller may not do a.
func (a Action) refused(why string) error {
	switch a {
	case ApproveLow, ApproveHigh, ApproveCritical, Deny, Remember:
		return fmt.Errorf("approval: %w: %s", ErrPeer, why)
	}
	return fmt.Errorf("approval: %w: %s", ErrPerson, why)
}

// A Caller is what the kernel says about a process that wants to answer: the process, its
// ancestors, and its terminal. The zero value is a process about which nothing is known.
type Caller struct {
	Peer     PeerFacts
	Rules    PeerRules
	Line     []Process // the process itself, then its ancestors
	Terminal Terminal
}

// A Terminal is a controlling terminal and the processes that hold its other end. Those processes
// type its keys and see its text.
type Terminal struct {
	Device  string // "pts/3"; "" for none
	Pseudo  bool   // it has another end
	Keys    bool   // the caller is in its foreground
	Holders []Holder
	// Outer is the nearest ancestor that is not on this terminal. It is set where the holders
	// cannot be seen, because they belong to another user or run outside this container. Nil if
	// there is no such ancestor.
	Outer *Holder
}

// A Holder is a process that holds the other end of a terminal, with its ancestors.
type Holder struct {
	Line []Process
	// where the holder shows the terminal: the terminals of its clients, or its own
	Shown []Terminal
}

// A Via is how an answer came, for the log.
type Via struct {
	Channel   Channel
	Terminal  string   // "pts/3"
	Holder    string   // what holds its other end; "" if that cannot be seen
	Ancestors []string // of the process that answered, the nearest first, at most maxVia
	Device    string   // the browser of the console that it came from; "" for none

	Passkey Assertion // by which it was signed; zero for none
}

// maxVia is the number of ancestors that are recorded.
const maxVia = 8

// Via returns how an answer by this caller came.
func (c Caller) Via() Via {
	v := Via{Terminal: c.Terminal.Device}
	if len(c.Terminal.Holders) > 0 {
		v.Holder = c.Terminal.Holders[0].Line[0].String()
	}
	for i, p := range c.Line {
		if i > 0 && len(v.Ancestors) < maxVia {
			v.Ancestors = append(v.Ancestors, p.String())
		}
	}
	return v
}

// plan.Fields is nil when nothing is known of how the answer came, as for one signed elsewhere.
func (v Via) fields() plan.Fields {
	if v.Terminal == "" && len(v.Ancestors) == 0 && v.Device == "" {
		return nil
	}
	f := plan.Fields{"ancestors": v.Ancestors, "holder": v.Holder, "terminal": v.Terminal}
	if v.Device != "" {
		f["device"] = v.Device
	}
	return f
}

func readVia(f plan.Fields, channel string) Via {
	return Via{Channel: Channel(channel), Terminal: f.Text("terminal"), Holder: f.Text("holder"),
		Ancestors: f.Texts("ancestors"), Device: f.Text("device")}
}

// Who returns what kind of caller this is and why it is not a person; the reason is "" for a
// person. The most certain checks come first: a process cannot remove the marks of a sandbox, but
// it can remove those of an agent.
func (c Caller) Who() (Channel, string) {
	rules := c.Rules
	rules.Terminal = false
	if err := MayDecide(c.Peer, rules); err != nil {
		_, why, _ := strings.Cut(err.Error(), ErrPeer.Error()+": ")
		return ChannelSandbox, why
	}
	if why := ofAgent(c.Line); why != "" {
		return ChannelAgent, why
	}
	if !c.Terminal.Keys || c.Terminal.Device == "" {
		return ChannelProgram, "it is not in the foreground of a terminal"
	}
	return c.Terminal.who()
}

// ofAgent returns what in a line of processes belongs to an agent, or "".
func ofAgent(line []Process) string {
	for i, p := range line {
		whose := "its ancestor " + p.String()
		if i == 0 {
			whose = p.String()
		}
		if len(p.Marks) > 0 {
			return fmt.Sprintf("%s is set in the environment of %s", p.Marks[0], whose)
		}
		if name := p.agent(); name != "" {
			return fmt.Sprintf("%s is an agent", whose)
		}
	}
	return ""
}

// who returns who types on a terminal and why that is not a person; the reason is "" for a person.
func (t Terminal) who() (Channel, string) {
	holders := t.Holders
	if !t.Pseudo { // a console: its keys are a keyboard's
		return "", ""
	}
	if len(holders) == 0 {
		if t.Outer == nil { // entered from outside this container
			return "", ""
		}
		holders = []Holder{*t.Outer}
	}
	for _, h := range holders {
		if why := ofAgent(h.Line); why != "" {
			return ChannelAgent, fmt.Sprintf("its terminal %[2]s is controlled by %[1]s: %[3]s",
				h.Line[0], t.Device, why)
		}
	}
	who, why := ChannelProgram, ""
	for _, h := range holders {
		at, no := h.who(t)
		switch {
		case no == "", at == ChannelAgent:
			return at, no
		case why == "":
			who, why = at, no
		}
	}
	return who, why
}

// who returns who types on the terminal whose other end the process holds.
func (h Holder) who(t Terminal) (Channel, string) {
	p := h.Line[0]
	switch p.holds() {
	case onScreen:
		return "", ""
	case relayed, multiplexed:
		who, why := t.program(
			"its terminal %s is controlled by %s, which shows it on no terminal", p)
		for i, shown := range h.Shown {
			at, no := shown.who()
			if at == ChannelAgent {
				return at, no
			}
			if i == 0 || no == "" {
				who, why = at, no
			}
		}
		return who, why
	}
	if len(t.Holders) == 0 {
		return t.program("what controls its terminal %s cannot be seen; it was opened by %s", p)
	}
	return t.program(
		"its terminal %s is controlled by %s, which is not a known terminal program", p)
}

// program is the answer for a terminal that a program types on.
func (t Terminal) program(format string, p Process) (Channel, string) {
	return ChannelProgram, fmt.Sprintf(format, t.Device, p)
}
