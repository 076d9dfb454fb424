package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/render"
)

// run runs a command and returns the id of its run.
func (c client) run(t *testing.T, command string) string {
	t.Helper()
	got, text, bad := c.call(t, "run_command", args{"command": command})
	if bad || got["status"] != 0.0 {
		t.Fatalf("%s: %v %q", command, got, text)
	}
	id, _ := got["session"].(string)
	return id
}

func (c client) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c client) read(name string) string {
	b, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return "none"
	}
	return string(b)
}

// asked is the question that an undo waits for, with the page that the person is shown.
func (c client) asked(t *testing.T, in args, because string) (id, page string) {
	t.Helper()
	got, text, bad := c.call(t, "undo_run", in)
	refusal, _ := got["refusal"].(map[string]any)
	if !bad || got["undone"] != false || refusal["code"] != "pending" ||
		!strings.Contains(text, "tadactl approve") {
		t.Fatalf("%v: it is not asked about: %v %q", in, got, text)
	}
	id = refusal["envelope"].(string)
	e, err := c.l.Envelope(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.l.Page(e.Payload, render.Options{Width: 100, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(strings.ReplaceAll(p.Text(), "┊", "")), " ")
	if !strings.Contains(flat, because) {
		t.Errorf("%v: the page does not say %q:\n%s", in, because, p.Text())
	}
	return id, p.Text()
}

// TestUndoRun: an agent takes its own last run back by itself; everything else is a question that
// shows the plan.
func TestUndoRun(t *testing.T) {
	c := connect(t, "")
	if got, text, bad := c.call(t, "undo_run", args{}); !bad ||
		!strings.Contains(text, "tadactl sessions") {
		t.Errorf("without a run: %v %q", got, text)
	}
	c.write(t, "a", "before\n")
	first := c.run(t, "echo agent > a; echo new > b")
	got, text, bad := c.call(t, "undo_run", args{"check": true})
	if bad || got["undone"] != false || got["run"] != first || c.read("b") != "new\n" ||
		!strings.Contains(text, "rewrite "+c.dir+"/a\nremove "+c.dir+"/b\n") &&
			!strings.Contains(text, "remove "+c.dir+"/b\nrewrite "+c.dir+"/a\n") {
		t.Errorf("the plan: %v %q", got, text)
	}
	got, text, bad = c.call(t, "undo_run", args{})
	if bad || got["undone"] != true || c.read("a") != "before\n" || c.read("b") != "none" {
		t.Fatalf("its own last run: %v %q", got, text)
	}
	// It does it again, and takes that back.
	if got, text, bad = c.call(t, "undo_run", args{"run": got["undo"]}); bad ||
		c.read("a") != "agent\n" || c.read("b") != "new\n" {
		t.Fatalf("its own undo: %v %q", got, text)
	}
	if _, text, bad := c.call(t, "undo_run", args{}); bad || c.read("b") != "none" {
		t.Fatalf("the redo: %q", text)
	}
	// What came later is not only its own.
	c.run(t, "echo agent > a; echo new > b")
	c.write(t, "a", "a person's\n")
	id, page := c.asked(t, args{}, "it was changed since: "+c.dir+"/a")
	for _, line := range []string{"refuse", "remove", c.dir + "/b", "yes, for"} {
		if !strings.Contains(page, line) {
			t.Errorf("the page has no %q:\n%s", line, page)
		}
	}
	if c.read("b") != "new\n" {
		t.Error("the question alone takes something back")
	}
	decide(t, c, id, true, "")
	if got, text, bad := c.call(t, "undo_run", args{}); bad || got["refused"] != 1.0 ||
		c.read("a") != "a person's\n" || c.read("b") != "none" {
		t.Errorf("after the yes: %v %q", got, text)
	}
	// The first of two runs, and a run that another server's client started.
	run := c.run(t, "echo 1 > c")
	last := c.run(t, "echo 2 > d")
	c.asked(t, args{"run": run}, "a later run changed files of this workspace too: "+last)
	other := c.start(t, filepath.Join(filepath.Dir(c.dir), "state"))
	other.asked(t, args{"run": last}, "this agent did not start it")
	if _, text, bad := c.call(t, "undo_run", args{"run": last, "cwd": t.TempDir()}); !bad ||
		!strings.Contains(text, "another workspace") {
		t.Errorf("from another workspace: %q", text)
	}
	if _, err := c.l.VerifyWith(complete); err != nil {
		t.Error(err)
	}
}

// TestUndoOfProtectedFiles: what an undo puts back of protected files is no tampering afterwards.
// Nothing is taken back while one is changed from outside.
func TestUndoOfProtectedFiles(t *testing.T) {
	c := connect(t, "")
	config := filepath.Join(filepath.Dir(c.dir), "state/config.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(strings.Replace(string(text), "security:\n",
		"security:\n  tamper_proof: true\n  protect: [TODO.md]\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	c = c.start(t, filepath.Dir(config))
	got, answer, bad := c.call(t, "run_command", args{"command": "echo two >> TODO.md; echo x > y"})
	if refusal, ok := got["refusal"].(map[string]any); ok && refusal["code"] == "pending" {
		decide(t, c, refusal["envelope"].(string), true, "")
		got, answer, bad = c.call(t, "run_command",
			args{"command": "echo two >> TODO.md; echo x > y"})
	}
	if bad || got["status"] != 0.0 || c.read("TODO.md") != "one\ntwo\n" {
		t.Fatalf("%v %q", got, answer)
	}
	got, answer, bad = c.call(t, "undo_run", args{})
	if refusal, ok := got["refusal"].(map[string]any); ok && refusal["code"] == "pending" {
		decide(t, c, fmt.Sprint(refusal["envelope"]), true, "")
		got, answer, bad = c.call(t, "undo_run", args{})
	}
	if bad || got["undone"] != true || c.read("TODO.md") != "one\n" {
		t.Fatalf("the undo: %v %q", got, answer)
	}
	if _, text, bad := c.call(t, "run_command", args{"command": "cat TODO.md"}); bad {
		t.Fatalf("a false alarm after the undo: %q", text)
	}
	c.run(t, "echo z > z")
	c.write(t, "TODO.md", "from outside\n")
	if _, text, bad := c.call(t, "undo_run", args{}); !bad ||
		!strings.Contains(text, "TamperError") || c.read("z") != "z\n" {
		t.Errorf("while a protected file is changed from outside: %q", text)
	}
	if _, err := c.l.VerifyWith(complete); err != nil {
		t.Error(err)
	}
}
