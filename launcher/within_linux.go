package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/launcher/state"
)

func newRequestServer(r *started, p *control.Pair) *requestServer {
	d := &requestServer{r: r}
	d.Requests = control.NewRequests(p, d.handle)
	return d
}

// close ends all conversations, and returns when their ends are on record. The last line may have
// been let go a moment ago: that it has to end is noted after the answer.
func (d *requestServer) close() {
	d.Stop()
	d.told(nil)
	d.Close()
}

// handle answers one question.
func (d *requestServer) handle(ctx context.Context, q control.Question, asker control.Asker,
	answer func(control.Reply)) {
	req := d.request(q)
	switch {
	case q.Hook:
		answer(control.Reply{Run: d.r.l.leaves()})
	case q.Check:
		answer(d.check(req))
	case q.Line && d.again(q):
		answer(control.Reply{Run: true})
	default:
		if err := d.carry(ctx, req, q, asker, answer); err != nil {
			answer(control.Reply{Exit: ExitOf(err), Error: err.Error()})
		}
	}
}

// request is what was asked, as a request of the session's user. Nothing in it is trusted with more
// than a command line is.
func (d *requestServer) request(q control.Question) Request {
	req := Request{
		Shell: shell.Call{
			Text: q.Text, Words: q.Words, Flags: q.Flags, Name: q.Name, Args: q.Args,
			Script: q.Script, Stdin: q.Stdin,
			Dialect: dialectOf(q.Dialect),
		},
		Env: q.Env, Dir: q.Dir, Agent: q.Agent, WorkItem: q.WorkItem, CallID: q.CallID,
		Profile: d.r.Request.Profile, Wait: time.Duration(q.Wait) * time.Millisecond,
		Within: &Within{Session: d.r.id, Stdin: q.Kind, Line: q.Line},
	}
	if q.Profile == profileCI {
		req.Profile = profileCI // it can only make it stricter
	}
	if req.Agent == "" {
		req.Agent = d.r.Request.Agent
	}
	if req.WorkItem == "" { // part of the work that the session is for
		req.WorkItem = d.r.Request.WorkItem
	}
	return req
}

// leaves reports whether a platform's hook inside may leave its calls to the session: not if a
// quarantine was ever begun, because inside the sandbox it is not known which agent is in it.
func (l *Launcher) leaves() bool {
	_, err := os.Lstat(l.state.Quarantine())
	return errors.Is(err, fs.ErrNotExist)
}

func (d *requestServer) check(req Request) control.Reply {
	j, err := d.r.l.Judge(req)
	if err != nil {
		return control.Reply{Exit: ExitOf(err), Error: err.Error()}
	}
	defer j.Close()
	report := j.Report("")
	return control.Reply{Report: json.RawMessage(report.JSON()), Exit: report.Status()}
}

// again reports whether a line is a further piece of the one that was let go last: what is pasted
// in several lines is one line of the shell's history, and is asked about at each piece.
func (d *requestServer) again(q control.Question) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return q.Text == d.line && q.Entry == d.entry && strings.Contains(q.Text, "\n") &&
		d.ended != nil
}

// carry judges, records and asks as for any command line. An allowed command runs in the existing
// sandbox, in the process that asked or in its shell.
func (d *requestServer) carry(ctx context.Context, req Request, q control.Question,
	asker control.Asker, answer func(control.Reply)) error {
	if q.Line {
		d.told(nil)
	}
	l := d.r.l
	told := marker{d: d}
	req.Ask = told.question
	j, err := l.Judge(req)
	if err != nil {
		return err
	}
	r, err := l.announce(j, nil)
	if err != nil {
		_ = j.Close()
		return err
	}
	told.r = r
	if said, status := r.misspelt(ctx); status != 0 {
		r.close()
		answer(control.Reply{Session: r.id, Exit: status, Line: strings.TrimSuffix(said, "\n")})
		return nil
	}
	p, refusal, err := r.permitted(ctx, l.permit)
	if refusal == nil && err == nil {
		err = p.unswapped()
	}
	if swapped := (*swappedError)(nil); errors.As(err, &swapped) {
		refusal, err = p.swappedRefusal(swapped), nil
		r.used = p.Authority
	}
	told.settled(refusal)
	if refusal != nil || err != nil {
		err = errors.Join(err, told.refused(refusal))
		r.refused(refusal)
		r.close()
		if refusal != nil {
			answer(control.Reply{Session: r.id, Exit: refusal.Exit, Line: refusal.Line(),
				Refusal: json.RawMessage(refusal.JSON())})
		}
		return err
	}
	if err := told.runs(p.Authority); err != nil {
		r.close()
		return err
	}
	if err := r.record(record.KindStart, object{
		"within": d.r.id, "pid": asker.PID, "launcher": state.Process(),
		"level":     d.r.receipt.Level.String(),
		"authority": p.Kind(), "envelope_id": p.Envelope, "grant_id": p.Grant,
	}, audit.Lazy); err != nil {
		r.close()
		return err
	}
	// before it may run: what it changes is its own
	if q.Line {
		d.r.kept.Begins(p.id, nil)
	} else {
		d.r.kept.Begins(p.id, &asker)
	}
	answer(p.letGo())
	end := func(status *int) { p.endWithin(status, d.r.kept.Ends(p.id)) }
	if q.Line {
		d.mu.Lock()
		d.line, d.entry, d.ended = q.Text, q.Entry, end
		d.mu.Unlock()
		return nil
	}
	end(asker.Wait(d.Requests))
	return nil
}

// letGo tells the process that asked inside that it may run the command: that process starts it.
func (p permitted) letGo() control.Reply {
	return control.Reply{Run: true, Session: p.id, Text: p.Script.Canonical}
}

// told records the end of the last line of the shell, with the status that the shell reported.
func (d *requestServer) told(status *int) {
	d.mu.Lock()
	ended := d.ended
	d.line, d.ended = "", nil
	d.mu.Unlock()
	if ended != nil {
		d.Go(func() { ended(status) }) // the process that reports it may be showing output
	}
}

// endWithin records the end of what ran inside, and what it changed. The status is nil if no
// process could report it.
func (p permitted) endWithin(status *int, changed past.RunChanges) {
	defer p.close()
	o := object{"within": p.Request.Within.Session, "exited": status != nil,
		"duration_us": time.Since(p.began).Microseconds()}
	if status != nil {
		o["status"] = *status
	}
	changed.AddTo(o)
	_ = p.record(record.KindEnd, o, audit.Lazy)
	what := "it ran inside a session and its status was not reported"
	if status != nil {
		what = "status " + strconv.Itoa(*status)
	}
	_ = p.Finish(p.l.Approvals, p.log, what)
}
