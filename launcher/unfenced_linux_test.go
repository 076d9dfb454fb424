package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
)

// If a file that policy hides cannot be hidden, nothing runs, and a person sees what to type: at
// level base below another program that answers system calls.
func TestCannotHide(t *testing.T) {
	if !below(t) {
		return
	}
	l, req := world(t)
	kept, left := filepath.Join(req.Dir, "kept"), filepath.Join(req.Dir, "left")
	config := fmt.Sprintf("security: {restricted_paths: [%q]}\n", kept)
	if err := errors.Join(os.WriteFile(l.state.Config(), []byte(config), 0o600),
		os.WriteFile(kept, nil, 0o600),
		os.WriteFile(filepath.Join(req.Dir, "build.py"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	l = atBase(t, l)
	req.Shell.Text, req.Stdio, req.PTY = "python3 build.py; touch left", nowhere(t), session.Never
	_, err := l.Run(context.Background(), req)
	if !errors.Is(err, sandbox.ErrCannotHide) || ExitOf(err) != exit.Failed ||
		!strings.Contains(err.Error(), fmt.Sprintf("%q", kept)) ||
		!strings.Contains(err.Error(), "; try: tadactl doctor") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("it ran")
	}
}

// Each error of a sandbox that cannot be had says what to type, and no other one does.
func TestUnfenced(t *testing.T) {
	l, _ := world(t)
	for cause, want := range map[error]string{
		sandbox.ErrNoAnswers: "; try: start tada-run outside the other program, or with tadactl policy edit set network: {default: on}", sandbox.ErrCannotHide: "; try: tadactl doctor,",
		sandbox.ErrUnsupported:                              "; try: tadactl doctor",
		&sandbox.ExecError{Path: "/x", Err: os.ErrNotExist}: "",
	} {
		_, try, _ := strings.Cut(l.unfenced(fmt.Errorf("start: %w", cause)).Error(), cause.Error())
		if !errors.Is(l.unfenced(cause), cause) || !strings.HasPrefix(try, want) ||
			want == "" && try != "" {
			t.Errorf("%v: %q", cause, try)
		}
	}
}
