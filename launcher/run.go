package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/sandbox/gitmeta"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/pathguard"
)

// A run is one judged request on its way to an Outcome.
type run struct {
	*Judgement
	l   *Launcher
	id  string // of the session, and so of its transcript
	log *audit.Log

	running *audit.Running // its place among the runs that have no end yet; nil once it is told
	shown   string         // the command line as the record may tell it
	secrets int            // credentials of a known shape that were hidden in it

	began    time.Time
	nest     *sandbox.Nest
	begun    <-chan begun // the fence, when it stands; nil before begin and after start
	terminal *session.Session
	desk     *desk          // where a session is driven from; nil for a single command
	doorway  *doorway       // where those inside of it ask
	over     chan struct{}  // somebody who may has ended the session
	signals  chan os.Signal // ours, to be passed on
	tap      *tap
	recorder *audit.Recorder
	process  *sandbox.Process
	receipt  sandbox.Receipt
	fenced   begun    // what the command runs behind
	envelope string   // of the approval that was consumed; "" when policy allowed it
	shared   string   // the plan of the batch that it is for, which tells its end; "" where it is the run's own
	grant    string   // of the standing approval that was used; "" without one
	script   *os.File // text that is no argument
	timedOut bool
	stopping bool  // we were asked to stop
	stay     *stay // what the command leaves running may go on; nil where it ends with it
	swept    error // what sweep has found

	misfit   *Unfit                     // an approval of the same command line that is for another plan; nil for none
	answered bool                       // a person said yes, elsewhere
	heard    int                        // connections that the log has already
	unheard  error                      // why it has not more
	said     said                       // the answer of a person here, until it is used
	told     <-chan error               // the store has forgotten what the record has of the use of the approval; nil without one
	answers  []approval.CallDecision    // what was said to each call
	again    func() (*Judgement, error) // judges anew; nil for the request itself
}

// announce opens the record and writes what is about to be done. For a verdict that allows,
// it returns only when the entry is on the disk.
func (l *Launcher) announce(j *Judgement, nest *sandbox.Nest) (*run, error) {
	if j.Verdict.Decision != pathguard.Deny && j.Hash() == "" {
		return nil, errors.New("the plan cannot be hashed, so nothing runs")
	}
	id, err := newSessionID(l.now(), l.random)
	if err != nil {
		return nil, fmt.Errorf("name the session: %w", err)
	}
	r := &run{Judgement: j, l: l, id: id, nest: nest, began: l.now()}
	r.shown, r.secrets = audit.HideSecrets(j.Script.Text)
	switch {
	case j.Request.Within != nil: // the fence is there
	case j.Verdict.Decision == pathguard.Allow:
		r.begin() // what goes wrong there, start tells
	default:
		nest.Leave() // nobody may be there to ask
		r.nest = nil
	}
	if r.log, err = l.openLog(); err != nil {
		r.cancel()
		return nil, err
	}
	if err := r.enrol(); err != nil {
		r.cancel()
		r.leave()
		_ = r.log.Close()
		return nil, err
	}
	return r, nil
}

// enrol tells the end of runs whose launcher died, takes this run's place among the living,
// and writes the intent.
func (r *run) enrol() (err error) {
	if _, err = r.log.Orphans(); err != nil {
		return &RecordError{Kind: audit.KindOrphan, Err: err}
	}
	if r.running, err = r.log.Begin(r.id); err != nil {
		return &RecordError{Kind: kindIntent, Err: err}
	}
	return r.record(kindIntent, r.intent(), r.urgency())
}

// leave gives the run's place back: its end is in the log, or it never began.
func (r *run) leave() {
	if r.running != nil {
		_ = r.running.End() // a place that stays is found by the next run, and its story has an end
		r.running = nil
	}
}

// prepare has namespaces made for a run that a person is asked about now: after a yes, nobody should have to wait
// for them. The fence itself is built then, of the files as they are then.
func (r *run) prepare() {
	if r.running != nil && r.nest == nil && (r.Request.Ask != nil || r.Request.Wait > 0) {
		r.nest = r.l.ahead()
	}
}

