package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/pathguard"
)

func (c *ctl) policyEdit() *cobra.Command {
	return verb("edit", cobra.NoArgs,
		func(*cobra.Command, []string) error { return c.editPolicy() })
}

func (c *ctl) editPolicy() error {
	s, err := c.editSession()
	if err != nil {
		return err
	}
	defer s.close()
	if s.editor, err = chooseEditor(os.Getenv, exec.LookPath); err != nil {
		return err
	}
	return s.end(s.loop())
}

// editSession begins an edit by a person at a terminal. The caller must close it.
func (c *ctl) editSession() (*editSession, error) {
	if err := c.mayEdit("policy edit"); err != nil {
		return nil, err
	}
	e, err := c.place.EditConfig()
	if err != nil {
		return nil, err
	}
	return &editSession{dialogue: c.dialogue(), e: e}, nil
}

// mayEdit refuses callers that are no person at a terminal.
func (c *ctl) mayEdit(verb string) error {
	if err := caller.MayNow(approval.EditPolicy, approval.ChannelTadactl); err != nil {
		return err
	}
	if !term.IsTerminal(int(c.in.Fd())) {
		return usagef("%s needs a terminal on standard input", verb)
	}
	return nil
}

func (s *editSession) close() {
	s.dialogue.close()
	s.e.Close()
}

// A dialogue asks a person at a terminal, line by line.
type dialogue struct {
	c       *ctl
	signals chan os.Signal
}

func (c *ctl) dialogue() dialogue {
	d := dialogue{c: c, signals: make(chan os.Signal, 1)}
	signal.Notify(d.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return d
}

func (d dialogue) close() { signal.Stop(d.signals) }

// chooseEditor returns the command of the editor.
func chooseEditor(getenv func(string) string, look func(string) (string, error)) (string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command := strings.TrimSpace(getenv(name)); command != "" {
			return command, nil
		}
	}
	for _, name := range []string{"vi", "nano"} {
		if _, err := look(name); err == nil {
			return name, nil
		}
	}
	return "",
		errors.New(
			"no editor: VISUAL and EDITOR are not set, and neither vi nor nano is installed; try: " +
				"EDITOR=PROGRAM tadactl policy edit")
}

// An editSession is one `policy edit`, from the first start of the editor to the end.
type editSession struct {
	dialogue
	e      *launcher.Edit
	editor string
}

// errInterrupted ends the session and leaves the copy.
var errInterrupted = errors.New("interrupted")

// end says what an edit that did not succeed has left.
func (s *editSession) end(err error) error {
	if err == nil || errors.Is(err, errQuit) {
		return nil
	}
	if _, missing := os.Lstat(s.e.Copy); missing == nil {
		fmt.Fprintf(s.c.err,
			"tadactl: your edit is saved in %s; to continue it: tadactl policy edit\n",
			inert(s.e.Copy))
	}
	if errors.Is(err, errInterrupted) {
		return failf(exit.Pending, "interrupted; nothing was changed")
	}
	return err
}

var errQuit = errors.New("quit")

// add makes an edit that only adds rules.
func (s *editSession) add(rules []pathguard.Way) error {
	if s.e.Left {
		return failf(exit.Pending, "an earlier edit was interrupted; first continue or "+
			"discard it: tadactl policy edit")
	}
	err := s.e.Start()
	if err == nil {
		err = s.e.Insert(rules)
	}
	if err != nil {
		return errors.Join(err, s.e.Discard())
	}
	return s.accept(false)
}

func (s *editSession) loop() error {
	again, err := s.begin()
	if err != nil {
		return err
	}
	return s.accept(again)
}

// accept shows what the copy changes until the person accepts it or quits; again says whether it is
// to be edited first.
func (s *editSession) accept(again bool) (err error) {
	for err == nil {
		if again {
			if err = s.open(); err != nil {
				return err
			}
		}
		var change launcher.Change
		change, err = s.e.Check()
		var mistake *pathguard.ConfigError
		switch {
		case errors.As(err, &mistake):
			fmt.Fprintln(s.c.out, mistakeText(mistake))
			again, err = s.ask("(e)dit again, (q)uit without changes: ", "")
			continue
		case err != nil:
			return err
		case change.None():
			fmt.Fprintln(s.c.out, "no changes")
			return s.e.Discard()
		}
		if err = s.unchanged(s.e.Unchanged()); err != nil {
			return err
		}
		s.show(change)
		if again, err = s.ask("accept this? type yes, or (e)dit again, (q)uit without changes: ",
			"yes"); err == nil && !again {
			return s.save(change)
		}
	}
	return err
}

