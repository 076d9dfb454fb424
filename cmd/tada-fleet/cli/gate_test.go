package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/served"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/replay"
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
		Shell: launcher.Shell{Text: command, Dialect: shellparse.Bash, Name: "tada-run"}}
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
		check, err := f.check()
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
	f := &fleet{}
	f.o.Verify.Identities, f.o.Verify.Document = []string{s.identity}, s.document
	check, err := f.check()
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
