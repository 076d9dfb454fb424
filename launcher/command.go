package launcher

import (
	"fmt"
	"os"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// command is what the sandbox starts: the real shell with the canonical text, or, for words, the
// very program that was judged. Files made for it are added to own.
func (c *console) command(j *Judgement, own *[]*os.File) (sandbox.Command, error) {
	if j.Plan.DirFile() == nil { // else it would run where this process is, which was not judged
		const gone = "the directory %q is gone or cannot be opened; run it in another one"
		return sandbox.Command{}, fmt.Errorf(gone, j.Request.Dir)
	}
	files := c.terminal.ChildFiles()
	cmd := sandbox.Command{Dir: j.Plan.DirFile(), Files: files[:]}
	cmd.Env = j.client.Environment(j.environ.Kept)
	if tty := c.terminal.TTY(); tty >= 0 {
		cmd.TTY, cmd.HasTTY = tty, true
	}
	if c.requests != nil {
		c.requests.HandDown(&cmd)
	}
	s := j.Request.Shell
	if h := j.Request.Hold; h != nil && h.Shell {
		fd, err := addScript(&cmd, gateScript(h.Door), own)
		cmd.Path, cmd.Argv = j.shell,
			[]string{"bash", "--rcfile", fmt.Sprintf("/dev/fd/%d", fd), "-i"}
		return cmd, err
	}
	if words := s.Simple(j.shell); words != nil && len(j.Plan.Programs) > 0 {
		if p := &j.Plan.Programs[0]; p.Name == words[0] && p.File() != nil {
			cmd.Argv, cmd.Path, cmd.Exe = j.client.Arguments(words), p.Path, p.File()
			return cmd, nil
		}
	} // else a word that the shell itself knows, or that nothing has: the shell says which
	options, text := s.Apart(j.Script.Canonical)
	cmd.Path, cmd.Argv = j.shell, s.Argv(j.shell, options, text)
	switch {
	case s.Stdin:
		script, err := scriptFile(text)
		cmd.Files[0], *own = script, append(*own, script)
		return cmd, err
	case len(text) >= maxArgument:
		for _, fd := range j.Request.Files { // whose numbers are taken
			room := max(0, min(fd, maxInherited)+1-len(cmd.Files))
			cmd.Files = append(cmd.Files, make([]*os.File, room)...)
		}
		fd, err := addScript(&cmd, text, own)
		cmd.Argv = s.Argv(j.shell, options, fmt.Sprintf(". /dev/fd/%d", fd))
		return cmd, err
	}
	return cmd, nil
}

// addScript gives the command a text in a separate descriptor, whose number it returns.
func addScript(cmd *sandbox.Command, text string, own *[]*os.File) (fd int, err error) {
	script, err := scriptFile(text)
	*own, cmd.Files = append(*own, script), append(cmd.Files, script)
	return len(cmd.Files) - 1, err
}

// maxArgument is the longest argument that execve(2) takes (MAX_ARG_STRLEN), with its NUL.
const maxArgument = 128 << 10

// scriptFile holds text too long to be an argument, or that the shell must read as its input,
// in anonymous memory: it has no name under which it could be changed.
func scriptFile(text string) (*os.File, error) {
	fd, err := memfd("script", 0)
	if err != nil {
		return nil, fmt.Errorf("hold the script in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "script")
	if _, err := f.WriteString(text); err == nil {
		_, err = f.Seek(0, 0)
		if err == nil {
			return f, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("hold the script in memory: %w", err)
}