// begin opens the command's terminal or pipes, and has its fence built from the plan's own files: beside us,
// so that the intent can go to the disk meanwhile. Nothing of the command runs before start.
func (r *run) begin() {
	r.tap = &tap{}
	ready := make(chan begun, 1)
	r.begun = ready
	var err error
	if r.Request.Hold != nil {
		r.desk, r.over = newDesk(r), make(chan struct{}, 1)
		if r.doorway, err = newDoorway(r); err == nil {
			r.terminal, err = session.Hold(r.Request.Stdio, r.tap, r.desk.show)
		}
	} else {
		r.terminal, err = session.Open(r.Request.Stdio, r.Request.PTY, r.tap)
	}
	if err != nil {
		ready <- begun{err: err}
		return
	}
	go func() {
		deepen(0)
		ready <- r.build()
	}()
}

// build begins the fence, and looks at what is compared after the run.
func (r *run) build() (b begun) {
	var cmd sandbox.Command
	if r.client != nil {
		if r.ownDir, b.err = r.client.furnish(r.l, r.policy); b.err != nil {
			return b
		}
	}
	if cmd, b.err = r.command(); b.err == nil {
		b.profile, b.exposed, b.partial = r.profile()
		b.profile.Reach.Barred = r.l.home.isBarred
		cmd.Inherit, b.withheld = handDown(r.Request.Files, b.profile)
		b.inherited = cmd.Inherit
		if b.err = b.handIn(cmd.Files); b.err == nil {
			b.held, b.err = r.nest.Begin(b.profile, cmd)
		}
		b.git, b.later = r.lookAtGit(b.profile), r.lookLater()
	}
	return b
}

// deepen makes the stack as large as building a fence needs it, at once: a goroutine begins with 2 KiB, and each doubling on the
// way copies the stack to new pages. What counts is the frame; the array itself is never touched.
//
//go:noinline
func deepen(n int) byte {
	if n == 0 {
		return 0
	}
	var room [12 << 10]byte
	return room[n%len(room)]
}

// begun is a command behind its fence, or why there is none.
type begun struct {
	profile sandbox.Profile
	exposed []string // protected files that it has to keep as they are
	partial bool     // names to hide were not looked for everywhere
	held    *sandbox.Held
	git     *gitmeta.Snapshot // what git would have run before the command; nil where it cannot change
	later   pathguard.Later   // what ran or instructed later before the command; nil where it cannot change
	err     error

	inherited []int    // descriptors of the caller that the command has too
	withheld  []string // those that it has not, each with the reason
	input     *os.File // what it has in place of the caller's standard input; nil for that
}

func (b *begun) handIn(files []*os.File) error {
	instead, withheld, err := handIn(files[0], b.profile)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if withheld != "" {
		b.withheld = append(b.withheld, withheld)
	}
	if instead != nil {
		b.input, files[0] = instead, instead
	}
	return nil
}

// cancel undoes begin.
func (r *run) cancel() {
	if r.begun == nil {
		r.nest.Leave()
		return
	}
	if b := <-r.begun; b.held != nil {
		b.held.Cancel()
	}
	r.begun = nil
	if r.terminal != nil {
		_ = r.terminal.Ended(context.Background()) // nothing was relayed: it only lets go
	}
}

