package passkey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// pairing is the body of the entry of a pairing.
func pairing(t *testing.T, k passkey.Known, outcome string) []byte {
	t.Helper()
	body, err := approval.PairingBody(approval.FactorEvent(time.Now(),
		approval.Enrolment{Approver: "uid 1"}, outcome, "a passkey"), k.Credential)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// taken has the store take the answer to a new question, and returns the body of its entry.
func (d *desk) taken(change func(*approval.Answer)) []byte {
	d.Helper()
	a := approves(d.ask(nil))
	if change != nil {
		change(&a)
	}
	events, err := d.answer(a, d.assertion(a))
	if err != nil {
		d.Fatal(err)
	}
	return events[len(events)-1].Body()
}

// take gives bodies to a new record and returns what it says about the last one.
func take(t *testing.T, partial bool, bodies ...[]byte) string {
	t.Helper()
	r := passkey.Record{Partial: partial}
	for i, b := range bodies {
		reason := r.Take(b)
		if i == len(bodies)-1 {
			return reason
		}
		if reason != "" {
			t.Fatal(reason)
		}
	}
	return ""
}

// T3: the record alone shows who answered what.
func TestRecord(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	paired := pairing(t, d.known, approval.OutcomeEnrolled)
	gone := pairing(t, d.known, approval.OutcomeRemoved)
	first := d.taken(nil)
	second := d.taken(func(a *approval.Answer) {
		a.Calls[0].Approved, a.Calls[0].Message = false, "not this one"
	})
	denied := d.taken(func(a *approval.Answer) {
		a.Calls[0].Approved, a.Calls[1].Approved = false, false
	})
	weak := d.known
	weak.MaxRisk = 0
	other := d.known
	other.Key = passkeytest.New(t, true).Key
	named := d.known
	named.Name = "bob"
	for name, c := range map[string]struct {
		bodies [][]byte
		want   string
	}{
		"good":                  {[][]byte{paired, first, second, denied}, ""},
		"revoked afterwards":    {[][]byte{paired, first, gone}, ""},
		"revoked, paired again": {[][]byte{paired, gone, paired, first}, ""},
		"never paired":          {[][]byte{first}, "never paired"},
		"paired afterwards":     {[][]byte{second}, "never paired"},
		"revoked before":        {[][]byte{paired, gone, first}, "revoked"},
		"paired twice":          {[][]byte{paired, paired}, "second time"},
		"revoked, never paired": {[][]byte{gone}, "never paired"},
		"the counter goes back": {[][]byte{paired, second, first}, "counter"},
		"taken twice":           {[][]byte{paired, first, first}, "counter"},
		"above its risk": {[][]byte{pairing(t, weak, approval.OutcomeEnrolled), first},
			"risk"},
		"another key": {[][]byte{pairing(t, other, approval.OutcomeEnrolled), first},
			"signature"},
		"another person": {[][]byte{pairing(t, named, approval.OutcomeEnrolled), first}, "bob"},
	} {
		got := take(t, false, c.bodies...)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := take(t, true, first); got != "" {
		t.Errorf("paired in a part that was not read: %q", got)
	}
}

// Each byte of a recorded answer that was changed is noticed, of every member that the person
// signed.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	for _, edDSA := range []bool{false, true} {
		d := newDesk(t, edDSA)
		paired := pairing(t, d.known, approval.OutcomeEnrolled)
		body := string(d.taken(func(a *approval.Answer) {
			a.Calls[0].Approved, a.Calls[0].Message = false, "keep it"
		}))
		signed := ""
		for _, member := range []string{"decisions", "envelope_id", "nonce_hash", "passkey",
			"plan_hash", "approver", "channel", "token_id"} {
			signed += part(t, body, member) + "\n"
		}
		changes := 0
		for i := range len(body) {
			if !within(t, body, signed, i) {
				continue
			}
			for _, with := range []byte{body[i] ^ 1, 'A', '"'} {
				if with == body[i] {
					continue
				}
				changes++
				forged := body[:i] + string(with) + body[i+1:]
				if take(t, false, paired, []byte(forged)) == "" {
					t.Fatalf("byte %d of %s: changed to %q unnoticed", i, body, with)
				}
			}
		}
		if changes < 2000 {
			t.Errorf("only %d changes", changes)
		}
	}
}

