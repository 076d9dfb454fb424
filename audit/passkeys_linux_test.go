package audit

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A reading is what a check of passkeys was given.
type reading struct {
	partial bool
	bodies  []string
	bad     string
	unknown int
}

func (r *reading) Take(body []byte) string {
	r.bodies = append(r.bodies, string(body))
	if r.bad != "" && strings.Contains(string(body), r.bad) {
		return "is forged"
	}
	return ""
}

func (r *reading) Unknown() int { return r.unknown }

// The entries about passkeys are checked in their order, of files that are read, that were verified
// before, and that were deleted.
func TestPasskeysAreChecked(t *testing.T) {
	t.Parallel()
	y := newYear(t, 1)
	var want []string
	say := func(kind, format string, args ...any) {
		body := fmt.Sprintf(format, args...)
		y.say(kind, body)
		want = append(want, body)
	}
	for n := range 40 {
		say("approval.factor", `{"credential":{"id":"%d"}}`, n)
		say("approval.decided", `{"channel":"passkey","n":%d}`, n)
		say("approval.rejected", `{"n":%d,"passkey":{"answer":""}}`, n)
		y.say("approval.factor", `{"channel":"tadactl"}`)
		y.say("approval.decided", `{"channel":"tty","message":"\"passkey\":{"}`)
		y.say("approval.refused", `{"channel":"passkey"}`)
	}
	_, err := y.log.Seal(rand.Reader)
	must(t, err)
	for range 20 {
		y.say("note", `{}`)
	}
	done, err := y.log.Pack(t.Context())
	if err != nil || done.Files < 2 {
		t.Fatal(done, err)
	}
	say("approval.voted", `{"channel":"passkey","n":"last"}`)
	verify := func(bad string, before *Verified) (*reading, Report, error) {
		t.Helper()
		r, o := &reading{bad: bad, unknown: 2}, y.options()
		o.AtRest.Before = before
		o.Passkeys = func(partial bool) PasskeyCheck {
			*r = reading{partial: partial, bad: bad, unknown: r.unknown}
			return r
		}
		report, err := Verify(y.dir(), o)
		return r, report, err
	}
	full, report, err := verify("", nil)
	if err != nil || full.partial || !slices.Equal(full.bodies, want) {
		t.Fatalf("%v, partial %t, %d bodies, want %d", err, full.partial, len(full.bodies),
			len(want))
	}
	if !strings.Contains(strings.Join(report.Notes, "\n"), "2 answers by passkeys") {
		t.Errorf("notes %q", report.Notes)
	}
	again, later, err := verify("", report.Before.Next)
	if err != nil || later.Before.Entries == 0 || !slices.Equal(again.bodies, want) {
		t.Errorf("with a note: %v, %d entries before, %d bodies", err, later.Before.Entries,
			len(again.bodies))
	}
	for _, note := range []*Verified{nil, report.Before.Next} {
		_, _, err = verify(`"passkey","n":7}`, note)
		if bad := (*BadEntry)(nil); !errors.As(err, &bad) || bad.Seq != 7*6+1 ||
			!strings.Contains(bad.Reason, "is forged") {
			t.Errorf("note %t: %v", note != nil, err)
		}
	}
	o := y.options()
	if report, err = Verify(y.dir(), o); err != nil ||
		!strings.Contains(strings.Join(report.Notes, "\n"), "121 entries about passkeys") {
		t.Errorf("not checked: %q, %v", report.Notes, err)
	}
	entries, _, err := y.log.Prune(Retention{MaxBytes: 1}, "test", nil)
	if err != nil || entries == 0 {
		t.Fatal(entries, err)
	}
	pruned, _, err := verify("", nil)
	keys := 0
	for _, body := range pruned.bodies {
		if strings.Contains(body, "credential") {
			keys++
		}
	}
	if err != nil || !pruned.partial || keys != 40 || pruned.bodies[0] != want[0] {
		t.Errorf("after %d entries were deleted: %v, %d keys", entries, err, keys)
	}
}
