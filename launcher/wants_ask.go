package launcher

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/session"
)

// The keys of the answers beside y, for this run, and n.
const (
	keyOnce      = 'o'
	keyWorkspace = 'w'
	keyAlways    = 'a'
)

const connectHint = "o: once  w: this workspace  a: always"

// atTerminal asks the person at the terminal of the command, which is stopped until the answer.
func (w *wants) atTerminal(ctx context.Context, log *audit.Log, r approval.Request, c network.Want,
	e approval.Envelope) (word network.Word, lasts lasting, err error) {
	var reply session.Reply
	began := time.Now()
	w.terminal.Aside(func() { reply, err = w.put(ctx, c, e) })
	took := time.Since(began)
	interrupted := (*session.Interrupted)(nil)
	switch {
	case errors.Is(err, session.ErrBackground):
		word, err = w.elsewhere(ctx, log, r, c, e)
		return word, forRun, err
	case err != nil || reply.Answer == session.Cancelled:
		if reply.Key == ctrlC {
			w.interrupt()
		}
		if errors.As(err, &interrupted) || ctx.Err() != nil || errors.Is(err, session.ErrHangup) {
			err = nil
		}
		why := network.Word{Why: "the question was left without an answer"}
		store, cancel := permit.StoreContext()
		defer cancel()
		return why, forNow, errors.Join(err,
			w.l.CancelConnection(store, log, e.ID, "the question was left without an answer"))
	}
	d := permit.Answer(e, reply.Answer != session.Denied, "", string(approval.ChannelPrompt))
	d.Paged, d.Took = true, took
	if reply.Answer == session.Denied {
		return network.Word{Why: past.DeniedByUser}, forRun, w.l.Decide(ctx, d)
	}
	scope := map[rune]permit.Scope{keyWorkspace: permit.ThisWorkspace,
		keyAlways: permit.Everywhere}[reply.Key]
	if _, err := w.l.DecideConnection(ctx, d, scope); err != nil {
		return word, forRun, err
	}
	if scope != permit.ThisRun {
		ok, err := w.l.GrantedConnection(ctx, log, r)
		return network.Word{OK: ok, Why: "its grant cannot be used"}, forRun, err
	}
	word, err = w.use(ctx, log, r, e)
	if reply.Key == keyOnce {
		return word, forOne, err
	}
	return word, forRun, err
}

// ctrlC is the key, as a terminal without line mode gives it.
const ctrlC = 0x03

// put shows the question and waits for a key.
func (w *wants) put(ctx context.Context, c network.Want,
	e approval.Envelope) (session.Reply, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return session.Reply{}, session.ErrBackground
	}
	defer tty.Close()
	_, _ = tty.WriteString("\r\n")
	options := session.AskOptions{Guard: max(e.ReadingTime(), session.DefaultGuard),
		Others: []rune{keyOnce}, Hint: connectHint}
	if len(approval.Grantable(e.Payload)) > 0 || w.j.Plan.Workspace == "" {
		options.Hint = "o: once"
	} else {
		options.Others = append(options.Others, keyWorkspace, keyAlways)
	}
	return session.Ask(ctx, tty, func(_ int, full bool) string { return w.page(c, full) }, options)
}
