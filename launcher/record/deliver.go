package record

import (
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// Deliver writes the events of one store into the record.
func Deliver(log *audit.Log, s *tamper.Store, d audit.Durability) error {
	return s.Deliver(func(e tamper.Event) error {
		body := e.Body()
		body["scope"] = s.Root()
		b, err := canonical.Append(nil, body)
		if err == nil {
			_, err = log.Append(e.RecordKind(), b, d)
		}
		if err != nil {
			return &Error{Kind: e.RecordKind(), Err: err}
		}
		return nil
	})
}