// start opens the transcript and lets the command run. When it returns an error nothing runs.
func (r checked) start() error {
	if r.begun == nil {
		r.begin()
	}
	if r.terminal == nil {
		b := <-r.begun
		r.begun = nil
		return b.err
	}
	var err error
	if r.recorder, err = r.transcript(); err != nil {
		return err
	}
	r.tap.to, r.tap.hidden = r.recorder, r.terminal.Hidden
	r.tap.modes, r.tap.last = r.terminal.Modes, session.Cooked
	if r.desk != nil {
		r.tap.secret = r.desk.private.Load
	}
	limits, _ := r.limited()
	r.tap.meter = newMeter(limits.Output, func() { go r.process.End(sandbox.LimitOutput, 0) })
	r.listen()
	b := <-r.begun
	r.begun, r.fenced = nil, b
	if b.err != nil {
		return b.err
	}
	if b.partial {
		r.l.say(os.Stderr, fmt.Sprintf("%s has too many directories to search for secrets to hide; list those deeper down in security.restricted_paths: tadactl policy edit (shown once)",
			r.Plan.Workspace))
	}
	if err := r.unswapped(); err != nil {
		b.held.Cancel()
		return err
	}
	r.process, r.receipt, err = b.held.Go()
	_ = b.input.Close() // the command has its own; nil has nothing to close
	if err != nil {
		return err
	}
	if err := r.record(kindStart, r.started(), audit.Lazy); err != nil {
		r.process.Kill()
		return err
	}
	if notice := r.unkept(); notice != "" {
		r.l.say(os.Stderr, notice)
	}
	if notice := r.unhooked(); notice != "" {
		fmt.Fprintf(os.Stderr, "tada-run: %s\n", notice)
	}
	if r.desk != nil {
		r.doorway.open()
		if err := r.desk.serve(); err != nil {
			r.process.Kill()
			return err
		}
	}
	r.terminal.Started()
	if r.Request.Started != nil {
		r.Request.Started(r.id)
	}
	return nil
}

// listen takes the signals that are passed on, before the command runs: one that comes in its
// first instant must not end us and leave its end untold. It takes two changes of thread, so it comes where the fence is waited for anyway.
func (r *run) listen() {
	r.signals = make(chan os.Signal, 16)
	signal.Notify(r.signals, session.Forwarded()...)
}

// wait relays and records until the command and everything it started have ended.
func (r *run) wait(ctx context.Context) (Outcome, error) {
	defer func() { go signal.Stop(r.signals) }() // each signal takes two changes of thread, and nobody has to wait for that

	changes := make(chan change)
	r.stays()
	go r.reap(changes)
	sealing := time.AfterFunc(sealAfter, r.seal)
	defer sealing.Stop()
	limit, kill := r.deadline(), (<-chan time.Time)(nil)
	stop := func() {
		if kill != nil {
			return
		}
		if r.desk != nil {
			r.hangUp()
		} else {
			_ = r.process.SignalGroup(syscall.SIGTERM)
			_ = r.process.SignalGroup(syscall.SIGCONT)
		}
		kill = time.After(killGrace)
	}
	done, failed := ctx.Done(), r.terminal.Failed()
	for {
		select {
		case <-r.over:
			stop()
		case s := <-r.signals:
			if r.desk != nil && (s == syscall.SIGTERM || s == syscall.SIGHUP) { // logout, shutdown, tadactl kill
				stop()
				continue
			}
			if r.stay.isOver() {
				if r.stay.ends(s) {
					r.stay.because("signal")
					stop()
				}
				continue
			}
			r.stopping = r.stopping || s == syscall.SIGTSTP
			r.forward(s)
		case <-r.stay.ended():
			r.stay.because("the end of " + r.stay.patron.name)
			r.stay.patron.ended = nil
			stop()
		case <-limit:
			r.timedOut = true
			r.stay.because("time limit")
			stop()
		case <-done:
			done = nil
			stop()
		case <-kill:
			r.process.Kill()
		case <-r.process.Noted():
			if r.reachedOut() != nil {
				r.process.Kill()
			}
		case <-failed: // what cannot be recorded must not go on
			failed = nil
			r.process.Kill()
		case c := <-changes:
			switch {
			case c.err == nil && c.status.Stays:
				if kill != nil || r.handOver(c) != nil { // it was told to end, or cannot be told as what it is
					r.process.Kill()
				}
			case c.err != nil || c.status.Ended():
				return r.finish(c)
			case c.status.Stopped != 0 && r.follows(c.status.Stopped):
				r.suspend(c.status.Stopped)
			}
		}
	}
}

// killGrace is how long a command may tidy up after SIGTERM. Clients that time out wait about
// as long before they kill us.
const killGrace = 2 * time.Second

func (r *run) deadline() <-chan time.Time {
	if r.timeout() <= 0 {
		return nil
	}
	return time.After(r.timeout())
}

