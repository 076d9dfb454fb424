package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
)

// maxLine is the maximum length of a line of --jsonl: a command line of 1 MiB, every byte of it
// escaped.
const maxLine = 8 << 20

func (c *ctl) check() *cobra.Command {
	var lines bool
	cmd := verb("check [--jsonl] [COMMAND]", cobra.MaximumNArgs(1), func(cmd *cobra.Command,
		args []string) error {
		switch {
		case lines && len(args) == 0:
			return c.checkLines(os.Stdin)
		case !lines && len(args) == 1:
			return c.checkOne(args[0])
		}
		return usagef("expected one command line, or --jsonl with lines on standard input")
	})
	cmd.Flags().BoolVar(&lines, "jsonl", false, "")
	return cmd
}

func (c *ctl) checkOne(text string) error {
	l, dir, err := c.judgeHere()
	if err != nil {
		return err
	}
	r, err := judge(l, question{Cmd: &text, Cwd: dir}, nil, (*launcher.Judgement).Check)
	if err != nil {
		return err
	}
	c.status = r.Status()
	if c.json {
		return c.printJSON(r)
	}
	_, err = fmt.Fprint(c.out, r.Text())
	return err
}

// A question is one line of --jsonl.
type question struct {
	ID  string  `json:"id"`
	Cmd *string `json:"cmd"`
	Cwd string  `json:"cwd"`
}

// checkLines answers every line, also one that cannot be read: a caller that pairs answers with
// questions by their order must not lose its place.
func (c *ctl) checkLines(in io.Reader) error {
	l, err := c.openToRead()
	if err != nil {
		return err
	}
	dir, _ := os.Getwd()
	look := &pathguard.Look{}
	out := bufio.NewWriter(c.out)
	lines := bufio.NewScanner(arrivals{in, out, look})
	lines.Buffer(make([]byte, 1<<20), maxLine)
	for lines.Scan() {
		if _, err := fmt.Fprintln(out, answer(l, lines.Bytes(), dir, look).JSON()); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	return nil
}

// arrivals are lines that come in pieces. The lines of a piece are answered as of one moment, and
// their answers are written before it reads more, for callers that wait for them.
type arrivals struct {
	io.Reader
	answers *bufio.Writer
	look    *pathguard.Look
}

func (a arrivals) Read(b []byte) (int, error) {
	if err := a.answers.Flush(); err != nil {
		return 0, err
	}
	n, err := a.Reader.Read(b)
	a.look.Forget()
	return n, err
}

func answer(l *launcher.Launcher, line []byte, dir string, look *pathguard.Look) launcher.Report {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return launcher.Unjudged(q.ID, fmt.Errorf("not a JSON object with id and cmd: %w", err))
	}
	if q.Cmd == nil {
		return launcher.Unjudged(q.ID, errors.New("cmd is missing"))
	}
	if q.Cwd == "" {
		q.Cwd = dir
	}
	if !filepath.IsAbs(q.Cwd) {
		return launcher.Unjudged(q.ID, fmt.Errorf("cwd %q is not absolute", q.Cwd))
	}
	r, err := judge(l, q, look, func(j *launcher.Judgement, id string) (launcher.Report, error) {
		return j.Report(id), nil
	})
	if errors.Is(err, launcher.ErrEmpty) && strings.TrimSpace(*q.Cmd) != "" {
		return launcher.Idle(q.ID)
	}
	if err != nil {
		return launcher.Unjudged(q.ID, err)
	}
	return r
}

// judge asks the launcher what it would do. The standard input of a check is not that of the
// command, so nothing is assumed about it.
func judge(l *launcher.Launcher, q question, look *pathguard.Look, report func(*launcher.Judgement,
	string) (launcher.Report, error)) (launcher.Report, error) {
	j, err := l.JudgeAt(look, launcher.Request{
		Shell: shell.Call{Text: *q.Cmd, Name: "tada-run"}, Env: os.Environ(), Dir: q.Cwd,
	})
	if err != nil {
		return launcher.Report{}, err
	}
	defer j.Close()
	return report(j, q.ID)
}
