package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// An Ungated is a bundle of the fleet that a person has in force, or has withdrawn, though what ran
// was not judged again under what holds then.
type Ungated struct {
	Bundle    string
	Version   int64
	By, Why   string
	Withdrawn bool
}

// RecordUngated records it. What cannot be recorded is not to be done.
func (l *Launcher) RecordUngated(u Ungated) error {
	o := object{"bundle": u.Bundle, "version": u.Version, "why": u.Why, "by": u.By}
	if u.Withdrawn {
		o["withdrawn"] = true
	}
	body, err := canonical.Append(nil, o)
	if err != nil {
		return err
	}
	log, err := l.OpenLog()
	if err != nil {
		return err
	}
	_, err = log.Append(record.KindUngated, body, audit.Durable)
	return errors.Join(err, log.Close())
}
