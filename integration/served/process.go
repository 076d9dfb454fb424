package served

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a server that runs.
type process struct {
	cmd    *exec.Cmd
	ready  chan struct{} // closed when it says that it serves
	said   string        // that
	ended  chan struct{}
	mu     sync.Mutex
	errors bytes.Buffer
}

// newProcess returns a server that is not started yet, and which ends with this process.
func newProcess(path string, arguments ...string) *process {
	p := &process{cmd: exec.Command(path, arguments...), ready: make(chan struct{}),
		ended: make(chan struct{})}
	p.cmd.SysProcAttr = endsWithParent()
	p.cmd.Stderr = p
	return p
}

// start starts a server.
func start(path string, arguments ...string) (*process, error) {
	p := newProcess(path, arguments...)
	return p, p.start()
}

func (p *process) start() error {
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	started := make(chan error)
	go func() {
		// the kernel ends the server with the thread that started it
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		if lines := bufio.NewScanner(out); lines.Scan() {
			p.said = lines.Text()
			close(p.ready)
		}
		_ = p.cmd.Wait() // it is always killed
		close(p.ended)
	}()
	return <-started
}

// Write keeps what the server says on its standard error.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.errors.Write(b)
}

// memory is how many KiB of memory the server has; 0 if that is not known.
func (p *process) memory() (kib int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "\nVmRSS:")
	_, _ = fmt.Sscan(rest, &kib)
	return kib
}

// serves waits until the server answers.
func (p *process) serves(limit time.Duration) error {
	select {
	case <-p.ready:
		return nil
	case <-p.ended:
	case <-time.After(limit):
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Errorf("%s does not serve: %.2000s", p.cmd, p.errors.String())
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) } // it may have ended

func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}
