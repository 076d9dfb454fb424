package launcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// E-deny-3: an agent that was denied and asks the identical thing again is denied at once, with the
// user's message, and no person is disturbed. Something near-identical is a question, which names
// the denial before it.
func TestADenialCoolsOff(t *testing.T) {
	t.Parallel()
	l, base := world(t)
	base.Stdio.In, base.Stdio.Out, base.Stdio.Err = devNull(t), devNull(t), devNull(t)
	if err := os.Mkdir(filepath.Join(base.Dir, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	var asked []approval.Envelope
	run := func(text string, yes bool) *refusal.Refusal {
		t.Helper()
		req := base
		req.Shell.Text = text
		req.Ask = func(_ context.Context, e approval.Envelope) (approval.Decision, error) {
			asked = append(asked, e)
			d := permit.Answer(e, yes, "keep the sources", "tty")
			d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
			if !yes {
				d.Calls[0].Instead = "ls src"
			}
			return d, nil
		}
		out, err := l.Run(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		return out.Refusal
	}
	if r := run("rm -rf src", false); r == nil || r.Exit != exit.Denied ||
		r.Code != "human_denied" || len(asked) != 1 || asked[0].Refused != "" {
		t.Fatalf("%+v, asked %d", r, len(asked))
	}
	for range 2 {
		r := run("rm -rf src", true)
		if r == nil || r.Exit != exit.Denied || r.Code != "human_denied" || r.Cooloff < 500 ||
			r.Cooloff > 600 || r.Envelope != asked[0].ID ||
			!strings.Contains(r.Message, "keep the sources") ||
			r.Offer == nil || r.Offer.Command != "ls src" {
			t.Errorf("the second time: %+v, offered %+v", r, r.Offer)
		}
	}
	if len(asked) != 1 {
		t.Fatalf("the person was asked %d times", len(asked))
	}
	if r := run("rm -rf lib", true); r != nil || len(asked) != 2 ||
		asked[1].Refused != asked[0].ID || asked[1].Kin != asked[0].Kin {
		t.Errorf("near-identical: %+v, asked %d: %+v", r, len(asked), asked)
	}
	if text := asked[1].After(); !strings.Contains(text, asked[0].ID) {
		t.Errorf("below the page stands %q", text)
	}
}
