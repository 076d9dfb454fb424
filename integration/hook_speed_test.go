package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestHookSpeed prints how long `tadactl hook run` takes from start to end, compared with `bash -c
// true` in the same rounds: an agent waits for it before every call. The target is 10 ms. It is a
// report, not a check, and runs only on request.
func TestHookSpeed(t *testing.T) {
	if os.Getenv("BENCH_HOOK") == "" {
		t.Skip("a report for people: make bench-hook")
	}
	bin, work, home := t.TempDir(), quiet(t), filepath.Join(quiet(t), "state")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", bin,
		"../cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write(t, filepath.Join(work, "main.go"), "package main\n")
	const sent = `{"session_id":"s","transcript_path":"/t","cwd":%q,"hook_event_name":"PreToolUse","tool_name":%q,"tool_input":%s,"tool_use_id":"t"}`
	ctl := filepath.Join(bin, "tadactl")
	for _, call := range []struct{ what, tool, args string }{
		{"a command that goes on", "Bash", `{"command":"go test ./... | tail -n 5"}`},
		{"a command that is denied", "Bash", `{"command":"rm -rf /"}`},
		{"a file that is written", "Write", `{"file_path":"main.go","content":"package main\n"}`},
	} {
		input := fmt.Appendf(nil, sent, work, call.tool, call.args)
		var hooks, shells, ratios, cpu []float64
		for round := range rounds + 3 {
			bare := exec.Command("bash", "-c", "true")
			hook := exec.Command(ctl, "hook", "run", "--home="+home, "claude-code")
			hook.Stdin = bytes.NewReader(input)
			shellTook, hookTook := elapsed(bare), elapsed(hook)
			if round < 3 { // the first rounds fill caches
				continue
			}
			shells, hooks = append(shells, shellTook), append(hooks, hookTook)
			ratios = append(ratios, hookTook/shellTook)
			cpu = append(cpu, float64((hook.ProcessState.UserTime()+
				hook.ProcessState.SystemTime()).Microseconds())/1000)
		}
		t.Logf("%-26s %5.1f ms, of it %4.1f ms of processor time; bash -c true %4.1f ms; ratio %4.1f (medians of %d pairs; the aim is 10 ms)",
			call.what, median(hooks), median(cpu), median(shells), median(ratios), rounds)
	}
}

// elapsed runs a command and returns how long it took, in milliseconds.
func elapsed(cmd *exec.Cmd) float64 {
	began := time.Now()
	_ = cmd.Run() // a denied call ends with 2
	return float64(time.Since(began).Microseconds()) / 1000
}
