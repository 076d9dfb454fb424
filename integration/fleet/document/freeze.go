package document

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
)

// ErrRevoked is returned for a machine that is no longer a member.
var ErrRevoked = errors.New("it was revoked")

// maxReason is the maximum length of a reason, in bytes: it is shown on one line.
const maxReason = 300

// A Freeze is an order: nothing new starts on the machines that it selects, and what runs there is
// stopped.
type Freeze struct {
	ID       string // random, so that an order that has ended cannot be given again
	Fleet    string // "" in orders of earlier versions, which hold in every fleet of who signed
	Machines Selector
	Reason   string
	Pause    bool // what runs is stopped until the end of the freeze, not ended
	Time     time.Time
	By       []string // who signed it; not used by Sign
}

// Sign returns the order, signed by an administrator.
func (o Freeze) Sign(key approval.Key) ([]byte, error) {
	if err := checkName(o.ID); err != nil {
		return nil, fmt.Errorf("freeze: %w", err)
	}
	if len(o.Reason) > maxReason {
		return nil, fmt.Errorf("the reason has %d bytes; at most %d are possible", len(o.Reason),
			maxReason)
	}
	f := plan.Fields{"id": o.ID, "machines": o.Machines.String(), "reason": o.Reason,
		"time": plan.FormatTime(o.Time)}
	named(f, o.Fleet)
	if o.Pause { // machines that do not know it end what runs
		f["pause"] = true
	}
	return sign(kindFreeze, f, key)
}

// named adds the name of the fleet that an order is for: a person may be an administrator of
// several, and whoever stores the orders of one could give them to the machines of another.
func named(order plan.Fields, fleet string) {
	if fleet != "" {
		order["fleet"] = fleet
	}
}

// mine refuses an order that is for another fleet.
func (f Fleet) mine(what, id, fleet string) error {
	if fleet == "" || fleet == f.Name {
		return nil
	}
	return fmt.Errorf("%s %q is of fleet %q, not %q", what, id, fleet, f.Name)
}

// Freeze reads an order that an administrator has signed.
func (f Fleet) Freeze(text []byte) (Freeze, error) {
	s, err := open(text, kindFreeze, f.Admins())
	if err != nil {
		return Freeze{}, err
	}
	o := Freeze{ID: s.Text("id"), Reason: s.Text("reason"), Time: s.Time("time"), By: s.By,
		Pause: s.Flag("pause"), Fleet: s.Text("fleet")}
	if err := checkName(o.ID); err != nil {
		return Freeze{}, fmt.Errorf("freeze: %w", err)
	}
	if err := f.mine("freeze", o.ID, o.Fleet); err != nil {
		return Freeze{}, err
	}
	if len(o.Reason) > maxReason {
		return Freeze{}, fmt.Errorf("freeze %q: its reason: %w", o.ID, approval.ErrOversized)
	}
	o.Machines, err = ParseSelector(s.Text("machines"))
	return o, err
}

// A Thaw is the end of a freeze.
type Thaw struct {
	ID    string   // of the freeze
	Fleet string   // "" as in a Freeze
	By    []string // who signed it; not used by Sign
}

// Sign returns the end of a freeze, signed by an administrator. It takes effect when two have
// signed: see [Fleet.Cosign].
func (t Thaw) Sign(key approval.Key) ([]byte, error) {
	f := plan.Fields{"id": t.ID}
	named(f, t.Fleet)
	return sign(kindThaw, f, key)
}

// Thaws reads the end of a freeze that two administrators have signed. With fewer signatures the
// error is ErrUnsigned.
func (f Fleet) Thaws(text []byte) (Thaw, error) {
	t, err := f.thaw(text)
	if err == nil && len(t.By) < pair {
		err = fmt.Errorf("%w yet: signed by %s; it takes %d people", ErrUnsigned,
			strings.Join(t.By, ", "), pair)
	}
	return t, err
}

func (f Fleet) thaw(text []byte) (Thaw, error) {
	s, err := open(text, kindThaw, f.Admins())
	t := Thaw{ID: s.Text("id"), Fleet: s.Text("fleet"), By: s.By}
	if err == nil {
		err = checkName(t.ID)
	}
	if err == nil {
		err = f.mine("the end of freeze", t.ID, t.Fleet)
	}
	if err != nil {
		return Thaw{}, err
	}
	return t, nil
}
