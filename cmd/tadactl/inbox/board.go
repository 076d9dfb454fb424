package inbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/permit"
)

// Keys that approve count only when the page has been on the screen for at least the time that any
// reader needs; the page about a grant, for guard. And only alone, because a paste is not a
// decision.
const (
	guard = 400 * time.Millisecond
	alone = 60 * time.Millisecond
)

// Init starts to listen for questions, and to count the seconds that they wait.
func (b *board) Init() tea.Cmd { return tea.Batch(b.listen, b.listenFar, tick()) }

func tick() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return ticked{} }) }

// listen waits for a change and reads the questions.
func (b *board) listen() tea.Msg {
	if _, open := <-b.changes; !open {
		return nil
	}
	full, err := Unanswered(b.ctx, b.desk)
	if err != nil && !errors.Is(err, approval.ErrOffline) {
		return broken{err}
	}
	return listed{approval.Grouped(full), err}
}

// look reads what was changed lately, beside the questions: the record can be long.
func (b *board) look() tea.Msg {
	if b.latest == nil {
		return nil
	}
	return looked{b.latest()}
}

// Unanswered are the questions without an answer, with payload.
func Unanswered(ctx context.Context, d Desk) (full []approval.Envelope, err error) {
	list, err := d.Pending(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.Decision != nil {
			continue
		}
		if e, err := d.Envelope(ctx, e.ID); err == nil {
			full = append(full, e)
		}
	}
	return full, nil
}

// Update handles one event.
func (b *board) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		b.width, b.height = msg.Width, msg.Height
		b.lay()
	case broken:
		b.failed = msg.err
		return b, tea.Quit
	case listed:
		more := b.known && len(msg.list) > len(b.list)
		b.known, b.away = true, msg.away
		if msg.away == nil {
			b.take(msg.list)
		}
		if more {
			return b, tea.Batch(b.listen, b.look, tea.Raw("\a"))
		}
		return b, tea.Batch(b.listen, b.look)
	case looked:
		b.runs = msg.runs
	case farListed:
		more := len(msg.Questions) > len(b.there.Questions)
		b.there = msg.List
		b.take(b.list)
		if more {
			return b, tea.Batch(b.listenFar, tea.Raw("\a"))
		}
		return b, b.listenFar
	case farAnswered:
		b.answered(msg)
	case ticked:
		b.take(slices.DeleteFunc(slices.Clone(b.list),
			func(e approval.Envelope) bool { return !b.now().Before(e.Expires) }))
		return b, tick()
	case settled:
		if msg.keys == b.keys {
			return b, b.approve()
		}
	case tea.KeyPressMsg:
		b.keys++
		now := b.now()
		b.burst, b.last = now.Sub(b.last) < alone, now
		return b, b.press(msg.Key())
	}
	return b, nil
}

// take replaces the list and keeps the selection. A question that was answered elsewhere is closed.
func (b *board) take(list []approval.Envelope) {
	b.list = list
	has := func(id string) bool {
		return slices.ContainsFunc(list, func(e approval.Envelope) bool { return e.ID == id })
	}
	if b.mode != choosing && !has(b.open.ID) {
		b.back("it was answered elsewhere or has expired")
	}
	if ids := b.ids(); !slices.Contains(ids, b.at) && len(ids) > 0 {
		b.at = ids[0]
	}
}

// press handles one key.
func (b *board) press(k tea.Key) tea.Cmd {
	if k.Mod.Contains(tea.ModCtrl) && (k.Code == 'c' || k.Code == 'd') {
		return tea.Quit
	}
	switch b.mode {
	case choosing:
		return b.choose(k)
	case reading:
		return b.turn(k)
	case remembering:
		return b.confirm(k)
	}
	return b.enter(k)
}

func (b *board) choose(k tea.Key) tea.Cmd {
	ids := b.ids()
	i := slices.Index(ids, b.at)
	switch {
	case k.Text == "q", k.Code == tea.KeyEscape:
		return tea.Quit
	case i < 0:
	case k.Code == tea.KeyUp, k.Text == "k":
		b.at = ids[max(i-1, 0)]
	case k.Code == tea.KeyDown, k.Text == "j":
		b.at = ids[min(i+1, len(ids)-1)]
	case k.Text == "N" && len(b.chosenKin()) > 1:
		b.flock = b.chosenKin()
		b.open, b.mode, b.line = b.flock[0], refusing, nil
	case k.Code != tea.KeyEnter && k.Code != tea.KeySpace && k.Code != tea.KeyRight:
	case i >= len(b.list):
		return b.answerFar(i)
	default:
		b.flock = nil
		b.open, b.mode, b.top, b.note = b.list[i], reading, 0, ""
		b.shown, b.denied, b.words, b.call = b.now(), map[string]bool{}, map[string]string{}, ""
		b.text, b.full = nil, false
		b.offer()
		b.lay()
		b.since, b.least = b.shown, b.open.ReadingTime()
	}
	return nil
}

