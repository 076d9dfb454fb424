package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/watch"
)

// drainLimit is how long the last bytes may take once no process is left that could write
// more: only a caller that does not read makes it longer than an instant.
const drainLimit = 30 * time.Second

// finish drains the output, closes the transcript and records the end. A problem with the
// record is the run's failure even when the command itself went well.
func (w *supervision) finish(c change) (Outcome, error) {
	defer w.log.Close()
	ctx, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	problem := errors.Join(c.err, w.terminal.Ended(ctx))
	w.hosting.close()
	w.removeFolder()
	e := &ended{supervision: w, status: c.status, asked: w.wants.left()}
	out := e.outcome()
	w.process.Settle()
	found := object{}
	_ = w.watched.Find(found, watch.Ended, e.after(), os.Stderr)
	out.RunChanges = w.kept.Close(e.receipt) // what was taken back is how the run left it
	w.stayed()
	defer w.hosting.end(out.Status, out.Signal) // clients that are notified find it in the log
	status := strconv.Itoa(out.Status)
	recordErr := errors.Join(w.contacts.err, w.brokeOff(), w.wrote(), w.recorder.Exit(status))
	sum, err := w.recorder.Close()
	recordErr = errors.Join(recordErr, err,
		w.watched.Find(found, watch.Closed, e.after(), os.Stderr))
	recordErr = errors.Join(recordErr,
		w.record(audit.KindClose, vouch(sum), audit.Lazy),
		w.record(record.KindEnd, e.facts(out, found, problem), audit.Lazy))
	recordErr = errors.Join(recordErr, w.Authority.Finish(w.l.Approvals, w.log, "status "+status))
	if w.log.Unsealed() >= sealAtLast {
		w.seal()
	}
	w.l.packLater(sum.Bytes)
	if err := errors.Join(problem, recordErr); err != nil {
		return out, &AfterError{Status: out.Status, Err: err}
	}
	return out, nil
}

// outcome is what the caller gets. A time limit that ended only what the command had left running
// is none of the command's.
func (e *ended) outcome() Outcome {
	out := Outcome{Session: e.id, Envelope: e.Envelope, Asked: e.asked, Stood: e.Verdict.Stands}
	out.Status, out.Signal = e.status.Shell(), int(e.status.Signal)
	if e.timedOut && !e.isOver() {
		out.Signal, out.Status = 0, timedOutStatus
	}
	return out
}

// timedOutStatus is what timeout(1) exits with.
const timedOutStatus = 124

// facts are the entry about the end: out, and what was found, by the names of its fields.
func (e *ended) facts(out Outcome, found object, problem error) object {
	s := e.status
	o := object{
		"exited": s.Exited, "status": out.Status, "signal": int(s.Signal), "core": s.CoreDump,
		"timed_out": e.timedOut, "duration_us": time.Since(e.began).Microseconds(),
		"max_memory": s.MaxMemory,
		"user_us":    s.UserTime.Microseconds(), "system_us": s.SystemTime.Microseconds(),
	}
	for name, value := range found {
		o[name] = value
	}
	out.RunChanges.AddTo(o)
	if e.isOver() {
		o["background"] = true
		if e.why != "" {
			o["ended_by"] = e.why
		}
	}
	if s.Exceeded != "" {
		o["exceeded"] = string(s.Exceeded)
	}
	if problem != nil {
		o["problem"] = problem.Error()
	}
	return o
}

// brokeOff writes to the log and the transcript that the transcript ends early, because the disk
// was full, or gone. The command has ended by then, and its caller has seen no byte that is not
// recorded.
func (s *started) brokeOff() error {
	lost, cause := s.out.broken()
	if cause == nil {
		return nil
	}
	return s.log.Broke(s.recorder, s.id, lost, cause, s.l.state.Random)
}

// stayed tells that files stayed because they could not be kept.
func (w *supervision) stayed() {
	if !w.kept.RefusedSome() {
		return
	}
	text := "not all could be kept for undo, so some files stayed as they were"
	if w.l.NoteUnkept(w.CommandKey()) == nil {
		text += "; run the command again, and a person is asked to let them go"
	}
	fmt.Fprintf(os.Stderr, "tada-run: %s\n", text)
}
