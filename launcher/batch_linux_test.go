package launcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// steps are a batch of command lines, with an id each.
func steps(t *testing.T, base Request, lines ...string) Batch {
	t.Helper()
	b := Batch{}
	for i, line := range lines {
		c := base
		c.Shell.Text, c.CallID = line, fmt.Sprint("c", i+1)
		c.Stdio.In, c.Stdio.Out, c.Stdio.Err = devNull(t), devNull(t), devNull(t)
		b.Calls = append(b.Calls, c)
	}
	return b
}

// C-8.2.1, B-R7.1: a denied call is skipped and the others run; where steps build on each other,
// the batch ends at it. Begin and End frame each call in its order.
func TestBatchStops(t *testing.T) {
	t.Parallel()
	l, base := world(t)
	l.policy = tightened(t, l, "rules: {commands: [{program: 'false', verdict: deny}]}")
	for stop, want := range map[bool]string{false: "c1:0 c2:dangerous_command c3:0",
		true: "c1:0 c2:dangerous_command c3:stopped"} {
		b := steps(t, base, "true", "false", "true # 3")
		b.Stop = stop
		var order []string
		b.Begin = func(i int) { order = append(order, fmt.Sprint("begin ", i)) }
		b.End = func(i int, _ BatchResult) { order = append(order, fmt.Sprint("end ", i)) }
		results, err := l.RunBatch(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range results {
			what := fmt.Sprint(r.Status())
			if r.Outcome.Refusal != nil {
				what = r.Outcome.Refusal.Code
			}
			got = append(got, r.ID+":"+what)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("stop %v: %v, want %s", stop, got, want)
		}
		if !slices.Equal(order,
			[]string{"begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"}) {
			t.Errorf("stop %v: %v", stop, order)
		}
	}
}

// What cannot be answered one by one is no batch, and nothing of it runs.
func TestBatchIsRefused(t *testing.T) {
	t.Parallel()
	l, base := world(t)
	twice := steps(t, base, "true", "true")
	twice.Calls[1].CallID = "c1"
	nameless := steps(t, base, "true")
	nameless.Calls[0].CallID = ""
	many := steps(t, base, strings.Split(strings.Repeat("true,", MaxCalls+1), ",")[:MaxCalls+1]...)
	for name, b := range map[string]Batch{"empty": {}, "the same id": twice, "no id": nameless,
		"too many": many} {
		if _, err := l.RunBatch(context.Background(), b); !errors.Is(err, ErrBatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := l.RunBatch(context.Background(),
		steps(t, base, "true", "# nothing")); !errors.Is(err, ErrEmpty) {
		t.Errorf("a call without a command: %v", err)
	}
	if _, err := os.Stat(filepath.Join(l.state.Audit(), "log.jsonl")); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("something was recorded, so something may have been started: %v", err)
	}
}
