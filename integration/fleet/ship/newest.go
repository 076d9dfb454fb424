package ship

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// ErrNoDocument is returned for a bucket without a fleet document, from which a reader could begin.
var ErrNoDocument = errors.New("the bucket has no fleet document that can be read; give one: " +
	"--document FILE")

// Newest returns the check with the newest fleet document that follows, in the bucket, from
// c.Fleet. If that is the zero Fleet, it follows from the one that a pin names (document.Pin). Each
// machine has stored the documents that it knew; one that does not follow is reported with the
// record of the machine below which it is.
func (c Check) Newest(ctx context.Context, pin string) (Check, error) {
	there, err := c.stored(ctx)
	if err != nil {
		return c, err
	}
	c.way = way{first: c.Fleet.Serial, sums: map[int64]string{}, refused: map[place]error{}}
	var why error
	from := max(c.Fleet.Serial, document.PinnedSerial(pin))
	for _, serial := range slices.Sorted(maps.Keys(there)) {
		c.newest = serial
		if serial < from { // what is known is newer
			why = fmt.Errorf("fleet document %d: %w of the key names", serial, errPin)
			continue
		}
		for _, id := range there[serial] {
			text, refused, err := c.document(ctx, id, serial)
			if errors.Is(err, errSealed) {
				continue
			}
			if err != nil {
				return c, err
			}
			if refused == nil {
				refused = c.step(text, pin)
			}
			if refused == nil {
				break
			}
			c.refused[place{id, serial}], why = refused, fmt.Errorf("fleet document %d below "+
				"machine %s: %w", serial, id, refused)
		}
	}
	switch {
	case c.Fleet.Serial > 0:
		return c, nil
	case why != nil:
		return c, why
	}
	return c, ErrNoDocument
}

// Behind returns the serial of the newest fleet document that the bucket has, if c.Fleet is newer,
// after Newest.
func (c Check) Behind() (serial int64, behind bool) {
	_, there := c.sums[c.Fleet.Serial]
	return c.newest, !there
}

// stored are the machines that have stored a fleet document with each serial.
func (c Check) stored(ctx context.Context) (map[int64][]string, error) {
	ids, err := c.Machines(ctx)
	if err != nil {
		return nil, err
	}
	all := map[int64][]string{}
	for _, id := range ids {
		there, err := c.Bucket.documents(ctx, id)
		if errors.Is(err, errDocuments) {
			continue // it is reported with the machine: see followed
		}
		if err != nil {
			return nil, err
		}
		for serial := range there {
			all[serial] = append(all[serial], id)
		}
	}
	return all, nil
}

// step takes a document if it follows.
func (c *Check) step(text []byte, pin string) (err error) {
	next := c.Fleet
	if next.Serial > 0 {
		next, err = next.Follows(text)
	} else if next, err = document.PinnedFleet(text, pin); err != nil {
		err = ofAnother(text, pin)
	}
	if err != nil {
		return err
	}
	if c.Fleet.Serial == 0 {
		c.first = next.Serial
	}
	c.Fleet, c.sums[next.Serial] = next, sum(text)
	return nil
}

// ofAnother says why a reader does not begin with a document.
func ofAnother(text []byte, pin string) error {
	f, err := document.FirstFleet(text)
	switch {
	case err != nil:
		return err
	case pin == "":
		return fmt.Errorf("no identity says that fleet %q is yours. If `tadactl fleet ship`, on a "+
			"machine that you trust, prints the same, add this line to the file of the key: %s",
			f.Name, PinLine(f))
	}
	return fmt.Errorf("fleet %q, document %d: %w of the key names", f.Name, f.Serial, errPin)
}

var errPin = errors.New("it is of another fleet, of other administrators, or older than the line")

// followed requires the fleet documents below a machine to be those of the fleet, and those that
// its manifests name to be there.
func (c Check) followed(ctx context.Context, t *told) error {
	h := t.h
	there, err := c.Bucket.documents(ctx, h.id)
	if errors.Is(err, errDocuments) {
		return h.broken("%v", err)
	}
	if err != nil {
		return err
	}
	for serial, number := range t.fleets {
		if !there[serial] {
			return h.broken("manifest %d was made when the machine knew fleet document %d, which "+
				"was removed", number, serial)
		}
	}
	for _, serial := range slices.Sorted(maps.Keys(there)) {
		if err := c.refused[place{h.id, serial}]; err != nil {
			return h.broken("fleet document %d: %v", serial, err)
		}
		text, refused, err := c.document(ctx, h.id, serial)
		if err != nil && !errors.Is(err, errSealed) {
			return err
		}
		want, ok := c.sums[serial]
		switch {
		case err != nil, refused != nil, want == sum(text):
		case ok:
			refused = fmt.Errorf("there are two with serial %d", serial)
		case c.first > 0 && serial >= c.first: // else nothing is known to compare it with
			_, refused = c.Fleet.Follows(text)
		}
		if refused != nil {
			return h.broken("fleet document %d: %v", serial, refused)
		}
	}
	return nil
}
