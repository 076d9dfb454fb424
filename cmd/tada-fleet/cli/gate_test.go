package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/cmd/tada-fleet/verbs"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/served"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/shellparse"
)

// run runs a command, or asks where nobody answers.
func (s *shipped) run(l *launcher.Launcher, command string) {
	s.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		s.Fatal(err)
	}
	defer null.Close()
	req := launcher.Request{Dir: s.TempDir(), Env: os.Environ(),
		Shell: shell.Call{Text: command, Dialect: shellparse.Bash, Name: "tada-run"}}
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = null, null, null
	if _, err := l.Run(s.Context(), req); err != nil {
		s.Fatal(err)
	}
}

// A bundle is judged by what the machines have shipped, whatever this machine's own home and policy
// are: what asked and would be allowed closes the gate, until its rule is accepted.
func TestGate(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", served.S3Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", served.S3Secret)
	s := newShipped(t, "echo hello", "rm -rf /srv/archive/2024", "rm -rf /srv/archive/2025")
	l, err := launcher.Place{State: filepath.Join(t.TempDir(), "state")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	gate := func(text string, accept ...string) (string, error) {
		t.Helper()
		var out bytes.Buffer
		f := &fleet{out: &out, err: &out}
		f.o.Verify.Identities, f.o.Verify.Document = []string{s.identity}, s.document
		check, err := f.check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, err := replay.Bundle(l.Recorded().Account, "base.yaml", []byte(text),
			replay.Options{Accept: accept})
		if err != nil {
			t.Fatal(err)
		}
		all := []people.Member{{Machine: document.Machine{ID: s.id, Name: "build-7"}},
			{Machine: document.Machine{ID: "tada-0123456789abcdef", Name: "new"}}}
		absent, err := replayAll(t.Context(), check, all, r)
		if err != nil || len(absent) != 1 || absent[0] != "new" {
			t.Fatal(absent, err)
		}
		err = f.gated(r.Result(), len(all), absent)
		return out.String(), err
	}
	const loose = "rules: {paths: [{path: /srv/archive, verdict: allow}]}\n"
	out, err := gate(loose)
	var closed *exitError
	if !errors.As(err, &closed) || closed.status != refused ||
		!strings.Contains(err.Error(), "--accept delete.outside") {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"records of 2 machines, 1 of them with nothing shipped\n",
		"3 runs of 3 plans judged again; 2 have another verdict\n",
		"\nask -> allow  2  delete.outside\n", "build-7"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
	if _, err := gate(loose, "delete.outside"); err != nil {
		t.Error(err)
	}
	out, err = gate("rules: {commands: [{program: echo, verdict: deny}]}\n")
	if err != nil || !strings.Contains(out, "\nallow -> deny  1  rule.command\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := replay.Bundle(l.Recorded().Account, "", []byte("tool: 1\n"),
		replay.Options{}); err == nil {
		t.Error("a text with a mistake is judged")
	}
	for _, name := range s.bucket.Names() {
		if strings.Contains(name, "/objects/") {
			s.bucket.Put(name, []byte("x"))
		}
	}
	f := &fleet{err: io.Discard}
	f.o.Verify.Identities, f.o.Verify.Document = []string{s.identity}, s.document
	check, err := f.check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Bundle(l.Recorded().Account, "", []byte(loose), replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replayAll(t.Context(), check, []people.Member{{Machine: document.Machine{
		ID: s.id}}}, r); err == nil || !strings.Contains(err.Error(), "replaced or cut") {
		t.Errorf("%v: what does not verify is judged", err)
	}
}

// A bundle that is to be in force has a gate, unless nothing is shipped or somebody says why not.
func TestWithout(t *testing.T) {
	t.Parallel()
	ships := document.Shipping{Bucket: "records"}
	key := []string{"team.key"}
	for _, test := range []struct {
		o       verbs.Policy
		to      document.Shipping
		why     string
		refused bool
	}{
		{verbs.Policy{}, document.Shipping{}, "the fleet ships no records", false},
		{verbs.Policy{}, ships, "", true},
		{verbs.Policy{Identities: key}, ships, "", false},
		{verbs.Policy{Identities: key}, document.Shipping{}, "", false},
		{verbs.Policy{Gate: "s3://records"}, ships, "", true},
		{verbs.Policy{NoGate: "down"}, ships, "down", false},
		{verbs.Policy{NoGate: "down", Identities: key}, ships, "", true},
		{verbs.Policy{NoGate: "down", Accept: key}, ships, "", true},
	} {
		f := &fleet{}
		f.o.Policy = test.o
		why, err := f.without(test.to)
		if why != test.why || (err != nil) != test.refused {
			t.Errorf("%+v, %+v: %q, %v", test.o, test.to, why, err)
		}
	}
}

// What a version takes away is judged too: machines that had the bundle, and would not have it any
// more, are judged without it.
func TestDrafts(t *testing.T) {
	t.Parallel()
	selector := func(text string) document.Selector {
		s, err := document.ParseSelector(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ci := people.Member{Machine: document.Machine{Labels: document.Labels{"env": "ci"}}}
	web := people.Member{Machine: document.Machine{Labels: document.Labels{"env": "web"}}}
	force := document.Bundle{Name: "base", Version: 1, Machines: selector("*"), Text: "a: b\n"}
	narrow := document.Bundle{Name: "base", Version: 2, Machines: selector("env=ci"),
		Text: "c: d\n"}
	wide := document.Bundle{Name: "base", Version: 2, Machines: selector("*"), Text: "c: d\n"}
	for _, test := range []struct {
		what string
		p    people.Policy
		next document.Bundle
		ci   string // the texts that each machine is judged under
		web  string
	}{
		{"first", people.Policy{}, wide, "c: d\n;", "c: d\n;"},
		{"the same machines", people.Policy{Force: force}, wide, "c: d\n;", "c: d\n;"},
		{"fewer", people.Policy{Force: force}, narrow, "c: d\n;", ";"},
		{"withdrawn", people.Policy{Force: force}, document.Bundle{}, ";", ";"},
		{"withdrawn, of some", people.Policy{Force: narrow}, document.Bundle{}, ";", ""},
		{"not known", people.Policy{Lapsed: true}, document.Bundle{}, ";", ";"},
		{"not known, and fewer", people.Policy{Lapsed: true}, narrow, "c: d\n;", ";"},
		{"only tried", people.Policy{Tried: narrow}, document.Bundle{}, "", ""},
	} {
		got := map[string]string{}
		for _, x := range drafts(test.p, test.next) {
			for _, m := range []people.Member{ci, web} {
				if x.isFor(m) {
					got[m.Labels["env"]] += string(x.text) + ";"
				}
			}
		}
		if got["ci"] != test.ci || got["web"] != test.web {
			t.Errorf("%s: %q, not %q and %q", test.what, got, test.ci, test.web)
		}
	}
}