// lay lays out the open question for the current size of the screen. What was read counts as long
// as the lines are the same.
func (b *board) lay() {
	if b.mode == choosing || b.width == 0 {
		return
	}
	page := render.Render(b.open.Payload, render.Options{Width: b.width - 1, Full: b.full,
		Plain: b.leaf.look.Plain, Phrase: b.phrase})
	rows := b.leaf.look.Rows(page)
	if after := b.open.After(); after != "" {
		rows = append(rows, Fit(after, b.width))
	}
	rows = append(rows, b.choiceRows()...)
	if b.page = page; !slices.Equal(rows, b.text) {
		b.text, b.top, b.read = rows, 0, render.NewReading(len(rows))
	}
	b.scroll(0)
}

// body returns how many rows the page has.
func (b *board) body() int { return max(b.height-2, 1) }

func (b *board) scroll(by int) {
	b.top = max(0, min(b.top+by, len(b.text)-b.body()))
	b.read.Show(b.top, b.top+b.body())
}

func (b *board) turn(k tea.Key) tea.Cmd {
	switch {
	case k.Code == tea.KeyEscape, k.Code == tea.KeyLeft, k.Text == "q":
		b.back("")
	case k.Code == tea.KeySpace, k.Code == tea.KeyPgDown:
		b.scroll(b.body())
	case k.Code == tea.KeyPgUp:
		b.scroll(-b.body())
	case k.Code == tea.KeyDown, k.Text == "j":
		b.scroll(1)
	case k.Code == tea.KeyUp, k.Text == "k":
		b.scroll(-1)
	case len(k.Text) == 1 && k.Text >= "1" && k.Text <= "9":
		b.toggle(int(k.Text[0] - '1'))
	case k.Text == "v":
		b.full = !b.full
		b.lay()
	case k.Text == "a" && len(b.choices) > 0:
		b.next()
	case k.Text == "n":
		b.mode, b.line = refusing, nil
	case k.Text == "i" && len(b.open.Calls) == 1:
		b.mode, b.line = offering, nil
	case k.Text == "w" && b.call != "":
		b.mode, b.line = wording, []rune(b.words[b.call])
	case k.Text == "g" && b.ready() && b.grantable():
		b.mode, b.since, b.least = remembering, b.now(), guard
	case k.Text == "y" && b.ready() && b.open.Challenge != "":
		b.mode, b.line = typing, nil
	case k.Text == "y" && b.ready():
		return b.settle()
	case k.Text == "y" && b.early():
		b.note = "too early to have been read; ignored"
	}
	return nil
}

// next selects the next choice, and after the last one none.
func (b *board) next() {
	b.choice = (b.choice + 1) % (len(b.choices) + 1)
	b.lay()
	b.scroll(len(b.text))
}

// ready reports whether the key that came may approve the page.
func (b *board) ready() bool { return !b.burst && b.whole() && !b.early() }

// whole reports whether all that an approval is about was on the screen.
func (b *board) whole() bool { return b.read.Done() && !b.page.Truncated }

func (b *board) early() bool { return b.now().Sub(b.since) < b.least }

func (b *board) grantable() bool {
	return b.open.Challenge == "" && b.open.Quorum < 2 &&
		len(approval.Grantable(b.open.Payload)) == 0
}

// settle lets an approval count if no other key follows at once.
func (b *board) settle() tea.Cmd {
	keys := b.keys
	return tea.Tick(alone, func(time.Time) tea.Msg { return settled{keys} })
}

// toggle denies one of several calls, or allows it again.
func (b *board) toggle(i int) {
	if len(b.open.Calls) < 2 || i >= len(b.open.Calls) {
		return
	}
	id := b.open.Calls[i]
	if b.denied[id] = !b.denied[id]; b.denied[id] {
		b.call = id
		return
	}
	delete(b.words, id)
	if b.call == id {
		b.call = ""
	}
}

