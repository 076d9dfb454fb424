package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher"
)

// pieces are a standard input that comes piece by piece.
type pieces []func() string

func (p *pieces) Read(b []byte) (int, error) {
	if len(*p) == 0 {
		return 0, io.EOF
	}
	next := (*p)[0]
	*p = (*p)[1:]
	return copy(b, next()), nil
}

// Lines that come later are answered as of later; lines that came together share one look at the
// disk.
func TestCheckLooksAgain(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"w/.git", "home"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	outside, inside := filepath.Join(root, "other"), filepath.Join(root, "w/file")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf(`{"cmd":"unknown-tool","cwd":%q}`+"\n", filepath.Join(root, "w"))
	after := func(change error) string {
		if change != nil {
			t.Error(change)
		}
		return line
	}
	out := &bytes.Buffer{}
	c := &ctl{out: out, place: launcher.Place{State: filepath.Join(root, "state"),
		Account: filepath.Join(root, "home")}}
	if err := c.checkLines(&pieces{
		func() string { return line + line },
		func() string {
			if strings.Count(out.String(), "\n") != 2 {
				t.Errorf("a caller that waits for two answers has %q", out)
			}
			return after(os.Link(outside, inside))
		},
		func() string { return after(os.Remove(inside)) },
	}); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []bool{false, false, true, false} {
		if i >= len(answers) || strings.Contains(answers[i], "code.linked") != want {
			t.Errorf("line %d: want code.linked %v in %q", i, want, answers)
		}
	}
}