// A change is what the kernel said about the command.
type change struct {
	status sandbox.Status
	err    error
}

// reap passes on every change of the command up to its end.
func (r *run) reap(changes chan<- change) {
	for {
		s, err := r.process.Next()
		changes <- change{s, err}
		if err != nil || s.Ended() && !s.Stays {
			return
		}
	}
}

// follows reports whether our own job stops with the command: when a person stopped it, from
// its terminal or by stopping us. A command that stops itself must not freeze its caller,
// which may be a program that nobody continues.
func (r *run) follows(sig syscall.Signal) bool {
	asked := r.stopping
	r.stopping = false
	if r.Request.Keep != nil { // who was called stops by itself
		return false
	}
	return asked || r.terminal.HasTerminal() && sig != syscall.SIGSTOP
}

// suspend follows the command into a stop, as a shell expects it of a job, and continues it
// when the job is continued.
func (r *run) suspend(sig syscall.Signal) {
	_ = r.recorder.Signal(audit.AuthorTada, "STOP")
	if err := r.terminal.Suspend(sig); err == nil {
		_ = r.recorder.Signal(audit.AuthorTada, "CONT")
	}
	_ = r.process.SignalGroup(syscall.SIGCONT)
}

// drainLimit is how long the last bytes may take once no process is left that could write
// more: only a caller that does not read makes it longer than an instant.
const drainLimit = 30 * time.Second

// finish drains the output, closes the transcript and records the end. A problem with the
// record is the run's failure even when the command itself went well.
func (r *run) finish(c change) (Outcome, error) {
	defer r.log.Close()
	ctx, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	problem := errors.Join(c.err, r.terminal.Ended(ctx))
	r.desk.close()
	r.doorway.close()
	r.missed(os.Stderr, c.status)
	out := r.outcome(c.status)
	defer r.desk.end(out.Status, out.Signal) // whoever is told that it is over finds the end on record
	told := findings{limits: r.reached(os.Stderr, c.status), behind: r.leftBehind(os.Stderr, c.status), refused: r.teach(os.Stderr, c.status), git: r.takeBack(os.Stderr), later: r.leftLater(os.Stderr),
		swapped: r.swappedSince(), traffic: r.traffic(os.Stderr, c.status)}
	recordErr := errors.Join(r.unheard, r.brokeOff(), r.wrote(), r.recorder.Exit(strconv.Itoa(out.Status)))
	sum, err := r.recorder.Close()
	swept := r.swept
	if swept == nil {
		swept = r.sweep(os.Stderr)
	}
	told.tampered = swept != nil
	recordErr = errors.Join(recordErr, err, swept)
	recordErr = errors.Join(recordErr,
		r.record(audit.KindClose, vouch(sum), audit.Lazy),
		r.record(kindEnd, r.ended(out, c.status, told, problem), audit.Lazy))
	recordErr = errors.Join(recordErr, r.finishApproval("status "+strconv.Itoa(out.Status)))
	if r.log.Unsealed() >= sealAtLast {
		r.seal()
	}
	r.l.packLater(sum.Bytes)
	if err := errors.Join(problem, recordErr); err != nil {
		return out, &AfterError{Status: out.Status, Err: err}
	}
	return out, nil
}

// outcome is what the caller gets. A time limit that ended only what the command had left running is none of the command's.
func (r *run) outcome(s sandbox.Status) Outcome {
	out := Outcome{Session: r.id, Envelope: r.envelope, Status: s.Shell(), Signal: int(s.Signal)}
	if r.timedOut && !r.stay.isOver() {
		out.Signal, out.Status = 0, timedOutStatus
	}
	return out
}

// timedOutStatus is what timeout(1) exits with.
const timedOutStatus = 124

// close lets go of what the run holds. The judgement may be another one than at the start:
// it is made anew when an approval is used.
func (r *run) close() {
	_ = r.wrote()
	_ = r.Judgement.Close()
	_ = r.log.Close()
	if r.script != nil {
		r.script.Close()
	}
}
