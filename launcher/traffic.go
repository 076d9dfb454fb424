package launcher

import (
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/watch"
)

// A connectionLog takes connections into the log as they are made, so that a launcher that is
// killed leaves what it let through. What became of them is in the entry about the end of the run.
type connectionLog struct {
	count int   // of those in the log
	err   error // why no more are
}

func (l *connectionLog) update(s *started) error {
	fresh := s.process.TrafficSince(l.count)
	l.count += len(fresh)
	list := make([]any, len(fresh))
	for i := range fresh {
		list[i] = watch.Connection(&fresh[i])
	}
	if len(list) > 0 && l.err == nil {
		l.err = s.record(record.KindTraffic, object{"connections": list}, audit.Lazy)
	}
	return l.err
}
