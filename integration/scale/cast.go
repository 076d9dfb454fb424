package scale

import (
	"time"

	"github.com/tada-run/tada-run/audit"
)

// transcript writes what the run printed.
func (r *run) transcript() (sum audit.Summary, err error) {
	header := r.header
	header.Time, header.Title = r.began, r.id
	header.Command = r.words.Replace(header.Command)
	rec, err := audit.Create(r.m.dir.Cast(r.id), header, audit.RecordOptions{
		Now:  func() time.Duration { return r.m.clock.now.Sub(r.began) },
		Rand: r.m.random,
	})
	if err != nil {
		return sum, err
	}
	before := time.Duration(0)
	for _, e := range r.printed {
		r.m.clock.advance(max(e.Time-before, 0))
		if before = e.Time; err == nil {
			err = write(rec, e.Code, r.words.bytes(e.Data))
		}
	}
	sum, closeErr := rec.Close()
	if err == nil {
		err = closeErr
	}
	return sum, err
}

// write repeats one event of the real run.
func write(rec *audit.Recorder, code byte, data []byte) error {
	if code == audit.CodeExit {
		return rec.Exit(string(data))
	}
	return rec.Output(code, data)
}