// begin makes the copy, or continues with one that an interrupted edit left; again says whether it
// is to be edited first.
func (s *editSession) begin() (again bool, err error) {
	if !s.e.Left {
		return true, s.e.Start()
	}
	fmt.Fprintf(s.c.out, "An earlier edit was interrupted; its copy is %s.\n", inert(s.e.Copy))
	for {
		answer, err := s.line("(c)ontinue with it, (d)iscard it and start again, (q)uit: ")
		switch {
		case err != nil:
			return false, err
		case answer == "c":
			return true, nil
		case answer == "d":
			return true, s.e.Start()
		case answer == "q":
			return false, errQuit
		}
	}
}

// open runs the editor on the copy. While it runs, an interrupt goes to the editor.
func (s *editSession) open() (err error) {
	if s.editor == "" {
		if s.editor, err = chooseEditor(os.Getenv, exec.LookPath); err != nil {
			return err
		}
	}
	cmd := exec.Command("/bin/sh", "-c", s.editor+` "$1"`, "sh", s.e.Copy)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.c.in, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the editor %q: %w", s.editor, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("the editor %q failed (%w); nothing was changed", s.editor, err)
			}
			return nil
		case sig := <-s.signals:
			if sig != os.Interrupt {
				return errInterrupted
			}
		}
	}
}

// ask waits for e, q, or the word that accepts.
func (s *editSession) ask(prompt, accept string) (again bool, err error) {
	for {
		switch answer, err := s.line(prompt); {
		case err != nil:
			return false, err
		case answer == "e":
			return true, nil
		case answer == "q":
			fmt.Fprintln(s.c.out, "nothing was changed")
			s.c.status = exit.Pending
			return false, errors.Join(errQuit, s.e.Discard())
		case accept != "" && answer == accept:
			return false, nil
		}
	}
}

// line reads one line from the terminal. The end of input, like a signal, is an interruption. It
// does not read ahead: what follows may be for the editor.
func (s dialogue) line(prompt string) (string, error) {
	fmt.Fprint(s.c.out, prompt)
	answer := make(chan string, 1)
	go func() {
		if text, err := bufio.NewReader(s.c.in).ReadString('\n'); err == nil {
			answer <- strings.TrimSpace(text)
		}
		close(answer)
	}()
	select {
	case text, ok := <-answer:
		if ok {
			return text, nil
		}
	case <-s.signals:
	}
	fmt.Fprintln(s.c.out)
	return "", errInterrupted
}

// show prints what the edit changes: the text, and what is in force.
func (s *editSession) show(change launcher.Change) {
	if change.Outside {
		fmt.Fprintln(s.c.out,
			"The configuration had been changed outside tadactl; that change is part "+
				"of this one.")
	}
	fmt.Fprint(s.c.out, change.Text)
	s.showFailed(change.Failed)
	if len(change.InForce) == 0 {
		fmt.Fprint(s.c.out, "\nThe settings in force do not change.\n")
		return
	}
	fmt.Fprint(s.c.out, "\nChanges to the settings in force:\n")
	for _, line := range change.InForce {
		fmt.Fprintf(s.c.out, "  %s\n", line)
	}
}

// showFailed prints the cases that fail.
func (s *editSession) showFailed(failed []pathguard.CaseResult) {
	if len(failed) == 0 {
		return
	}
	fmt.Fprint(s.c.out, "\nCases that fail; until they pass, the configuration before the change "+
		"applies too:\n")
	for _, r := range failed {
		fmt.Fprintf(s.c.out, "  %s\n", caseLine(r))
	}
}

func (s *editSession) save(change launcher.Change) error {
	if err := s.unchanged(s.e.Save(change)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.c.out, "wrote %s and accepted it\n", inert(s.e.Path))
	return err
}

// unchanged words the refusal to overwrite another process's changes.
func (s *editSession) unchanged(err error) error {
	if !launcher.IsChangedSince(err) {
		return err
	}
	return failf(exit.Tampered,
		"%q was changed by someone else while you edited; nothing was written; compare: diff %q %q",
		s.e.Path, s.e.Path, s.e.Copy)
}

// mistakeText returns a mistake as compilers print it: file:line: message.
func mistakeText(e *pathguard.ConfigError) string {
	where := inert(e.File)
	if e.Line > 0 {
		where += fmt.Sprintf(":%d", e.Line)
	}
	text := e.Msg
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return where + ": " + visible(text)
}
