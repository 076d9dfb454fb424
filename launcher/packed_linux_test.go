package launcher

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
)

// tada-run unpacks nothing. After the older part of the log was packed, it asks, runs, and finds
// runs that died, as before: what it reads stays plain.
func TestRunsBesideAPackedLog(t *testing.T) {
	ctx := context.Background()
	l, base := world(t)
	base.Stdio.In, base.Stdio.Out, base.Stdio.Err = devNull(t), devNull(t), devNull(t)
	base.Ask = func(context.Context, approval.Envelope) (approval.Decision, error) {
		return approval.Decision{}, nil
	}
	try := func(text, state string) {
		t.Helper()
		req := base
		req.Shell.Text = text
		if _, err := l.Run(ctx, req); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for r, err := range l.Newest(time.Time{}) {
			if err != nil || r.Command != text || r.State != state {
				t.Errorf("%s: %q is %s (%v), want %s", text, r.Command, r.State, err, state)
			}
			break
		}
	}
	try("rm -rf src", "waiting")
	fill(t, l)
	packer, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	packer.Codec = audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}
	if _, err := packer.Collect(ctx, audit.Retention{}, "test"); err != nil {
		t.Fatal(err)
	}
	packed, _ := filepath.Glob(filepath.Join(l.state.Audit(), "log*.zst"))
	if len(packed) == 0 {
		t.Fatal("nothing is packed")
	}
	if l, err = own(l.state.Dir).Open(); err != nil {
		t.Fatal(err)
	}
	try("rm -rf src other", "waiting")
	try("true", "ended")
	fill(t, l)
	if _, err := packer.Collect(ctx, audit.Retention{}, "test"); err != nil {
		t.Fatal(err)
	}
	try("rm -rf src third", "waiting")
	if _, err := packer.Verify(); err != nil {
		t.Error(err)
	}
}

// fill makes the log some files longer.
func fill(t *testing.T, l *Launcher) {
	t.Helper()
	log, err := l.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	body := []byte(`{"filler":"` + strings.Repeat("x", 900_000) + `"}`)
	for range 40 {
		if _, err := log.Append("test.filler", body, audit.Lazy); err != nil {
			t.Fatal(err)
		}
	}
}
