package console

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/audit/screen"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A wish is what a person wants of a terminal.
type wish struct {
	Do        string       `json:"do"`
	Epoch     uint32       `json:"epoch"`
	Cols      int          `json:"cols"`
	Rows      int          `json:"rows"`
	Confirmed confirmation `json:"confirmed"`
}

// bounded is a size that a terminal can have.
func (w wish) bounded() (cols, rows int) {
	return min(max(w.Cols, 2), screen.MaxCols), min(max(w.Rows, 2), screen.MaxRows)
}

// confirmed does what needs a confirmation: to take over, to continue, to end.
func (v *viewer) confirmed(w wish) error {
	by := ""
	if err := v.visit.attempt("act", func() (err error) {
		by, err = v.visit.confirm(w.Do, v.run, w.Confirmed)
		return err
	}); err != nil {
		return err
	}
	if w.Do == "take over" {
		if v.signer = by; len(w.Confirmed.Response) == 0 {
			v.signer = ""
		}
	}
	_, name, _ := strings.Cut(by, " ") // the log has which of hers it was
	device := "console, passkey of " + name
	if len(w.Confirmed.Response) == 0 {
		device = "console, code of the terminal"
	}
	if device == v.device {
		if w.Do == "take over" {
			v.drives = true
			v.feed.send(wire.Frame{Kind: wire.Take, Epoch: v.epoch})
		}
	} else if err := v.sit(device, w); err != nil {
		return err
	}
	switch w.Do {
	case "continue":
		v.feed.send(wire.Frame{Kind: wire.Continue, Epoch: v.epoch})
	case "end":
		v.feed.send(wire.Frame{Kind: wire.Kill, Epoch: v.epoch})
	}
	return nil
}

// sit connects again, so that the session knows who confirmed. A connection whose device confirmed
// nothing never had control, so nothing is lost with it; one of another person's device has lost it
// by what was confirmed now.
func (v *viewer) sit(device string, w wish) error {
	cols, rows := w.bounded()
	v.feed.leave()
	v.drives = w.Do == "take over"
	v.next.Took += wire.Credit - v.credit // what was under way is discarded
	v.device, v.credit = device, wire.Credit
	v.status.You = false // the rest holds until the session says otherwise
	feed, err := v.visit.attach(v.run, wire.Greeting{Take: v.drives, Cols: cols, Rows: rows,
		Device: device})
	if err == nil && feed.send == nil {
		feed.leave()
		err = errors.New("this run is no session any more")
	}
	if err != nil {
		v.gone()
		return err
	}
	v.feed = feed
	return nil
}

// revokedEach is how often the passkey of who drives is looked for.
const revokedEach = 2 * time.Second

// revoked reports whether the passkey was revoked with which she took over. If that cannot be told,
// it was.
func (v *viewer) revoked() bool {
	if !v.drives || v.signer == "" {
		return false
	}
	list, err := v.visit.desk().Passkeys()
	return err != nil || !slices.ContainsFunc(list,
		func(k passkey.Known) bool { return k.Signer() == v.signer })
}
