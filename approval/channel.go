package approval

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// A Channel is the way by which an answer comes.
type Channel string

// The channels of a person at a terminal, then those of programs.
const (
	ChannelTadactl Channel = "tadactl" // a command at a terminal
	ChannelPrompt  Channel = "tty"     // the prompt of tada-run itself
	ChannelInbox   Channel = "inbox"
	ChannelWeb     Channel = "web"
	ChannelAttach  Channel = "attach" // beside the screen of a session
	ChannelToken   Channel = "token"  // an answer that was signed
	// an answer that a passkey signed; in the table it is one that was signed
	ChannelPasskey Channel = "passkey"
	ChannelGranted Channel = "grant" // an approval that was remembered
	ChannelAgent   Channel = "agent" // started by an agent's program, or on its terminal
	ChannelProgram Channel = "program"
	ChannelSandbox Channel = "sandbox" // inside a sandbox of tada-run
)

// An Action is something that only some callers may do.
type Action string

// The actions, in the order of the table.
const (
	ApproveLow      Action = "approve R0, R1"
	ApproveHigh     Action = "approve R2"
	ApproveCritical Action = "approve R3"
	Deny            Action = "deny"
	TakeBack        Action = "take back a denial"
	Remember        Action = "remember an approval"
	Revoke          Action = "revoke a grant"
	Sign            Action = "sign for another machine"
	TakeOver        Action = "take over a session"
	AcceptFile      Action = "accept a changed file"
	RestoreFile     Action = "restore a file"
	AcceptRecord    Action = "accept a changed record"
	EditPolicy      Action = "edit the policy"
	SetUp           Action = "set up agents"
	Enrol           Action = "enrol keys and codes"
	Mend            Action = "rebuild the approvals"
	TestPeople      Action = "ask a canary question"
)

// Approve is the action of approving a question of this risk. Any number outside 0 to 3 counts as
// the highest.
func Approve(risk int) Action {
	switch {
	case risk == 0 || risk == 1:
		return ApproveLow
	case risk == 2:
		return ApproveHigh
	}
	return ApproveCritical
}

// channelTable lists who may do what over which channel, and what it requires: a key press,
// characters that the page shows, a code that the terminal shows, a signature by a trusted key, or
// a grant that a person gave, for some only one of a [plan.Choice]. "no" is never; "yes" requires
// nothing more; "-" has no meaning there. A caller that comes from an agent's program, without a
// terminal, or from inside a sandbox gets that column, whatever command it uses.
//
//go:embed channels.txt
var channelTable string

// A ChannelRow is one action, with what it takes over each of [Channels].
type ChannelRow struct {
	Action Action
	Takes  []string
}

type channelSheet struct {
	channels []Channel
	rows     []ChannelRow
}

var sheet = sync.OnceValue(func() (s channelSheet) {
	for line := range strings.Lines(channelTable) {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if s.channels != nil {
			s.rows = append(s.rows, ChannelRow{Action(cells[0]), cells[1:]})
			continue
		}
		for _, c := range cells[1:] {
			s.channels = append(s.channels, Channel(c))
		}
	}
	return s
})

// Channels lists the channels in the order of a row of [ChannelRows].
func Channels() []Channel { return slices.Clone(sheet().channels) }

// ChannelRows returns the table that [Permits] decides by.
func ChannelRows() []ChannelRow { return slices.Clone(sheet().rows) }

// Permits reports whether an action may be done over a channel at all. What it requires beyond that
// is checked where it is done.
func Permits(a Action, c Channel) bool {
	i := slices.Index(sheet().channels, c)
	for _, row := range sheet().rows {
		if row.Action == a && i >= 0 && i < len(row.Takes) {
			return row.Takes[i] != "no" && row.Takes[i] != "-" && row.Takes[i] != ""
		}
	}
	return false
}
