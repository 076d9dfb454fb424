package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/cosign"
	"github.com/tada-run/tada-run/integration/fleet/people"
)

// A witnessing is what a machine last said of the record of this one, which it should cosign.
type witnessing struct {
	ID      string    `json:"machine"`
	Entries int64     `json:"entries"`
	Refused string    `json:"refused"`
	Time    time.Time `json:"time"` // zero: it has not answered yet
}

// witnesses are the machines that should cosign the record of this one, if it is shipped.
func (d desk) witnesses(ctx context.Context) (list []witnessing, err error) {
	if d.Known.Ship.Nowhere() {
		return nil, nil
	}
	ids, err := cosign.Others(ctx, d.Etcd, d.Known, d.own.ID)
	if err != nil {
		return nil, people.Reason(err)
	}
	for _, id := range ids {
		said, err := cosign.Said(ctx, d.Etcd, id, d.own.ID)
		if err != nil {
			return nil, people.Reason(err)
		}
		list = append(list, witnessing{id, said.Entries, said.Refused, said.Time})
	}
	return list, nil
}

func (w witnessing) String() string {
	at := w.Time.Local().Format(minutes)
	switch {
	case w.Time.IsZero():
		return w.ID + " has not answered yet"
	case w.Refused != "":
		return fmt.Sprintf("%s refused at %s: %.300q", w.ID, at, w.Refused)
	}
	return fmt.Sprintf("%s has seen %s, at %s", w.ID, audit.Plural(w.Entries, "entry"), at)
}