// part returns a member of a body with its value, up to the next member of the body.
func part(t *testing.T, body, member string) string {
	t.Helper()
	_, rest, ok := strings.Cut(body, `,"`+member+`":`)
	if strings.HasPrefix(body, `{"`+member+`":`) {
		_, rest, ok = strings.Cut(body, `{"`+member+`":`)
	}
	if !ok {
		t.Fatalf("%s has no %s", body, member)
	}
	end, deep := 0, 0
	for ; end < len(rest); end++ {
		switch c := rest[end]; {
		case c == '{' || c == '[':
			deep++
		case c == '}' || c == ']':
			deep--
		}
		if deep == 0 && (rest[end] == ',' || deep < 0) {
			break
		}
	}
	return rest[:end]
}

// within reports whether byte i of a body is in one of the signed parts.
func within(t *testing.T, body, signed string, i int) bool {
	t.Helper()
	for text := range strings.Lines(signed) {
		text = strings.TrimSuffix(text, "\n")
		if at := strings.Index(body, text); text != "" && i >= at && i < at+len(text) {
			return true
		}
	}
	return false
}

// Of two people the record has what each signed, and what both allow.
func TestRecordOfTwo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	bodies := [][]byte{pairing(t, d.known, approval.OutcomeEnrolled)}
	e, _, err := d.Request(ctx, approval.Request{Session: "s", Quorum: 2,
		Payload: plantest.Small(t, nil, "c1", "c2")})
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range []string{"ada", "bob"} {
		if name == "bob" {
			d.device = passkeytest.New(t, true)
			d.known = paired(t, d.device, name, 3)
			bodies = append(bodies, pairing(t, d.known, approval.OutcomeEnrolled))
		}
		a := approves(e)
		a.Calls[n].Approved, a.Calls[n].Message = false, "not "+a.Calls[n].ID
		if n == 0 {
			a.Calls[0].Approved, a.Calls[0].Message = true, ""
		}
		events, err := d.answer(a, d.assertion(a))
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, events[len(events)-1].Body())
	}
	if got := take(t, false, bodies...); got != "" {
		t.Error(got)
	}
	// without the first vote, the decision still has only what its own signature allows
	forged := strings.Replace(string(bodies[3]), `"approved":false,"message":"not c2"`,
		`"approved":true,"message":""`, 1)
	if forged == string(bodies[3]) || take(t, false, bodies[0], bodies[2], []byte(forged)) == "" {
		t.Errorf("a call that bob denied is allowed: %s", forged)
	}
}

// A grant is signed with the answer that makes it, and only within the limits of grants.
func TestGrant(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	small := func() approval.Answer {
		d.n++
		e, _, err := d.Request(ctx, approval.Request{Session: "s",
			Payload: plantest.Small(t, func(p map[string]any) {
				p["n"], p["effects"] = d.n, map[string]any{"write": []any{"/home/me/proj/out"},
					"delete": []any{}, "net": []any{}, "read": []any{}, "exec": []any{}}
				p["tool_calls"] = []any{map[string]any{"tool_call_id": "c1", "tool_name": "shell",
					"args": map[string]any{"command": "lint", "canonical": "lint\n",
						"stdin": "null"}}}
			})})
		if err != nil {
			t.Fatal(err)
		}
		return approves(e)
	}
	a := small()
	a.Scope = approval.Scope{Uses: 3, For: time.Hour}
	events, err := d.answer(a, d.assertion(a))
	if err != nil {
		t.Fatal(err)
	}
	r, granted := passkey.Record{}, false
	if reason := r.Take(pairing(t, d.known, approval.OutcomeEnrolled)); reason != "" {
		t.Fatal(reason)
	}
	for _, e := range events {
		granted = granted || e.Kind == approval.KindGranted && e.Channel == "passkey"
		if reason := r.Take(e.Body()); e.Kind == approval.KindDecided && reason != "" {
			t.Error(reason)
		}
	}
	if grants, err := d.Grants(ctx); err != nil || !granted || len(grants) != 1 ||
		grants[0].Uses != 3 {
		t.Errorf("%+v, %v", grants, err)
	}
	for name, change := range map[string]func(a *approval.Answer){
		"too often":       func(a *approval.Answer) { a.Scope.Uses = 1000 },
		"too long":        func(a *approval.Answer) { a.Scope.For = 100 * time.Hour },
		"of no choice":    func(a *approval.Answer) { a.Calls[0].Choice = 9 },
		"negative choice": func(a *approval.Answer) { a.Calls[0].Choice = -1 },
	} {
		a := small()
		change(&a)
		if events, err := d.answer(a, d.assertion(a)); err == nil {
			t.Errorf("%s: %+v", name, events)
		}
	}
}
