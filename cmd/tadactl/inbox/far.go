package inbox

import (
	"bytes"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/integration/distant"
	"github.com/tada-run/tada-run/launcher/notice"
)

// listenFar waits for what other machines ask.
func (f far) listenFar() tea.Msg {
	if f.lists == nil {
		return nil
	}
	list, open := <-f.lists
	if !open {
		return nil
	}
	return farListed{list}
}

// ids are the questions in the order of the list, the machine's own first.
func (b *board) ids() (ids []string) {
	for _, e := range b.list {
		ids = append(ids, e.ID)
	}
	for _, q := range b.there.Questions {
		ids = append(ids, q.ID())
	}
	return ids
}

// answerFar hands the terminal to tada-fleet, which shows the question at that place of the list.
func (b *board) answerFar(i int) tea.Cmd {
	q := b.there.Questions[i-len(b.list)]
	cmd, err := b.fleet.Ask(b.ctx, q)
	if err != nil {
		b.note = err.Error()
		return nil
	}
	var out, bad bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &bad
	return tea.ExecProcess(cmd, func(ended error) tea.Msg {
		said, err := distant.Said(ended, out.Bytes(), bad.Bytes())
		return farAnswered{fmt.Sprintf("%s: %s", q.ID(), said), err}
	})
}

// answered shows what became of an answer to a far question.
func (b *board) answered(a farAnswered) {
	if b.note = a.said; a.err != nil {
		b.note = "no answer: " + a.err.Error()
	}
}

// farRows are the rows of the questions of other machines.
func (b *board) farRows() (each [][]string) {
	for _, q := range b.there.Questions {
		mark := "  "
		if q.ID() == b.at {
			mark = "> "
		}
		page := render.Render(q.Payload, render.Options{})
		head := fmt.Sprintf("%sR%d  %4s  on %s (%s)  ", mark, page.Friction.Level,
			age(q.Expires.Sub(b.now()))+" left", render.Quote(q.Machine, notice.UTF8()), q.Labels)
		each = append(each, folded(head+Short(q.Payload, max(b.width-len(head)-20, 40)), b.width))
	}
	return each
}

// awayRows say which questions cannot be seen now.
func (b *board) awayRows() (rows []string) {
	if b.away != nil {
		rows = append(rows, Fit("  this machine: not up to date: "+
			render.Inert(b.away.Error()), b.width))
	}
	if b.there.Away != nil {
		rows = append(rows, Fit("  other machines: not known now: "+
			render.Inert(b.there.Away.Error()), b.width))
	}
	return rows
}
