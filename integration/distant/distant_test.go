package distant

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/state"
)

// told is a question of machine "m" with an id.
func told(t *testing.T, id string) Told {
	t.Helper()
	payload := plantest.Small(t, func(p map[string]any) { p["n"] = id })
	text, err := approval.Envelope{ID: id, Payload: payload, PlanHash: plan.Hash(payload),
		Expires: time.Now().Add(time.Hour)}.Export("m")
	if err != nil {
		t.Fatal(err)
	}
	return Told{Machine: "ci1", Labels: "env=ci", Text: string(text)}
}

func keyOf(t *testing.T, q Told) string {
	t.Helper()
	read, err := approval.ReadQuestion([]byte(q.Text))
	if err != nil {
		t.Fatal(err)
	}
	return Question{Question: read}.key()
}

func line(t *testing.T, n News) []byte {
	t.Helper()
	text, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A question is told once, and open as long as it is named.
func TestNews(t *testing.T) {
	t.Parallel()
	a, b := told(t, "a"), told(t, "b")
	k := known{}
	for i, step := range []struct {
		news News
		want string
	}{
		{News{Open: []string{keyOf(t, a)}, New: []Told{a}}, "m/a"},
		{News{Open: []string{keyOf(t, b), keyOf(t, a)}, New: []Told{b}}, "m/b m/a"},
		{News{Open: []string{keyOf(t, b), "m/x/y"}}, "m/b"},
		{News{Open: []string{keyOf(t, a)}}, ""}, // it was forgotten
	} {
		list, err := k.take(line(t, step.news))
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, q := range list {
			ids = append(ids, q.ID())
			if q.Machine != "ci1" || q.Labels != "env=ci" {
				t.Errorf("%+v", q)
			}
		}
		if got := strings.Join(ids, " "); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	a.Text = strings.Replace(a.Text, `"expires_at"`, `"expires_when"`, 1)
	for _, bad := range []string{"", "{", string(line(t, News{New: []Told{a}}))} {
		if _, err := k.take([]byte(bad)); err == nil {
			t.Errorf("%.100q was read", bad)
		}
	}
}

func FuzzNews(f *testing.F) {
	f.Add([]byte(`{"open":["m/a/b"],"new":[{"machine":"x","question":"{}\n"}]}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		k := known{}
		_, _ = k.take(text)
	})
}

// script is a fleet whose program is a shell script, in which $HERE is its state directory.
func script(t *testing.T, text string) Fleet {
	t.Helper()
	path := filepath.Join(t.TempDir(), Name)
	f := Fleet{home: t.TempDir(), program: path}
	text = "#!/bin/sh\n" + strings.ReplaceAll(text, "$HERE", f.home) + "\n"
	if err := hermetic.WriteProgram(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return f
}

// What cannot be seen is said, in the words of the program; it is started again, and ends with its
// standard input.
func TestWatch(t *testing.T) {
	t.Parallel()
	q := told(t, "a")
	dir := t.TempDir()
	f := script(t, `cd `+dir+`
		if mkdir first 2>/dev/null; then
			echo 'tadactl fleet: etcd cannot be reached' >&2; exit 1
		fi
		cat news; cat >/dev/null; mkdir ended`)
	news := line(t, News{Open: []string{keyOf(t, q)}, New: []Told{q}})
	if err := os.WriteFile(filepath.Join(dir, "news"), append(news, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	lists := f.Watch(ctx)
	if l := <-lists; l.Away == nil || l.Away.Error() != "etcd cannot be reached" {
		t.Fatalf("%+v", l)
	}
	if l := <-lists; l.Away != nil || len(l.Questions) != 1 || l.Questions[0].ID() != "m/a" {
		t.Fatalf("%+v", l)
	}
	cancel()
	for range lists {
	}
	if (Fleet{}).Watch(t.Context()) != nil {
		t.Error("a machine in no fleet watches something")
	}
}

// An answer is handed over as it is, and what became of it comes back.
func TestAnswer(t *testing.T) {
	t.Parallel()
	q := Question{Question: approval.Question{Audience: "m", Envelope: "a"}}
	for out, want := range map[string]string{
		`{"id":"a","outcome":"approved"}`: "approved",
		`{"id":"a","outcome":"waiting"}`:  "signed; the machine that asked has not taken it yet",
	} {
		f := script(t, `[ "$*" = "--home $HERE --json answer --signed -- m/a" ] || exit 9
			[ "$(cat)" = token ] && echo '`+out+`'`)
		if word, err := f.Answer(t.Context(), q, []byte("token")); err != nil || word != want {
			t.Errorf("%q, %v", word, err)
		}
	}
	f := script(t, "echo 'tadactl fleet: the machine did not take the answer: late' >&2; exit 1")
	if _, err := f.Answer(t.Context(), q, nil); err == nil ||
		err.Error() != "the machine did not take the answer: late" {
		t.Error(err)
	}
	if _, err := script(t, "exit 0").Answer(t.Context(), q, nil); err == nil {
		t.Error("nothing was said, and it is an answer")
	}
}

// Who is in no fleet, or has no key, has no other machines.
func TestWhoHasOtherMachines(t *testing.T) {
	t.Parallel()
	home := state.Home{Dir: t.TempDir()}
	if !Of(home).IsNone() {
		t.Error("in no fleet")
	}
	if err := errors.Join(os.Mkdir(home.Fleet(), 0o700),
		os.WriteFile(home.Membership(), []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if !Of(home).IsNone() {
		t.Error("without a key")
	}
	if err := os.WriteFile(home.Key()+".pub", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if Of(home).IsNone() {
		t.Error("a member with a key")
	}
}
