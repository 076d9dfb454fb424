package launcher

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
)

// entriesOf are the bodies of one kind.
func entriesOf(t *testing.T, l *Launcher, kind string) (list []map[string]any) {
	t.Helper()
	for e, err := range l.Entries(audit.Filter{Kinds: []string{kind}}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, bodyOf(t, e))
	}
	return list
}

func bodyOf(t *testing.T, e audit.Entry) (body map[string]any) {
	t.Helper()
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// A credential in the command line is in no file of the record, and neither is its hash.
func TestSecretsInCommandLine(t *testing.T) {
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
	l, req := world(t)
	req.Shell.Text = "true " + token
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
	out, err := l.Run(context.Background(), req)
	if err != nil || out.Status != 0 {
		t.Fatalf("%+v %v", out, err)
	}
	for _, name := range []string{l.state.Audit() + "/log.jsonl", l.state.Cast(out.Session)} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(token)) || bytes.Contains(b, []byte(sha256Of(req.Shell.Text))) {
			t.Errorf("%s tells the token:\n%s", name, b)
		}
		if !bytes.Contains(b, []byte("true ghp_"+strings.Repeat("*", len(token)-len("ghp_")))) {
			t.Errorf("%s does not tell the rest:\n%s", name, b)
		}
	}
	body := entriesOf(t, l, record.KindIntent)[0]
	j := judged(t, l, req)
	if body["command_secrets"] != 1.0 || len(body["command_commitment"].(string)) != 64 ||
		body["plan_hash"] != j.Hash() {
		t.Errorf("%v", body)
	}
	if _, err := l.Verify(); err != nil {
		t.Error(err)
	}
	req.Shell.Text = "true no secret"
	if _, err := l.Run(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if body := entriesOf(t, l,
		record.KindIntent)[1]; body["command_sha256"] != sha256Of(req.Shell.Text) {
		t.Errorf("%v", body)
	}
}

// B-R4.5: the environment is the caller's; where the record is kept is not for it to say.
func TestLogPathIsNotTheCallers(t *testing.T) {
	t.Setenv("AUDIT_LOG_PATH", "/dev/null")
	l, req := world(t)
	req.Env = append(req.Env, "AUDIT_LOG_PATH=/dev/null")
	req.Shell.Text = "true"
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
	if _, err := l.Run(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if len(entriesOf(t, l, record.KindEnd)) != 1 {
		t.Error("the run is not in the record of the state directory")
	}
	again, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	if r, err := again.Verify(); err != nil || r.Entries < 4 {
		t.Errorf("%+v %v", r, err)
	}
}

// A full disk fails every write that follows. A person sees each cause once, and how to make room.
func TestAfterErrorTellsEachCauseOnce(t *testing.T) {
	full := fmt.Errorf("write %q: %w", "log.jsonl", syscall.ENOSPC)
	err := &AfterError{Status: 137, Err: errors.Join(
		fmt.Errorf("the session could not be recorded: %w", full),
		errors.Join(full, full),
		&record.Error{Kind: "exec.end", Err: full},
	)}
	want := `the command ran (status 137), but: the session could not be recorded: write "log.jsonl": no space left on device` +
		`; cannot record "exec.end": write "log.jsonl": no space left on device; try: ` +
		record.MakeRoom
	if got := err.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (&AfterError{Err: errors.New("one")}).Error(); !strings.HasSuffix(got,
		"but: one; try: tadactl audit verify") {
		t.Error(got)
	}
}
