package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/tada-run/tada-run/launcher/prompt"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// paged prints through the person's pager, as git does: on a terminal only, with PAGER or less,
// which ends by itself when all fits on the screen. What a run left in files cannot move the cursor
// there: see screenText.
func (c *ctl) paged(print func(io.Writer) error) error {
	out, ok := c.out.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return print(c.out)
	}
	text := &screenText{coloured: prompt.LookHere(c.place.Plain).Colour}
	pager := startPager(out)
	if pager == nil {
		text.to = out
		return errors.Join(print(text), text.end())
	}
	text.to = pager.in
	err := errors.Join(print(text), text.end())
	if errors.Is(err, syscall.EPIPE) {
		err = nil // the person has seen enough
	}
	return errors.Join(err, pager.wait())
}

// A pager is a program that shows text on the terminal.
type pager struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

// startPager returns nil where the person wants none, or there is none.
func startPager(out *os.File) *pager {
	line, set := os.LookupEnv("PAGER")
	if !set {
		line = "less"
	}
	if line = strings.TrimSpace(line); line == "" || line == "cat" {
		return nil
	}
	if _, err := exec.LookPath(line); !set && err != nil {
		return nil
	}
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.Env = os.Environ()
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	signal.Ignore(syscall.SIGINT) // it is for the pager
	return &pager{cmd, in}
}

// wait waits until the person has read. Only a shell that found no program fails.
func (p *pager) wait() error {
	p.in.Close()
	defer signal.Reset(syscall.SIGINT)
	err := p.cmd.Wait()
	if code := p.cmd.ProcessState.ExitCode(); err != nil && (code == 126 || code == 127) {
		return fmt.Errorf("the pager %q does not run; try: PAGER=cat tadactl diff", p.cmd.Args[2])
	}
	return nil
}

// screenText makes lines inert, and colours those of a diff.
type screenText struct {
	to       io.Writer
	coloured bool
	line     strings.Builder // the beginning of a line
	body     bool            // of a hunk: it has no headers
	err      error
}

func (s *screenText) Write(p []byte) (int, error) {
	for rest := string(p); rest != ""; {
		line, after, whole := strings.Cut(rest, "\n")
		s.line.WriteString(line)
		if rest = after; whole {
			s.flush("\n")
		}
	}
	return len(p), s.err
}

// end prints a last line without an end.
func (s *screenText) end() error {
	if s.line.Len() > 0 {
		s.flush("")
	}
	return s.err
}

func (s *screenText) flush(end string) {
	text := s.line.String()
	s.line.Reset()
	columns := strings.Split(text, "\t")
	for n := range columns {
		columns[n] = tamper.Inert(columns[n])
	}
	colour := s.colour(text)
	if text = strings.Join(columns, "\t"); colour != "" && s.coloured {
		text = colour + text + "\x1b[m"
	}
	if s.err == nil {
		_, s.err = io.WriteString(s.to, text+end)
	}
}

// colour is that of a line of a diff, as in git.
func (s *screenText) colour(line string) string {
	switch {
	case strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "run "):
		s.body = false
		return bold
	case strings.HasPrefix(line, "@@ "):
		s.body = true
		return "\x1b[36m"
	case !s.body:
		return headColour(line)
	case strings.HasPrefix(line, "+"):
		return "\x1b[32m"
	case strings.HasPrefix(line, "-"):
		return "\x1b[31m"
	}
	return ""
}

const bold = "\x1b[1m"

// headColour is that of a line between the name of a file and its changes.
func headColour(line string) string {
	for _, head := range []string{"--- ", "+++ ", "old mode ", "new mode ", "new file mode ",
		"deleted file mode ", "rename from ", "rename to "} {
		if strings.HasPrefix(line, head) {
			return bold
		}
	}
	return ""
}
