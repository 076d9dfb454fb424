package render_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

// firstPage is the first page of a plan with one command.
func firstPage(t *testing.T, command string, members map[string]any) render.Page {
	t.Helper()
	return render.Render(plantest.Small(t, func(p map[string]any) {
		p["tool_calls"] = []any{map[string]any{"tool_call_id": "c1", "tool_name": "shell",
			"args": map[string]any{"command": command}}}
		for k, v := range members {
			p[k] = v
		}
	}), render.Options{Width: 79})
}

// because is a reason with a path.
func because(rule, message, path string) any {
	return map[string]any{"rule": rule, "verdict": "ask", "message": message, "path": path}
}

// What one reason says of a path hides nothing else that happens to it, and no name can stand for
// another effect.
func TestReasonsHideNoEffect(t *testing.T) {
	for _, test := range []struct {
		name    string
		reasons []any
		effects map[string]any
		want    []string
	}{
		{"read and deleted", []any{because("read.secret", "reads a secret: /w/.env", "/w/.env")},
			map[string]any{"delete": []any{"/w/.env"}}, []string{"deletes /w/.env"}},
		{"read and written", []any{because("read.secret", "reads a secret: /w/.env", "/w/.env")},
			map[string]any{"write": []any{"/w/.env"}}, []string{"writes /w/.env"}},
		{"a path at the end of another", []any{because("write.protected",
			"changes what runs later: /w/x /w/main.go", "/w/x /w/main.go")},
			map[string]any{"delete": []any{"/w/main.go"}}, []string{"deletes /w/main.go"}},
		{"a host at the end of a path", []any{because("write.protected",
			"changes what runs later: /w/x evil.example", "/w/x evil.example")},
			map[string]any{"net": []any{"evil.example:443"}},
			[]string{"connects to evil.example:443"}},
		{"two rules of one kind", []any{because("path.sweep",
			"reads everything below /h, including /h/s", "/h"),
			because("path.reach", "changes names below /h", "/h")}, map[string]any{},
			[]string{"reads everything below /h", "changes names below /h"}},
	} {
		p := firstPage(t, "x", map[string]any{"reasons": test.reasons, "effects": test.effects})
		for _, want := range test.want {
			if !strings.Contains(p.Text(), want) {
				t.Errorf("%s: no %q in\n%s", test.name, want, p.Text())
			}
		}
	}
	// What a reason says of a deletion is said once.
	p := firstPage(t, "x", map[string]any{
		"reasons": []any{because("delete.outside", "deletes outside: /h/a", "/h/a"),
			because("delete.tree", "deletes everything below /h/a", "/h/a")},
		"effects": map[string]any{"delete": []any{"/h/a"}}})
	if strings.Count(p.Text(), "/h/a") != 1 {
		t.Errorf("said twice:\n%s", p.Text())
	}
}

// No deletion and no host is left out of a page that can be approved.
func TestManyNames(t *testing.T) {
	var names, hosts []any
	for i := range 12 {
		names, hosts = append(names, fmt.Sprintf("/w/f%02d", i)),
			append(hosts, fmt.Sprintf("h%02d.example", i))
	}
	for kind, list := range map[string][]any{"delete": names, "net": hosts} {
		few := firstPage(t, "x", map[string]any{"effects": map[string]any{kind: list[:8]}})
		many := firstPage(t, "x", map[string]any{"effects": map[string]any{kind: list}})
		if few.Truncated || !strings.Contains(few.Text(), fmt.Sprint(list[7])) || !many.Truncated {
			t.Errorf("%s: truncated %v and %v\n%s", kind, few.Truncated, many.Truncated,
				few.Text())
		}
	}
}

// A name of the agent's choosing has an end that is seen.
func TestNamesHaveEnds(t *testing.T) {
	const forged = `a in /tmp", workspace /tmp; cannot be undone`
	p := firstPage(t, "x", map[string]any{"agent_name": forged, "work_item_id": forged,
		"reasons": []any{because("delete.outside", "deletes outside: "+forged, forged)},
		"context": map[string]any{"cwd": "/w/" + forged}})
	for _, line := range p.Lines[1:] {
		if rest := strings.ReplaceAll(line, `\"`, ""); strings.Contains(rest, "workspace /tmp;") &&
			strings.Count(p.Text(), `"`)%2 != 0 {
			t.Errorf("%q ends nowhere:\n%s", forged, p.Text())
		}
	}
	if strings.Contains(p.Text(), "in /tmp\", workspace") {
		t.Errorf("the quotes are not marked:\n%s", p.Text())
	}
}

// A word that may be taken for another one is told of before what is merely odd.
func TestLookAlikesAreToldFirst(t *testing.T) {
	p := firstPage(t, "rm -rf d\u043ecs", map[string]any{"agent_name": "a\x01\x02\x03\x04"})
	if !strings.Contains(p.Text(), "\nwarning  word that mixes alphabets") {
		t.Error(p.Text())
	}
}

// The largest questions are drawn in time that grows with their size: one of 4 times the lines
// takes less than 12 times as long.
func TestManyReasonsTakeLinearTime(t *testing.T) {
	took := func(n int) time.Duration {
		var reasons []any
		var command strings.Builder
		for i := range n {
			start := command.Len()
			fmt.Fprintf(&command, "rm ~/f%d\n", i)
			path := fmt.Sprintf("/home/u/f%d", i)
			reasons = append(reasons, map[string]any{"rule": "delete.outside", "verdict": "ask",
				"message": "deletes outside: " + path, "path": path,
				"span": []any{start, command.Len() - 1}})
		}
		p := plantest.Full(command.String())
		p["reasons"] = reasons
		payload := plantest.Bytes(t, p)
		best := time.Hour
		for range 3 {
			start := processor(t)
			render.Render(payload, render.Options{})
			best = min(best, processor(t)-start)
		}
		return best
	}
	if small, large := took(2000), took(8000); large > 12*small {
		t.Errorf("2,000 reasons take %v, 8,000 take %v", small, large)
	}
}

// processor is how long these tests have had a processor: other programs do not make it longer.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A reason that points at all of a long text does not say where to look.
func TestWholeTextIsCut(t *testing.T) {
	command := strings.Repeat("true >f\n", 10_000)
	p := firstPage(t, command, map[string]any{"reasons": []any{map[string]any{"rule": "x",
		"verdict": "ask", "message": "m", "span": []any{0, len(command)}}}})
	if !p.Truncated || len(p.Lines) > 24 {
		t.Errorf("%d lines", len(p.Lines))
	}
}
