package launcher

import (
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// An announced is an attempt whose intent is in the log. It ends as refused, as failed, or as the
// run that [permitted.start] makes of it; each of them writes one entry that says so.
type announced struct {
	*attempt
	shown   string // the command line as the record may tell it
	secrets int    // credentials of a known shape that were hidden in it
	plan    string // the name of its plan in the record; "" if that is too long
	began   time.Time
	leave   func() // gives up its place among the runs that have no end yet, once
}

// record appends one entry. Only the launcher writes records, so whether something was recorded
// has one answer.
func (r *announced) record(kind string, body object, d audit.Durability) error {
	body["sid"] = r.id
	b, err := canonical.Append(nil, body)
	if err == nil {
		_, err = r.log.Append(kind, b, d)
	}
	if err != nil {
		return &record.Error{Kind: kind, Err: err}
	}
	if record.IsEnd(kind) {
		r.leave()
	}
	return nil
}

// close releases what the run holds. Its sandbox is cancelled where nothing was started in it.
func (r *announced) close() {
	r.standby.cancel()
	_ = r.wrote()
	_ = r.Judgement.Close()
	_ = r.log.Close()
}

// refused ends a run that was not permitted, with the refusal in the record.
func (r *announced) refused(f *refusal.Refusal) Outcome {
	defer r.log.Close()
	if f == nil { // the store of approvals failed, not the command
		facts := object{"error": "no one could be asked", "plan_hash": r.Hash()}
		_ = r.record(record.KindFailed, facts, audit.Lazy)
		return Outcome{}
	}
	if r.log.SealDue() {
		defer r.seal() // no command waits for it
	}
	_ = r.used.Finish(r.l.Approvals, r.log, "it was refused")
	_ = r.record(record.KindDenied, object{
		"code": f.Code, "status": f.Status, "envelope_id": f.Envelope, "plan_hash": r.Hash(),
	}, audit.Lazy)
	return Outcome{Session: r.id, Envelope: f.Envelope, Status: f.Exit, Refusal: f}
}
