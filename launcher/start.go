package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/live"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/pathguard"
)

// permitted lets permit decide, between two verifications of the protected files. Without a
// permission nothing is left of what was prepared.
func (r *announced) permitted(ctx context.Context,
	permit permitFunc) (permitted, *refusal.Refusal, error) {
	by, refusal, err := r.l.guarded(ctx, r.attempt, permit)
	if refusal == nil && err == nil {
		if refusal = r.frozenMeanwhile(); refusal != nil {
			r.used = by
		}
	}
	if refusal != nil || err != nil {
		r.standby.cancel()
		return permitted{}, refusal, err
	}
	return permitted{r, by}, nil, nil
}

// frozenMeanwhile refuses a run of a machine that was frozen after it was judged; nil if it was
// not. The run is among those that have no end yet, so a freeze after this look ends it.
func (r *announced) frozenMeanwhile() *refusal.Refusal {
	// The judgement stays as it is: the sandbox may be being built from it at this moment.
	return r.l.frozenIn(r.Locale())
}

// start opens the transcript and lets the command run. When it returns an error nothing runs, and
// [permitted.failed] ends the run.
func (p permitted) start() (_ *started, err error) {
	b, err := p.standby.take(p.Judgement)
	if err != nil {
		return nil, err
	}
	undo := undoing{b.console.close}
	defer func() { undo.unless(err == nil) }()
	recorder, err := p.transcript(b.console)
	if err != nil {
		b.wait().cancel()
		return nil, err
	}
	undo.add(func() { _, _ = recorder.Close() })
	signals := listen()
	made := b.wait()
	undo.add(made.removeFolder)
	if made.err != nil {
		return nil, p.notStood(made.err)
	}
	p.report(made.gaps)
	if err := p.unswapped(); err != nil {
		made.cancel()
		return nil, err
	}
	process, receipt, err := made.start()
	if err != nil {
		return nil, err
	}
	undo.add(process.Kill)
	s := &started{p, b.console, made.bounds, made.watched, recorder, process, receipt, signals, nil,
		made.wants}
	if err := p.record(record.KindStart, s.facts(), audit.Lazy); err != nil {
		return nil, err
	}
	s.notices()
	if err := s.connect(); err != nil {
		return nil, err
	}
	s.terminal.Started()
	p.l.packIfMany(p.id)
	made.wants.begin(s.terminal, func() { _ = s.process.SignalGroup(syscall.SIGINT) })
	if p.Request.Started != nil {
		p.Request.Started(p.id)
	}
	return s, nil
}

// undoing are the steps that undo what was done, in its order.
type undoing []func()

func (u *undoing) add(step func()) { *u = append(*u, step) }

// unless takes all steps, the last first, if the whole did not succeed.
func (u undoing) unless(succeeded bool) {
	for i := len(u) - 1; i >= 0 && !succeeded; i-- {
		u[i]()
	}
}

// listen takes the signals that are passed on, before the command runs: one that comes in its first
// instant must not end this process and leave the command without an end in the record. It takes
// two changes of thread, so it is done where the sandbox is waited for anyway.
func listen() chan os.Signal {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, append(session.Forwarded(), live.Order)...)
	return signals
}

func (p permitted) report(lacks gaps) {
	if lacks.uncached != nil {
		p.l.say(os.Stderr, fmt.Sprintf("a cache folder cannot be made, and the command may fail "+
			"without it: %v (shown once)", lacks.uncached))
	}
	if lacks.partial {
		p.l.say(os.Stderr, p.Plan.Workspace+
			" has too many directories to search for secrets to hide; "+
			"list those deeper down in security.restricted_paths: tadactl policy edit (shown once)")
	}
}

// notices tell what the sandbox cannot keep, what an agent needs in a session, and that the
// platform's hooks are off.
func (s *started) notices() {
	if notice := proposes(s.Plan.Workspace, s.policy); notice != "" {
		s.l.say(os.Stderr, notice)
	}
	if notice := s.l.failing(); notice != "" {
		s.l.say(os.Stderr, notice)
	}
	if notice := untried(s.receipt, answersCalls); notice != "" {
		s.l.say(os.Stderr, notice)
	}
	if notice := s.unkept(); notice != "" {
		s.l.say(os.Stderr, notice)
	}
	if s.client != nil {
		if notice := s.client.Advice(s.Request.Shell.Words); notice != "" {
			fmt.Fprintf(os.Stderr, "tada-run: %s\n", notice)
		}
	}
	if notice := s.l.unhooked(s.Request); notice != "" {
		fmt.Fprintf(os.Stderr, "tada-run: %s\n", notice)
	}
}

