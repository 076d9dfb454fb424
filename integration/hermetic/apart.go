package hermetic

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Apart is [Tests] for tests of who a program's ancestors are: they run in a process that is
// nobody's child. Else they would fail for whoever has them run by an agent's program, whose
// name and variables are then in the line of ancestors.
//
// They have a session of their own, because that of whoever started the tests may have ended
// (nohup, a service): what a command leaves running then has nobody to run for.
//
// There are three processes. The first is the one that the go command waits for; it starts the
// second, which starts the third and ends, so that the third loses its parent and runs the tests.
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
	// a byte comes when the second has ended, the end of the file when the first has
	alongFD
)

// first starts the second process and returns the exit status of the third, 2 for one that has
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
