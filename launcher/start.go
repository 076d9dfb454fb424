package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/pathguard"
)

// transcript creates the session's cast file.
func (r *run) transcript() (*audit.Recorder, error) {
	cols, rows := r.terminal.Size()
	began := r.began
	most, rate := r.recorded()
	rec, err := audit.Create(r.l.home.Cast(r.id), audit.Header{
		Cols: cols, Rows: rows, Term: r.Plan.Caller.Env["TERM"], Time: began,
		Command: beginning(r.shown), Title: r.id, Wire: r.wire(),
	}, audit.RecordOptions{
		Now: func() time.Duration { return time.Since(began) }, Rand: r.l.random, MaxBytes: most, Rate: rate,
		Checkpoint: func(sum audit.Summary) error { return r.record(audit.KindCheckpoint, vouch(sum), audit.Lazy) },
	})
	if err == nil && r.envelope != "" {
		err = rec.Mark("approved " + r.envelope)
	}
	if err == nil && len(r.Script.Text) > maxCommand {
		err = rec.Stdin(audit.AuthorTada, []byte(r.Script.Text)) // in full, in as many events as it takes
	}
	if err != nil {
		return nil, &RecordError{Kind: "transcript", Err: err}
	}
	return rec, nil
}

// wire says what the command's output is written to. A session whose output goes to a pipe
// and to a terminal as well has no one answer.
func (r *run) wire() string {
	if r.terminal.TTY() < 0 {
		return audit.TagPipe
	}
	if kindOf(r.terminal.ChildFiles()[1]) == "terminal" {
		return audit.TagTerminal
	}
	return ""
}

// command is what the fence starts: the real shell with the canonical text, or, for words,
// the very program that was judged.
func (r *run) command() (sandbox.Command, error) {
	if r.Plan.DirFile() == nil { // without one it would run where this process is, which is not what was judged
		return sandbox.Command{}, fmt.Errorf("the directory %q is gone or cannot be opened; run it in another one", r.Request.Dir)
	}
	files := r.terminal.ChildFiles()
	c := sandbox.Command{Env: r.client.environment(r.environ.Kept), Dir: r.Plan.DirFile(), Files: files[:]}
	if tty := r.terminal.TTY(); tty >= 0 {
		c.TTY, c.HasTTY = tty, true
	}
	if r.doorway != nil {
		c.Door = r.doorway.theirs
		c.Files = append(c.Files, r.doorway.theirs)
		c.Env = append(slices.DeleteFunc(slices.Clone(c.Env), func(kv string) bool { return strings.HasPrefix(kv, outsideName+"=") }), fmt.Sprintf("%s=%d", outsideName, len(c.Files)-1))
	}
	s := r.Request.Shell
	if h := r.Request.Hold; h != nil && h.Shell {
		script, err := scriptFile(gateScript(h.Door))
		if err != nil {
			return c, err
		}
		r.script = script
		c.Files = append(c.Files, script)
		c.Path, c.Argv = r.shell, []string{"bash", "--rcfile", fmt.Sprintf("/dev/fd/%d", len(c.Files)-1), "-i"}
		return c, nil
	}
	if words := s.words(r.shell); words != nil && len(r.Plan.Programs) > 0 && r.Plan.Programs[0].Name == words[0] && r.Plan.Programs[0].File() != nil {
		c.Argv, c.Path, c.Exe = words, r.Plan.Programs[0].Path, r.Plan.Programs[0].File()
		return c, nil
	} // else a word that the shell itself answers to, or nobody: the shell says which
	options, text := s.apart(r.Script.Canonical)
	c.Path, c.Argv = r.shell, s.argv(r.shell, options, text)
	if s.Stdin || len(text) >= maxArgument {
		script, err := scriptFile(text)
		if err != nil {
			return c, err
		}
		r.script = script
		if s.Stdin {
			c.Files[0] = script
		} else {
			for _, fd := range r.Request.Files { // whose numbers are taken
				c.Files = append(c.Files, make([]*os.File, max(0, min(fd, maxInherited)+1-len(c.Files)))...)
			}
			c.Argv = s.argv(r.shell, options, fmt.Sprintf(". /dev/fd/%d", len(c.Files)))
			c.Files = append(c.Files, script)
		}
	}
	return c, nil
}

