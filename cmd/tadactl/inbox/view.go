package inbox

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/notice"
)

// View draws the board on the alternate screen.
func (b *board) View() tea.View {
	v := tea.NewView(strings.Join(b.rows(), "\n"))
	v.AltScreen = true
	return v
}

// rows are the lines of the screen, no more than it has.
func (b *board) rows() []string {
	if b.width == 0 || !b.known {
		return nil
	}
	var rows []string
	switch {
	case b.mode == choosing, b.mode == refusing && b.flock != nil:
		rows = b.listRows()
	case b.mode == remembering:
		rows = b.standingRows()
	default:
		rows = append(rows, b.text[b.top:min(b.top+b.body(), len(b.text))]...)
	}
	for len(rows) < b.height-1 {
		rows = append(rows, "")
	}
	return append(rows[:max(b.height-1, 0)], Fit(b.help(), b.width))
}

func (b *board) listRows() []string {
	ids := b.ids()
	phrase := "«" + b.phrase + "»"
	if !notice.UTF8() {
		phrase = render.Quote(b.phrase, false)
	}
	rows := []string{Fit(fmt.Sprintf("tada-run inbox %s   %d open", phrase, len(ids)), b.width),
		Fit(b.note, b.width)}
	rows = append(rows, b.awayRows()...)
	var each [][]string
	for _, e := range b.list {
		each = append(each, b.entryRows(e))
	}
	each = append(each, b.farRows()...)
	first := max(slices.Index(ids, b.at), 0)
	if room := b.height - 1 - len(rows); first < len(each) {
		for at := first; first > 0 && lines(each[first-1:at+1]) < room; first-- {
			// the selected question stays on the screen
		}
	}
	for _, entry := range each[first:] {
		rows = append(rows, entry...)
	}
	if len(ids) == 0 {
		rows = append(rows, "  no open questions")
	}
	if len(b.runs) > 0 && len(rows)+2+len(b.runs) < b.height {
		rows = append(rows, "", "Changed lately; to take one back: tadactl undo ID")
		for _, run := range b.runs {
			rows = append(rows, Fit("  "+run, b.width))
		}
	}
	return rows
}

func lines(entries [][]string) (n int) {
	for _, rows := range entries {
		n += len(rows)
	}
	return n
}

// entryRows are the rows of one question in the list.
func (b *board) entryRows(e approval.Envelope) []string {
	mark := "  "
	if e.ID == b.at {
		mark = "> "
	}
	agent := render.Quote(e.Agent, notice.UTF8())
	if e.Agent == "" {
		agent = "-"
	}
	head := fmt.Sprintf("%sR%d  %4s  %s  %s", mark, e.Friction.Level, age(b.now().Sub(e.Issued)),
		agent, b.place(e))
	return folded(head+Short(e.Payload, max(b.width-len(head)-20, 40)), b.width)
}

// place says which of several near-identical questions this is, and that one of them was denied
// before.
func (b *board) place(e approval.Envelope) string {
	kin, at := b.kin(e)
	s := ""
	if len(kin) > 1 {
		s = fmt.Sprintf("%d of %d similar  ", at+1, len(kin))
	}
	if e.Refused != "" {
		s += "similar one was denied  "
	}
	return s
}

// standingRows say exactly what a grant covers.
func (b *board) standingRows() []string {
	page := []string{
		"Run exactly this again without asking, at most 5 times, for 1 hour, in this session?", "",
		"  " + Short(b.open.Payload, 4000), "",
		"It applies only to the same command, directory, environment, programs, files, agent " +
			"and work item,",
		"as on the previous page, plan " + plan.Prefix(b.open.PlanHash) +
			". Anything else asks again,",
		"and so does a file or directory that was deleted and created again.",
		"A denial in this session ends it, and so does: tadactl grants revoke.",
	}
	if tool, ok := plan.ForTool(b.open.Payload); ok {
		page = []string{
			"Let this tool run again without asking, at most 5 times, for 1 hour?", "",
			"  " + render.Quote(tool, notice.UTF8()), "",
			"It applies to the tool with any input, from the same agent in the same workspace. " +
				"Commands and files",
			"in the input are still checked, and ask as before.",
			"A denial in this session ends it, and so does: tadactl grants revoke.",
		}
	}
	var rows []string
	for _, line := range page {
		rows = append(rows, folded(line, b.width)...)
	}
	return rows
}

// help is the last row: what keys do now.
func (b *board) help() string {
	left := ""
	if n := len(b.text); b.mode != choosing && n > b.body() {
		left = fmt.Sprintf("lines %d-%d of %d   ", b.top+1, min(b.top+b.body(), n), n)
	}
	switch b.mode {
	case choosing:
		return "up down: choose   enter: read" + b.alikeHelp() + "   q: leave"
	case typing:
		return fmt.Sprintf("type %s to approve, esc: back: %s", b.open.Challenge, string(b.line))
	case coding:
		return fmt.Sprintf("one-time code, esc: back: %s", strings.Repeat("*", len(b.line)))
	case refusing:
		if n := len(b.flock); n > 0 {
			return fmt.Sprintf("message (enter: deny all %d, esc: back): ", n) +
				render.Inert(string(b.line))
		}
		return "message (enter: deny, esc: back): " + render.Inert(string(b.line))
	case offering:
		return "suggest (enter: deny and offer this command, esc: back): " +
			render.Inert(string(b.line))
	case wording:
		return "message for " + render.Quote(b.call, notice.UTF8()) +
			" (enter: keep, esc: back): " + render.Inert(string(b.line))
	case remembering:
		return "y: approve and remember   esc: back"
	}
	if b.note != "" {
		left = b.note + "   " + left
	}
	rest := "   v: details" + b.offerHelp() + "   esc: back"
	switch {
	case b.page.Truncated:
		return left + "v: details first   n: deny" + b.offerHelp() + "   esc: back"
	case !b.read.Done():
		return left + "space: more   n: deny" + rest
	case b.early():
		return left + "read it first   n: deny" + rest
	}
	return left + b.callHelp() + "y: approve   n: deny" + b.grantHelp() + b.choiceHelp() + rest
}

func (b *board) alikeHelp() string {
	if n := len(b.chosenKin()); n > 1 {
		return fmt.Sprintf("   N: deny all %d similar", n)
	}
	return ""
}

func (b *board) offerHelp() string {
	if len(b.open.Calls) == 1 {
		return "   i: deny and suggest"
	}
	return ""
}

func (b *board) grantHelp() string {
	if b.grantable() {
		return "   g: approve for a while"
	}
	return ""
}

func (b *board) choiceHelp() string {
	if len(b.choices) > 0 {
		return "   a: always"
	}
	return ""
}

// callHelp shows which of several calls an approval allows.
func (b *board) callHelp() string {
	if len(b.open.Calls) < 2 {
		return ""
	}
	var s strings.Builder
	for i, id := range b.open.Calls {
		mark := "yes"
		if b.denied[id] {
			mark = "NO"
		}
		fmt.Fprintf(&s, "%d:%s ", i+1, mark)
	}
	s.WriteString("  number: change")
	if b.call != "" {
		s.WriteString("   w: message for " + render.Quote(b.call, notice.UTF8()))
	}
	return s.String() + "   "
}
