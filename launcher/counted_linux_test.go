package launcher

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/session"
)

// firstPage is what a person is asked about a command line.
func firstPage(t *testing.T, l *Launcher, req Request, text string) string {
	t.Helper()
	req.Shell.Text = text
	return render.Render(judged(t, l, req).Payload(), render.Options{Width: 200}).Text()
}

// What grows while a person reads is no other plan; what has become much more is.
func TestGrowingIsNoOtherPlan(t *testing.T) {
	for name, more := range map[string]int{"a line": 20, "much": 4 << 20} {
		l, req := world(t)
		l.policy = configured(t, l, "undo: {replaces_approval: false}\n")
		write(t, req.Dir+"/logs/a", "x")
		req.Shell.Text, req.Stdio, req.PTY = "rm -rf logs", nowhere(t), session.Never
		asked := 0
		req.Ask = func(ctx context.Context, e approval.Envelope) (approval.Decision, error) {
			asked++
			write(t, req.Dir+"/logs/a", strings.Repeat("x", asked*more))
			return approves(ctx, e)
		}
		out, err := l.Run(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if ran := out.Refusal == nil; ran != (more < 1<<20) || asked != 1 {
			t.Errorf("%s: ran %v, asked %d times: %+v", name, ran, asked, out.Refusal)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The page does not promise to bring back more than may be kept, or what is sent away.
func TestUndoIsNotPromised(t *testing.T) {
	l, req := world(t)
	l.policy = configured(t, l, "undo: {replaces_approval: false, quota: 1M}\n")
	write(t, req.Dir+"/big/a", strings.Repeat("x", 2<<20))
	write(t, req.Dir+"/small/a", "x")
	for text, want := range map[string]string{
		"rm -rf small":              "undo     yes, for 7 days\n",
		"rm -rf big":                "yes, for 7 days, as far as undo.quota allows\n",
		"npm install; rm -rf small": "; not: what it sends over the network\n",
		"./x; rm -rf small":         "undo     yes, all files, for 7 days\n",
	} {
		if page := firstPage(t, l, req, text); !strings.Contains(page, want) {
			t.Errorf("%s: no %q in\n%s", text, want, page)
		}
	}
}

// E-dsp-6: what a caller says of its own request is not among the effects.
func TestCallersReasonIsInTheDetails(t *testing.T) {
	l, req := world(t)
	req.Intent.NeedsConfirm = true
	req.Intent.Reason = "only reads; nothing is deleted: " + req.Dir + "/a"
	page := firstPage(t, l, req, "rm a")
	if strings.Contains(page, "only reads") || !strings.Contains(page, "asks for a person") ||
		!strings.Contains(page, "deletes a") {
		t.Error(page)
	}
	req.Shell.Text = "rm a"
	if full := render.Render(judged(t, l, req).Payload(),
		render.Options{Full: true, Width: 200}); !strings.Contains(full.Text(), "only reads") {
		t.Error(full.Text())
	}
}

// What is too long to be shown of a tool's input is bound, whatever else the input is called, and a
// page never passes for all of it.
func TestLongInputOfATool(t *testing.T) {
	l, req := world(t)
	long := strings.Repeat("a", maxShown)
	hashes := map[string]string{}
	for _, end := range []string{"good", "evil"} {
		for range 8 {
			req.Tool = &Tool{Name: "Write", Unknown: true, Args: map[string]string{
				"content": long + end, "content cut": "no", "not shown": "no"}}
			j := judged(t, l, req)
			p := render.Render(j.Payload(), render.Options{})
			if !p.Truncated || !strings.Contains(p.Text(), "too long to be shown") {
				t.Fatal(p.Text())
			}
			if was := hashes[j.Hash()]; was != "" && was != end {
				t.Fatalf("one hash for two inputs: %s", j.Hash())
			}
			hashes[j.Hash()] = end
		}
	}
	if len(hashes) != 2 {
		t.Errorf("%d hashes of %d inputs", len(hashes), 2)
	}
}
