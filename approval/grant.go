package approval

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Grant is a remembered approval: in one session, the same plan runs again without asking, a few
// times, for a while. It covers exactly what a person saw; there are no patterns and no prefixes.
//
// A grant of what an agent's session opens, or of a connection ([plan.Lasting]), lasts until it is
// revoked or another one is given in that session: its page says so. One of a [plan.Choice] lasts
// until it is revoked, for every session in its workspace.
type Grant struct {
	ID        string    // UUID version 4
	Envelope  string    // the question that it was given with
	Session   string    // who may use it
	WorkItem  string    // of the plan, which is bound as part of it
	Template  string    // see [Template]
	Issued    time.Time // UTC
	Expires   time.Time // UTC; it ends at this instant
	Uses      int       // how often it may be used
	Used      int       // how often it was
	Lasting   bool      // it ends by neither uses nor time
	Ended     string    // why it ended before its time; "" while it is valid
	Approver  string
	Channel   string
	Payload   []byte // the plan that the person saw
	givenBoot stamp
}

// Authority returns, for the person who watches and for the record, why a use may run.
func (g Grant) Authority(now time.Time) string {
	if g.Lasting {
		return fmt.Sprintf("allowed by grant %s; to revoke it: tadactl grants revoke %s", g.ID,
			g.ID)
	}
	left := max(0, g.Expires.Sub(now)).Round(time.Minute)
	return fmt.Sprintf("allowed by grant %s, %d/%d, %d min left", g.ID, g.Used, g.Uses,
		int(left.Minutes()))
}

// A GrantRequest turns an approved question into a grant. Only a person may ask for it, by the
// channel and at the moment of the approval itself.
type GrantRequest struct {
	Envelope string        // approved, every call of it, and not yet used
	PlanHash string        // of what the person saw, in full
	For      time.Duration // 0 means 1 h; at most MaxGrantTime
	Uses     int           // 0 means 5; at most MaxGrantUses
	Approver string
	Channel  string

	Everywhere bool // of a connection: in every workspace of the account
	Choice     int  // which of the plan's [plan.Choices], from 1 on; 0 for none
}

// AnySession is the session of a grant that is for all of them.
const AnySession = "any"

// granted returns the plan of the grant, out of what the person was asked about, and why there can
// be no such grant.
func (r *GrantRequest) granted(payload []byte) (granted []byte, why []string) {
	var err error
	switch {
	case r.Choice != 0:
		if granted, err = plan.Choose(payload, r.Choice); err != nil {
			return nil, []string{fmt.Sprintf("it offers no grant %d", r.Choice)}
		}
	case r.Everywhere:
		if granted, err = plan.Everywhere(payload); err != nil {
			return nil, []string{"it is for its own workspace only"}
		}
	default:
		granted = payload
	}
	return granted, Grantable(granted)
}

// The limits of a grant: a working day, and about as many uses as a person still remembers having
// allowed.
const (
	MaxGrantTime = 12 * time.Hour
	MaxGrantUses = 100

	defaultGrantTime = time.Hour
	defaultGrantUses = 5
)

// settle fills in defaults and refuses what exceeds the limits.
func (r *GrantRequest) settle() error {
	if r.For == 0 {
		r.For = defaultGrantTime
	}
	if r.Uses == 0 {
		r.Uses = defaultGrantUses
	}
	if r.For < 0 || r.For > MaxGrantTime {
		return &ConfigError{Name: "time of a grant", Value: r.For.String(),
			Need: "it must be at most " + MaxGrantTime.String()}
	}
	if r.Uses < 0 || r.Uses > MaxGrantUses {
		return &ConfigError{Name: "number of uses", Value: strconv.Itoa(r.Uses),
			Need: "it must be at most " + strconv.Itoa(MaxGrantUses)}
	}
	return nil
}

// MayStand returns nil if a decision on this question may become the grant that r asks for, and
// otherwise the reason. It is called before anything is stored, so that an answer is taken whole or
// not at all.
func (e Envelope) MayStand(d Decision, r GrantRequest) error {
	if err := r.settle(); err != nil {
		return err
	}
	_, why := r.granted(e.Payload)
	switch {
	case e.Quorum > 1:
		why = append(why, "it needs several people, so it can be approved only once")
	case !d.approvesAll():
		why = append(why, "one of its calls is denied")
	}
	if len(why) > 0 {
		return &Refused{Envelope: e.ID, Outcome: OutcomeDenied,
			Err: &wayOf{ErrNotGrantable, strings.Join(why, "; ")}, Message: strings.Join(why, "; ")}
	}
	return nil
}
