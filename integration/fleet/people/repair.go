package people

import (
	"context"
	"fmt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/history"
)

// A Repair is what is in etcd in place of the fleet document, and the newest document that this
// machine knows.
type Repair struct {
	Fleet  document.Fleet
	Why    error // why what is in etcd does not follow; nil if it does, and nothing is to be done
	Serial int64 // that what is in etcd says it has; 0 if it is no document of this fleet

	text []byte
	way  history.Way
}

// Damage looks at the fleet document in etcd. known is the text of the one that this machine knows.
func (o Office) Damage(ctx context.Context, known []byte) (Repair, error) {
	way, err := history.Newest(ctx, o.Etcd, o.Known)
	if err != nil {
		return Repair{}, Reason(err)
	}
	r := Repair{Fleet: way.Fleet, Why: way.Refused, text: way.Newest(known), way: way}
	if name, serial, err := document.Claims(way.Found); err == nil && name == way.Fleet.Name {
		r.Serial = serial
	}
	return r, nil
}

// Repair puts the newest document that this machine knows back. The key is an administrator's.
func (o Office) Repair(ctx context.Context, key approval.Key, r Repair) error {
	if err := administrator(r.Fleet, key); err != nil {
		return err
	}
	done, err := r.way.PutBack(ctx, o.Etcd, r.text)
	if err == nil && !done {
		return ErrRace
	}
	return Reason(err)
}

// administrator refuses a key whose signature would not count.
func administrator(f document.Fleet, key approval.Key) error {
	if p, ok := f.Person(key.Name); !ok || !p.Admin || !p.Key.Equal(key.Public()) {
		return fmt.Errorf("%q is not an administrator of this fleet; see: tadactl fleet person "+
			"list", key.Name)
	}
	return nil
}
