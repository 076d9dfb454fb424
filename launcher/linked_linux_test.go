package launcher

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// F4: code that is not read does not write in place a package that is linked from a store outside,
// which nothing asked about: the record names the file and what to do. What a person has approved
// is written.
func TestLinkedIsNotWritten(t *testing.T) {
	t.Parallel()
	l, req := world(t)
	store := filepath.Join(filepath.Dir(req.Dir), "store")
	pkg := filepath.Join(req.Dir, "node_modules", "pkg.js")
	named := filepath.Join(req.Dir, "named")
	if os.MkdirAll(store, 0o755) != nil || os.MkdirAll(filepath.Dir(pkg), 0o755) != nil {
		t.Fatal("no folders")
	}
	for from, to := range map[string]string{store + "/pkg": pkg, store + "/named": named} {
		if os.WriteFile(from, []byte("theirs"), 0o644) != nil || os.Link(from, to) != nil {
			t.Fatal("no links")
		}
	}
	run := func(line string, yes bool) (Outcome, string) {
		t.Helper()
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r := req
		r.Shell.Text = line
		r.Stdio.In, r.Stdio.Out, r.Stdio.Err = devNull(t), devNull(t), write
		j, err := l.Judge(r)
		if err != nil || (j.Verdict.Decision == pathguard.Ask) != yes {
			t.Fatalf("%s: %v, %v", line, j.Verdict, err)
		}
		out, err := l.carry(context.Background(), j, nil,
			func(context.Context, *attempt) (*permit.Authority, *refusal.Refusal, error) {
				return &permit.Authority{}, nil, nil
			})
		write.Close()
		text, _ := io.ReadAll(read)
		if err != nil || out.Refusal != nil {
			t.Fatalf("%s: %+v, %v", line, out, err)
		}
		return out, string(text)
	}
	content := func(name string) string {
		text, _ := os.ReadFile(name)
		return string(text)
	}
	out, said := run("echo x > named", true)
	if out.Status != 0 || content(store+"/named") != "x\n" {
		t.Errorf("after an approval: %d, %q, %s", out.Status, content(store+"/named"), said)
	}
	if os.Remove(named) != nil {
		t.Fatal("no file to remove")
	}
	code := "import sys\nopen(sys.argv[1], 'w').write('x')\n"
	if os.WriteFile(filepath.Join(req.Dir, "x.py"), []byte(code), 0o644) != nil {
		t.Fatal("no script")
	}
	out, said = run("python3 x.py node_modules/pkg.js || exit 3", false)
	if out.Status != 3 || content(store+"/pkg") != "theirs" {
		t.Errorf("%d, %q, %s", out.Status, content(store+"/pkg"), said)
	}
	found := false
	for e, err := range l.Entries(audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if body := bodyOf(t, e); e.Kind == record.KindEnd && body["sid"] == out.Session {
			shared, _ := body["shared"].(map[string]any)
			list, _ := shared["refused"].([]any)
			if len(list) != 1 {
				continue
			}
			refused, _ := list[0].(map[string]any)
			why, _ := refused["why"].(string)
			found = refused["path"] == pkg && strings.Contains(why, "cp -p FILE NEW && mv NEW FILE")
		}
	}
	if !found {
		t.Error("the record does not name the file")
	}
}
