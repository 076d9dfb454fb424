package launcher

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/broker/network"
)

// ask answers for one connection. It returns when there is an answer, or ctx has ended.
func (w *wants) ask(ctx context.Context, c network.Want) network.Word {
	select {
	case <-w.ready:
	case <-ctx.Done():
		return network.Word{Why: "its caller is gone"}
	}
	w.asking.Lock()
	defer w.asking.Unlock()
	if w.isProxy(c) {
		c.Leads = strings.TrimSuffix("a proxy, which may connect anywhere; "+c.Leads, "; ")
	}
	key := wanted{identity(c.Program), c.Text(), c.Leads}
	last, ok := w.said[key]
	if ok && last.isFor(w.l.state.Now(), c.Six) {
		if last.lasts == forOne {
			delete(w.said, key)
		}
		return last.Word
	}
	word, lasts, err := w.answer(ctx, c)
	if err != nil {
		word = network.Word{Why: "no question could be asked: " + err.Error()}
	}
	if last.Question != "" && word.Question == "" {
		w.settled(last.Question)
	}
	if word.Question != "" {
		lasts = forNow
	}
	if ctx.Err() == nil {
		w.said[key] = said{word, lasts, w.l.state.Now(), c.Six}
	}
	return word
}

// isProxy reports whether the caller's environment names the host as a proxy.
func (w *wants) isProxy(c network.Want) bool {
	return slices.ContainsFunc(proxiesOf(w.j.environ.vars), func(proxy string) bool {
		for _, loopback := range []string{"127.0.0.1:", "[::1]:"} {
			if port, is := strings.CutPrefix(proxy, loopback); is {
				proxy = "localhost:" + port
			}
		}
		return proxy == c.Text()
	})
}

// answer finds the answer in a grant, by an approval, or by asking.
func (w *wants) answer(ctx context.Context,
	c network.Want) (word network.Word, lasts lasting, err error) {
	if err := w.l.Ready(); err != nil {
		return word, forRun, err
	}
	log, err := w.l.OpenLog()
	if err != nil {
		return word, forRun, err
	}
	defer log.Close()
	r, err := w.request(c)
	if err != nil {
		return word, forRun, err
	}
	if ok, err := w.l.GrantedConnection(ctx, log, r); ok || err != nil {
		return network.Word{OK: ok}, forRun, err
	}
	e, err := w.l.AskConnection(ctx, log, r)
	var refused *approval.Refused
	switch {
	case errors.As(err, &refused):
		return network.Word{Why: w.refusal(refused)}, forRun, nil
	case err != nil:
		return word, forRun, err
	case e.Approved():
		word, err = w.use(ctx, log, r, e)
	case w.asksHere():
		return w.atTerminal(ctx, log, r, c, e)
	default:
		word, err = w.elsewhere(ctx, log, r, c, e)
	}
	return word, forRun, err
}
