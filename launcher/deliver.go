package launcher

import (
	"cmp"
	"os"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard/passwd"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// person is the account itself, at a door.
func (l *Launcher) person(door tamper.Interface) tamper.Who {
	return tamper.Who{User: cmp.Or(passwd.NameOf(os.Getuid()), permit.Person()),
		Interface: cmp.Or(door, tamper.CLI)}
}

// deliver writes the events of one store into the record.
func deliver(log *audit.Log, s *tamper.Store, d audit.Durability) error {
	return s.Deliver(func(e tamper.Event) error {
		body := e.Body()
		body["scope"] = s.Root()
		b, err := canonical.Append(nil, body)
		if err == nil {
			_, err = log.Append(e.RecordKind(), b, d)
		}
		if err != nil {
			return &record.Error{Kind: e.RecordKind(), Err: err}
		}
		return nil
	})
}