// maxArgument is the longest argument that execve(2) takes (MAX_ARG_STRLEN), with its NUL.
const maxArgument = 128 << 10

// refused ends a run that was not permitted, with the refusal in the record.
func (r *run) refused(f *Refusal) Outcome {
	defer r.log.Close()
	if f == nil { // the store of approvals failed, not the command
		_ = r.record(kindFailed, object{"error": "no one could be asked", "plan_hash": r.Hash()}, audit.Lazy)
		return Outcome{}
	}
	if r.log.SealDue() {
		defer r.seal() // whoever is refused has no command to wait for
	}
	_ = r.finishApproval("it was refused")
	_ = r.record(kindDenied, object{"code": f.Code, "status": f.Status, "envelope_id": f.Envelope, "plan_hash": r.Hash()}, audit.Lazy)
	return Outcome{Session: r.id, Envelope: f.Envelope, Status: f.exit, Refusal: f}
}

// failed ends a run that was permitted and could not be started. A program that is missing
// is not a failure of tada-run: it is told as a shell tells it.
func (r *run) failed(err error) (Outcome, error) {
	err = r.l.unfenced(err)
	defer r.log.Close()
	if r.recorder != nil {
		_, _ = r.recorder.Close()
	}
	if r.begun != nil {
		r.cancel()
	} else if r.terminal != nil {
		_ = r.terminal.Ended(context.Background()) // nothing was relayed: it only lets go
	}
	recordErr := r.record(kindFailed, object{"error": err.Error(), "plan_hash": r.Hash()}, audit.Lazy)
	recordErr = errors.Join(recordErr, r.finishApproval("it could not be started"))
	if swapped := (*swappedError)(nil); errors.As(err, &swapped) {
		f := swapped.refusal()
		return Outcome{Session: r.id, Envelope: r.envelope, Status: f.exit, Refusal: f}, recordErr
	}
	var exec *sandbox.ExecError
	if errors.As(err, &exec) && exec.Path == r.shell {
		return Outcome{Session: r.id, Envelope: r.envelope, Status: exec.ExitStatus(), Refusal: shellless(exec)}, recordErr
	}
	if exec != nil {
		fmt.Fprintf(os.Stderr, "tada-run: %v\n", err)
		return Outcome{Session: r.id, Status: exec.ExitStatus()}, recordErr
	}
	return Outcome{Session: r.id}, errors.Join(err, recordErr)
}

// shellless tells that the shell could not be executed in the sandbox: a program that is missing is the command's own affair,
// a shell that is withheld is not.
func shellless(err *sandbox.ExecError) *Refusal {
	f := refuse(pathguard.Verdict{}, "denied", "no_shell",
		fmt.Sprintf("the sandbox cannot execute the shell %q (%v), so nothing ran; try: tadactl policy check, tadactl doctor", err.Path, err.Err), err.ExitStatus())
	f.Items = append(f.Items, RefusedItem{ID: firstCall, Decision: f.Status, Message: f.Message})
	return f
}

// forward passes a signal of the launcher on to whoever would have had it.
func (r *run) forward(sig os.Signal) {
	if sig == syscall.SIGCONT && !session.Stopped(r.process.Pid()) {
		return
	}
	_ = r.recorder.Signal(audit.AuthorTada, strings.ToUpper(sig.String()))
	switch s, ok := sig.(syscall.Signal); {
	case !ok:
	case session.Forward(sig) == session.Leader:
		_ = r.process.Signal(s)
	case session.Forward(sig) == session.Group:
		_ = r.process.SignalGroup(s)
	}
}

// scriptFile holds text too long to be an argument, or that the shell must read as its input,
// in anonymous memory: it has no name under which it could be changed.
func scriptFile(text string) (*os.File, error) {
	fd, err := memfd("script")
	if err != nil {
		return nil, fmt.Errorf("hold the script in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "script")
	if _, err := f.WriteString(text); err == nil {
		_, err = f.Seek(0, 0)
		if err == nil {
			return f, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("hold the script in memory: %w", err)
}
