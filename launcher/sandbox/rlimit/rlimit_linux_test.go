package rlimit_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox/rlimit"
)

const asks = "TEST_RLIMIT_ASKS"

// TestOpenFiles is in a package of its own, because what a test imports is initialised before it.
// It starts this test again with a limit of its own, from a shell and, as the runtime of
// this process has raised its limit, from a program in Go.
func TestOpenFiles(t *testing.T) {
	if os.Getenv(asks) != "" {
		soft, ok := rlimit.OpenFiles()
		var now syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &now); err != nil || !ok ||
			now.Cur == soft {
			t.Fatalf("the runtime has raised nothing: %d, %d now (%v)", soft, now.Cur, err)
		}
		os.Stdout.WriteString("soft=" + strconv.FormatUint(soft, 10) + "\n")
		return
	}
	for _, script := range []string{
		`ulimit -Sn 123; exec "$0" -test.run='^TestOpenFiles$'`,
		`ulimit -Sn 123; "$0" -test.run='^TestOpenFiles$'; exit $?`,
	} {
		test := exec.Command("sh", "-c", script, os.Args[0])
		test.Env = append(os.Environ(), asks+"=1")
		out, err := test.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "soft=123\n") {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}
