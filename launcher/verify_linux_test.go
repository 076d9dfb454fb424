package launcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
)

// VerifyNew and VerifyPlans take what was verified before for verified, and say the same as reading
// all of it, whatever file is damaged.
func TestVerifyNew(t *testing.T) {
	ctx := context.Background()
	l, base := world(t)
	base.Stdio.In, base.Stdio.Out, base.Stdio.Err = devNull(t), devNull(t), devNull(t)
	l.Codec = audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}
	runs := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			req := base
			req.Shell.Text = fmt.Sprintf("echo %d", i)
			if _, err := l.Run(ctx, req); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs(0, 20)
	fill(t, l)
	if _, err := l.Collect(ctx, audit.Retention{}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Seal(); err != nil {
		t.Fatal(err)
	}
	all := func() string { return verdict(l, l.VerifyWith) }
	rest := func() string { return verdict(l, l.VerifyNew) }
	if got, want := rest(), all(); got != want {
		t.Errorf("without a note: %s, want %s", got, want)
	}
	runs(20, 25)
	r, err := l.VerifyNew(audit.VerifyOptions{})
	if err != nil || r.Before.Entries == 0 || r.Before.Transcripts != 20 {
		t.Fatalf("%+v, %v", r.Before, err)
	}
	if got, want := rest(), all(); got != want {
		t.Errorf("with a note: %s, want %s", got, want)
	}
	for _, pattern := range []string{"audit/log.000001*", "sessions/archives/archive*",
		"sessions/*.cast", "plans/pack*", "plans/[0-9a-f]*"} {
		files, _ := filepath.Glob(filepath.Join(l.state.Dir, pattern))
		if len(files) == 0 {
			t.Fatalf("no file is called %s", pattern)
		}
		was, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		is := slices.Clone(was)
		is[len(is)/2] ^= 0x20
		for what, content := range map[string][]byte{"changed": is, "cut": was[:len(was)/2]} {
			if err := os.WriteFile(files[0], content, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, want := rest(), all(); got != want || want == "" {
				t.Errorf("%s %s: %s, want %s", pattern, what, got, want)
			}
		}
		if err := os.WriteFile(files[0], was, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// verdict is what a verification says.
func verdict(l *Launcher, verify func(audit.VerifyOptions) (audit.Report, error)) string {
	r, err := verify(audit.VerifyOptions{})
	if err != nil {
		return err.Error()
	}
	plans, err := l.VerifyPlans(r)
	return fmt.Sprintf("%d entries, %d transcripts, %+v, %v", r.Entries,
		r.Transcripts+r.Before.Transcripts, plans, err)
}