// connect has what the command prints go to the transcript, and a session open to others. Nothing
// passes yet.
func (s *started) connect() error {
	limits, _ := s.limited()
	s.out.tee = &tee{
		to: s.recorder, hidden: s.terminal.Hidden, modes: s.terminal.Modes, last: session.Cooked,
		meter: newMeter(limits.Output, func() { go s.process.End(sandbox.LimitOutput, 0) }),
	}
	if s.Request.Hold == nil {
		return nil
	}
	s.hosting = newHosting(s)
	s.out.secret, s.out.show = s.hosting.attached.IsPrivate, s.hosting.attached.Show
	s.l.Live().SweepSockets()
	return s.hosting.open()
}

// transcript creates the session's cast file.
func (p permitted) transcript(c *console) (*audit.Recorder, error) {
	cols, rows := c.terminal.Size()
	began := p.began
	most, rate := p.recorded()
	rec, err := audit.Create(p.l.state.Cast(p.id), audit.Header{
		Cols: cols, Rows: rows, Term: p.Plan.Caller.Env["TERM"], Time: began,
		Command: beginning(p.shown), Title: p.id, Wire: c.wire(),
	}, audit.RecordOptions{
		Now:  func() time.Duration { return time.Since(began) },
		Rand: p.l.state.Random, MaxBytes: most, Rate: rate,
		Checkpoint: func(sum audit.Summary) error {
			return p.record(audit.KindCheckpoint, vouch(sum), audit.Lazy)
		},
	})
	if err == nil && p.Envelope != "" {
		err = rec.Mark("approved " + p.Envelope)
	}
	if err == nil && len(p.Script.Text) > maxCommand {
		err = rec.Stdin(audit.AuthorTada, []byte(p.Script.Text)) // in as many events as it takes
	}
	if err != nil {
		return nil, &record.Error{Kind: "transcript", Err: err}
	}
	return rec, nil
}

// failed ends a run that was permitted and could not be started. A program that is missing is not a
// failure of tada-run: it is reported as a shell reports it.
func (p permitted) failed(err error) (Outcome, error) {
	err = p.l.unfenced(err)
	defer p.log.Close()
	recordErr := p.record(record.KindFailed, object{"error": err.Error(), "plan_hash": p.Hash()},
		audit.Lazy)
	recordErr = errors.Join(recordErr, p.Finish(p.l.Approvals, p.log, "it could not be started"))
	out := Outcome{Session: p.id, Envelope: p.Envelope}
	if swapped := (*swappedError)(nil); errors.As(err, &swapped) {
		out.Refusal = p.swappedRefusal(swapped)
		out.Status = out.Refusal.Exit
		return out, recordErr
	}
	var exec *sandbox.ExecError
	if errors.As(err, &exec) && exec.Path == p.shell {
		out.Status, out.Refusal = exec.ExitStatus(), p.shellless(exec)
		return out, recordErr
	}
	if exec != nil {
		fmt.Fprintf(os.Stderr, "tada-run: %v\n", err)
		return Outcome{Session: p.id, Status: exec.ExitStatus()}, recordErr
	}
	return Outcome{Session: p.id}, errors.Join(err, recordErr)
}

// shellless reports that the shell could not be executed in the sandbox: a program that is missing
// is the command's own affair, a shell that is withheld is not.
func (j *Judgement) shellless(err *sandbox.ExecError) *refusal.Refusal {
	f := refusal.Of(j.Locale(), pathguard.Verdict{}, "denied", "no_shell",
		j.say("no shell", err.Path, err.Err), err.ExitStatus())
	f.Items = append(f.Items, refusal.Item{ID: refusal.FirstCall, Decision: f.Status,
		Message: f.Message})
	return f
}

// notStood words why a command did not start that was allowed because it can be undone.
func (p permitted) notStood(err error) error {
	if !p.Verdict.Stands {
		return err
	}
	if bad := p.l.NoteUnkept(p.CommandKey()); bad != nil {
		return err
	}
	return fmt.Errorf("the command was allowed because it can be undone, and that is not certain "+
		"here: %w; run it again, and a person is asked", err)
}
