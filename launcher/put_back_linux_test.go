package launcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
)

// A copied is a state directory at one moment: path -> content.
type copied map[string]string

func copyOf(t *testing.T, dir string) copied {
	t.Helper()
	c := copied{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		c[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// put makes dir what was copied.
func (c copied) put(t *testing.T, dir string) {
	t.Helper()
	for path := range copyOf(t, dir) {
		if _, ok := c[path]; !ok {
			if err := os.Remove(filepath.Join(dir, path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, text := range c {
		path = filepath.Join(dir, path)
		if b, err := os.ReadFile(path); err == nil && string(b) == text {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// with is c with some files as they were in old.
func (c copied) with(old copied, paths ...string) copied {
	out := maps.Clone(c)
	for _, path := range paths {
		delete(out, path)
		if text, ok := old[path]; ok {
			out[path] = text
		}
	}
	return out
}

// A history is a state directory in which an approval was given, copied, and then used.
type history struct {
	l        *Launcher
	req      Request
	old, new copied
}

func usedOnce(t *testing.T) *history {
	t.Helper()
	l, req := world(t)
	l.Marks = filepath.Join(t.TempDir(), "used")
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
	h := &history{l: l, req: req}
	first := req
	first.Shell.Text = "true"
	if out, err := l.Run(context.Background(), first); err != nil || out.Status != 0 {
		t.Fatal(out, err)
	}
	if _, err := l.Seal(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	l.policy = tightened(t, l, "rules: {commands: [{program: tee, verdict: ask}]}")
	h.req.Shell.Text = "echo once | tee -a a >/dev/null"
	out, err := l.Run(context.Background(), h.req)
	if err != nil || out.Status != exit.Pending {
		t.Fatal(out, err)
	}
	e, err := l.Envelope(context.Background(), out.Envelope)
	if err != nil {
		t.Fatal(err)
	}
	d := permit.Answer(e, true, "", "tty")
	d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
	l.Caller = personHere
	if err := l.Decide(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	h.old = copyOf(t, l.state.Dir)
	if status, ran := h.again(t, l); status != 0 || !ran {
		t.Fatalf("approved: status %d, ran %v", status, ran)
	}
	if out, err := l.Run(context.Background(), first); err != nil || out.Status != 0 {
		t.Fatal(out, err)
	}
	if _, err := l.Seal(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Checkpoint(); err != nil {
		t.Fatal(err)
	}
	h.new = copyOf(t, l.state.Dir)
	return h
}

// again runs the approved command once more, and reports whether it did what it does.
func (h *history) again(t *testing.T, l *Launcher) (status int, ran bool) {
	t.Helper()
	file := filepath.Join(h.req.Dir, "a")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Run(context.Background(), h.req)
	status = out.Status
	if err != nil {
		status = ExitOf(err)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return status, len(after) > len(before)
}

// fresh opens the state directory as the next process does.
func (h *history) fresh(t *testing.T, outside string) *Launcher {
	t.Helper()
	l, err := Place{State: h.l.state.Dir, Account: h.l.account}.Open()
	if err != nil {
		t.Fatal(err)
	}
	l.Marks, l.policy = outside, h.l.policy
	return l
}

// noticed is what verbs say of a state directory: nothing, a note, or a refusal.
type noticed struct{ run, verify, pending, tamper string }

func (h *history) notice(t *testing.T, c copied, outside string) noticed {
	t.Helper()
	c.put(t, h.l.state.Dir)
	var n noticed
	l := h.fresh(t, outside)
	v, err := l.Verify()
	if err == nil {
		err = l.CompareStore(context.Background())
	}
	switch {
	case err != nil:
		n.verify = "fails"
	case len(v.Unnamed)+len(v.Unvouched)+len(v.Notes) > 0:
		n.verify = "note"
	}
	if err := h.fresh(t, outside).CompareStore(context.Background()); err != nil {
		// as tadactl pending and doctor do
		n.pending = fmt.Sprintf("status %d", ExitOf(err))
	}
	review, err := h.fresh(t, outside).Review(h.req.Dir, false)
	if err != nil || len(review.Findings) > 0 {
		n.tamper = "fails"
	}
	status, ran := h.again(t, h.fresh(t, outside))
	if ran {
		t.Error("the approved command ran a second time")
	}
	if status != exit.Pending {
		n.run = fmt.Sprintf("status %d", status)
	}
	return n
}

var sessionName = regexp.MustCompile(`[0-9a-z]{16}`)

// The whole state directory, each file of it, and each pair of files put back to an earlier copy:
// what is noticed, and by what, is the table of SECURITY.md; and nothing runs twice on one
// approval. The memory outside of the directory is empty but for the whole, so that store and
// record are shown to do without it.
func TestPutBack(t *testing.T) {
	h := usedOnce(t)
	if n := h.notice(t, h.new, filepath.Join(t.TempDir(), "used")); n != (noticed{}) {
		t.Fatalf("nothing was put back: %+v", n)
	}
	names := map[string]bool{}
	for path := range h.new {
		names[path] = true
	}
	for path := range h.old {
		names[path] = true
	}
	var changed []string
	for _, path := range slices.Sorted(maps.Keys(names)) {
		text, there := h.old[path]
		if now, is := h.new[path]; text != now || there != is {
			changed = append(changed, path)
		}
	}
	if len(changed) < 6 {
		t.Fatalf("only %q changed", changed)
	}
	items := map[string][]string{} // files, and folders with all that is in them
	for _, path := range changed {
		name := sessionName.ReplaceAllString(path, "*")
		items[name] = append(items[name], path)
		if folder, _, ok := strings.Cut(path, "/"); ok {
			items[folder+"/"] = append(items[folder+"/"], path)
		}
	}
	single, rows := map[string]noticed{}, map[string]noticed{}
	order := slices.Sorted(maps.Keys(items))
	for _, name := range order {
		single[name] = h.notice(t, h.new.with(h.old, items[name]...),
			filepath.Join(t.TempDir(), "used"))
		rows[name] = single[name]
	}
	for i, a := range order {
		for _, b := range order[i+1:] {
			if strings.HasSuffix(a, "/") && strings.HasPrefix(b, a) {
				continue
			}
			got := h.notice(t, h.new.with(h.old, slices.Concat(items[a], items[b])...),
				filepath.Join(t.TempDir(), "used"))
			both := noticed{join(single[a].run, single[b].run),
				join(single[a].verify, single[b].verify),
				join(single[a].pending, single[b].pending),
				join(single[a].tamper, single[b].tamper)}
			if got != both || a == "audit.mark" && b == "audit/" {
				rows[a+" and "+b] = got
			}
		}
	}
	rows["everything"] = h.notice(t, h.old, h.l.Marks)
	h.old.put(t, h.l.state.Dir)
	if status, ran := h.again(t, h.fresh(t, filepath.Join(t.TempDir(), "used"))); !ran {
		t.Errorf("with no memory outside it would not run either (status %d): this test proves nothing", status)
	}
	var table bytes.Buffer
	table.WriteString("| put back | the approved command, again | audit verify | pending, doctor | tamper status |\n|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", name, orDash(rows[name].run),
			orDash(rows[name].verify), orDash(rows[name].pending), orDash(rows[name].tamper))
	}
	security, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(security), table.String()) {
		t.Errorf("the table in SECURITY.md should be:\n%s", table.String())
	}
}

// join is what two things that are noticed apart should come to together: what is stricter.
func join(a, b string) string {
	for _, word := range []string{"fails", "note"} {
		if a == word || b == word {
			return word
		}
	}
	return max(a, b)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// An older copy of the store alone, with nothing remembered outside: what was used is not good
// again, in any way in which something is used, and the way on is the one that is said.
func TestOldStoreGivesNothingBack(t *testing.T) {
	h := usedOnce(t)
	h.new.with(h.old, "approvals.db").put(t, h.l.state.Dir)
	l := h.fresh(t, filepath.Join(t.TempDir(), "used"))
	ctx := context.Background()
	if err := l.Ready(); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"run": func() error { _, err := l.Run(ctx, h.req); return err },
		"revoke": func() error {
			return l.Deciding(func() ([]approval.Event,
				error) {
				return l.Store.Revoke(ctx, "x", "")
			})
		},
		"consume": func() error { _, err := l.Store.Consume(ctx, approval.Claim{}); return err },
		"decide":  func() error { _, err := l.Store.Decide(ctx, approval.Decision{}); return err },
		"request": func() error {
			_, _, err := l.Store.Request(ctx,
				approval.Request{Payload: judged(t, l, h.req).Payload()})
			return err
		},
		"compare": func() error { return l.Compare(ctx) },
	} {
		if err := change(); !errors.Is(err, approval.ErrBehind) || ExitOf(err) != exit.Tampered ||
			!strings.Contains(err.Error(), "tadactl approvals rebuild") {
			t.Errorf("%s: %v", what, err)
		}
	}
	l.Caller = personHere
	if _, err := l.RebuildApprovals(ctx); err != nil {
		t.Fatal(err)
	}
	l = h.fresh(t, filepath.Join(t.TempDir(), "used"))
	if err := l.Compare(ctx); err != nil {
		t.Fatal(err)
	}
	if status, ran := h.again(t, l); status != exit.Pending || ran {
		t.Errorf("made anew: status %d, ran %v", status, ran)
	}
}

// The whole state directory put back: uses of a grant are not given back either.
func TestWholePutBackGivesNoUsesBack(t *testing.T) {
	l, req := world(t)
	l.Marks = filepath.Join(t.TempDir(), "used")
	l.policy = tightened(t, l, "security: {command_level: always}")
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
	req.Shell.Text = "true"
	ctx := context.Background()
	out, err := l.Run(ctx, req)
	if err != nil || out.Status != exit.Pending {
		t.Fatal(out, err)
	}
	e, err := l.Envelope(ctx, out.Envelope)
	if err != nil {
		t.Fatal(err)
	}
	d := permit.Answer(e, true, "", "inbox")
	d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
	l.Caller = personHere
	r := approval.GrantRequest{Uses: 2, For: time.Hour}
	if _, err := l.DecideStanding(ctx, d, r); err != nil {
		t.Fatal(err)
	}
	old, ran := copyOf(t, l.state.Dir), 0
	for range 4 {
		for range 3 {
			next, err := Place{State: l.state.Dir, Account: l.account}.Open()
			if err != nil {
				t.Fatal(err)
			}
			next.Marks, next.policy = l.Marks, l.policy
			if out, err := next.Run(ctx, req); err == nil && out.Status == 0 && out.Refusal == nil {
				ran++
			}
		}
		old.put(t, l.state.Dir)
	}
	if ran != 2 {
		t.Errorf("a grant for 2 uses ran %d times", ran)
	}
}
