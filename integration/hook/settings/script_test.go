package settings

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// D-adapt-2: Cline looks only at what its hook prints, so our script prints that the call is
// cancelled, whatever goes wrong.
func TestScriptCancels(t *testing.T) {
	dir := t.TempDir()
	const cancelled = `{"cancel":true,"errorMessage":"tada-run: blocked: `
	for hook, want := range map[string]string{
		`echo '{"overrideInput":{},"tada":{"audit":"1:a"}}'`:         `{"overrideInput":{}`,
		`echo '{"cancel":true,"errorMessage":"audit=1:a"}'; exit 2`:  `{"cancel":true,"error`,
		`echo '{"overrideInput":{},"tada":{"audit":"1:a"}}'; exit 2`: cancelled,
		`echo '{"overrideInput":{},"tada":{"audit":"1:a"}}'; exit 1`: cancelled,
		`printf '{"cancel":true,"err'; exit 2`:                       cancelled,
		`exit 0`:                                                     cancelled,
		`exit 2`:                                                     cancelled,
		`echo fine`:                                                  cancelled,
		`kill -9 $$`:                                                 cancelled,
		`exec sleep 60`:                                              cancelled,
		``:                                                           cancelled,
	} {
		ctl := filepath.Join(dir, "tadactl")
		_ = os.Remove(ctl)
		if hook != "" {
			if err := hermetic.WriteProgram(ctl, []byte("#!/bin/sh\n"+hook+"\n"),
				0o700); err != nil {
				t.Fatal(err)
			}
		}
		text := place(t, "cline").whole(Hook{Ctl: ctl, Each: time.Second - slack/2})
		cmd := exec.Command("/bin/sh", "-c", text)
		cmd.Stdin = strings.NewReader("{}")
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), want) ||
			strings.Count(string(out), "\n") != 1 {
			t.Errorf("%q: %s (%v), want %q", hook, out, err, want)
		}
	}
}
