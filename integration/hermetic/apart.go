package hermetic

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Apart is [Tests] for tests that look at a program's ancestors. They run in an orphaned process:
// when an agent's program starts the tests, its name and variables are not among the ancestors.
//
// The process has a session of its own, because the one it was started in may have lost its leader
// (nohup, a service), and then nothing that a command leaves running may keep running.
//
// There are three processes. The go command waits for the first, which starts the second. The
// second starts the third and exits, and the orphaned third runs the tests.
func Apart(m *testing.M) M { return M{m: m, apart: true} }

// The variable stage says which of the three processes this is, "" for the first.
const (
	stage  = "TEST_APART"
	second = "second"
	third  = "third"
)

// The descriptors of the third process.
const (
	statusFD = 3 + iota // it writes its exit status there, one byte
	// a byte is sent when the second has ended, and the end of file when the first has
	alongFD
)

// first starts the second process and returns the exit status of the third, or 2 if it reported
// none.
func first() int {
	status, statusOf, err := os.Pipe()
	if err != nil {
		return failed(err)
	}
	defer status.Close()
	along, alongOf, err := os.Pipe()
	if err != nil {
		return failed(err)
	}
	defer alongOf.Close()
	err = self(second, statusOf, along).Run()
	statusOf.Close()
	along.Close()
	if err == nil {
		_, err = alongOf.Write([]byte{0})
	}
	if err != nil {
		return failed(err)
	}
	b, _ := io.ReadAll(status)
	if len(b) != 1 {
		return 2
	}
	return int(b[0])
}

// leave starts the third process and does not wait for it.
func leave() int {
	cmd := self(third, os.NewFile(statusFD, "status"), os.NewFile(alongFD, "along"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return failed(err)
	}
	return 0
}

// alone runs the tests in the third process.
func (h M) alone() int {
	syscall.CloseOnExec(statusFD)
	syscall.CloseOnExec(alongFD)
	os.Unsetenv(stage)
	along := os.NewFile(alongFD, "along")
	if _, err := along.Read(make([]byte, 1)); err != nil {
		return failed(err)
	}
	go func() { // a signal that ends the first process is meant for the tests
		_, _ = along.Read(make([]byte, 1))
		os.Exit(1)
	}()
	code := h.m.Run()
	if _, err := os.NewFile(statusFD, "status").Write([]byte{byte(code)}); err != nil {
		return failed(err)
	}
	return code
}

// self is this program again, as the process of that stage.
func self(at string, files ...*os.File) *exec.Cmd {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	if exe, err := os.Executable(); err == nil {
		cmd.Path = exe
	}
	cmd.Env = append(os.Environ(), stage+"="+at)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = files
	return cmd
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "hermetic:", err)
	return 1
}
