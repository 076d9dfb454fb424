package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// sandboxExec is Apple's program that enters Seatbelt and becomes another one. Nothing else is
// tried: without it, nothing runs.
const sandboxExec = "/usr/bin/sandbox-exec"

// Start starts a command in Seatbelt, at level Base. Its Argv[0] is its path, because sandbox-exec
// has no way to give another. It has no terminal and inherits nothing beside Files.
func Start(p Profile, c Command) (*Process, Receipt, error) {
	if c.HasTTY || len(c.Inherit) > 0 || c.Request != nil {
		return nil, Receipt{}, fmt.Errorf("%w: on macOS a command has no terminal and inherits "+
			"no descriptor", ErrUnsupported)
	}
	receipt := Receipt{Level: Base, Kernel: kernel(), Profile: p.Digest()}
	program, err := programName(c)
	if err != nil {
		return nil, receipt, err
	}
	named, err := p.onDisk()
	if err != nil {
		return nil, receipt, err
	}
	text, lost, err := seatbelt(named, program)
	if err != nil {
		return nil, receipt, err
	}
	receipt.Lost = lost
	dir := ""
	if c.Dir != nil {
		if dir, err = kernelName(c.Dir); err != nil {
			return nil, receipt, err
		}
	}
	words := append([]string{sandboxExec, "-p", text, "--", program},
		c.Argv[min(1, len(c.Argv)):]...)
	process, err := os.StartProcess(sandboxExec, words, &os.ProcAttr{Dir: dir, Files: c.Files,
		Env: append([]string{}, c.Env...), Sys: &unix.SysProcAttr{Setpgid: true}})
	if err != nil {
		return nil, receipt, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return &Process{process: process}, receipt, nil
}
