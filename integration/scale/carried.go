package scale

import (
	"fmt"
	"os"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// carried is a run that ended. When it overlaps, the next one begins before its end is recorded.
func (r *run) carried(overlaps bool) error {
	if err := r.announce(); err != nil {
		return err
	}
	if err := r.start("policy", ""); err != nil {
		return err
	}
	if overlaps {
		r.m.held = r.end
		return nil
	}
	return r.end()
}

func (r *run) start(authority, envelope string) error {
	r.m.clock.advance(4 * time.Millisecond)
	body, pid := r.body(record.KindStart), 1000+r.number%30_000
	body["authority"], body["envelope_id"] = authority, envelope
	body["launcher"], body["pid"] = fmt.Sprintf("%d@%d", pid, r.number*3000), pid+1
	return r.record(record.KindStart, body)
}

// end writes the transcript and the end.
func (r *run) end() error {
	if r.m.chance.IntN(20) == 0 { // a build, or tests
		r.m.clock.advance(10 * time.Second)
	}
	sum, err := r.transcript()
	if err != nil {
		return err
	}
	if err := r.record(audit.KindClose, object{"head": sum.Head.String(), "bytes": sum.Bytes,
		"count": sum.Count}); err != nil {
		return err
	}
	body := r.body(record.KindEnd)
	body["duration_us"] = r.m.clock.now.Sub(r.began).Microseconds()
	body["user_us"], body["system_us"] = r.m.chance.Int64N(9000), r.m.chance.Int64N(5000)
	if err := r.record(record.KindEnd, body); err != nil {
		return err
	}
	if r.m.Every < 2 || r.number%r.m.Every == 0 {
		return nil
	}
	if err := r.record(audit.KindDrop, object{"reason": "retention"}); err != nil {
		return err
	}
	return os.Remove(r.m.dir.Cast(r.id))
}