func (b *board) confirm(k tea.Key) tea.Cmd {
	switch {
	case k.Text == "y" && b.ready():
		return b.settle()
	case k.Code == tea.KeyEscape, k.Text == "n", k.Text == "q":
		b.mode = reading
	}
	return nil
}

// enter handles a key while text is typed. Enter ends only the text of a denial; challenge and code
// end with their last character.
func (b *board) enter(k tea.Key) tea.Cmd {
	switch {
	case k.Code == tea.KeyEscape && b.flock != nil:
		b.back("")
	case k.Code == tea.KeyEscape:
		b.mode, b.line = reading, nil
	case k.Code == tea.KeyBackspace:
		b.line = b.line[:max(0, len(b.line)-1)]
	case k.Code == tea.KeyEnter && b.mode == refusing && b.flock != nil:
		b.denyAll(string(b.line))
	case k.Code == tea.KeyEnter && b.mode == refusing:
		return b.decide(permit.Answer(b.open, false, string(b.line), "inbox"), "denied")
	case k.Code == tea.KeyEnter && b.mode == offering:
		if strings.TrimSpace(string(b.line)) != "" {
			d := permit.Answer(b.open, false, "", "inbox")
			d.Calls[0].Instead = string(b.line)
			return b.decide(d, "denied, with a suggestion:")
		}
	case k.Code == tea.KeyEnter && b.mode == wording:
		b.words[b.call] = string(b.line)
		b.mode, b.line = reading, nil
	case k.Text != "" && len(b.line) < approval.MaxMessage:
		b.line = append(b.line, []rune(k.Text)...)
	}
	switch {
	case b.mode == typing && len(b.line) >= len(b.open.Challenge):
		return b.typed()
	case b.mode == coding && len(b.line) >= codeDigits:
		return b.approve()
	}
	return nil
}

// codeDigits is how long a one-time code is (RFC 6238 as authenticators have it).
const codeDigits = 6

// typed compares what was typed with what was asked for.
func (b *board) typed() tea.Cmd {
	if !strings.EqualFold(string(b.line), b.open.Challenge) {
		b.mode, b.line, b.note = reading, nil, "that did not match"
		return nil
	}
	b.line = nil
	if b.open.Friction.Factor && b.open.Quorum < 2 {
		b.mode = coding
		return nil
	}
	return b.approve()
}

// approve approves, once the keys are sufficient.
func (b *board) approve() tea.Cmd {
	d := permit.Answer(b.open, true, "", "inbox")
	d.Paged, d.Took = b.whole(), b.now().Sub(b.shown)
	for i, c := range d.Calls {
		if b.denied[c.ID] {
			d.Calls[i].Approved, d.Calls[i].Message = false, b.words[c.ID]
		}
	}
	switch {
	case b.mode == remembering:
		_, err := b.desk.DecideStanding(b.ctx, d, approval.GrantRequest{})
		b.told(err, "approved, and the same plan for an hour")
		return nil
	case b.mode == coding:
		d.Code = string(b.line)
	case b.mode != reading && b.mode != typing:
		return nil
	}
	if !permit.Approves(d.Calls) {
		return b.decide(d, "denied")
	}
	d.Challenge = b.open.Challenge
	if b.choice > 0 {
		b.remember(d)
		return nil
	}
	if b.open.Votes+1 < b.open.Quorum {
		return b.decide(d, "counted; more approvals needed:")
	}
	return b.decide(d, "approved"+b.except())
}

// except names the denied calls of several, for the message about the approval.
func (b *board) except() string {
	var ids []string
	for _, id := range b.open.Calls {
		if b.denied[id] {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ", except " + render.Quote(strings.Join(ids, " "), notice.UTF8()) + ","
}

func (b *board) decide(d approval.Decision, word string) tea.Cmd {
	b.told(b.desk.Decide(b.ctx, d), word)
	return nil
}

// told goes back to the list and shows the result of an answer.
func (b *board) told(err error, word string) {
	if err != nil {
		b.back("answer not accepted: " + explained(err))
		return
	}
	b.back(word + " " + b.open.ID)
}

// remember approves, and allows the selected choice from now on.
func (b *board) remember(d approval.Decision) {
	_, err := b.desk.DecideStanding(b.ctx, d, approval.GrantRequest{Choice: b.choice})
	b.told(err, "approved from now on:")
}
