package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/shell"
)

// nested is for a tada-run that was started inside a sandbox. In a session it asks the launcher
// outside, which judges, records and, if necessary, waits for a person; then the real shell
// replaces this process, in the existing sandbox. Outside a session, the outer run was judged with
// everything that it starts, and there is nothing left to decide: the shell replaces this process
// at once.
//
// A process that could hide the connection to the launcher would gain nothing: it could have
// started the shell itself.
func nested(inv *invocation, argv []string) (int, error) {
	if inv.batch || inv.session || inv.background {
		return 0, errInside
	}
	outside := os.Getenv(control.Variable)
	if inv.line != nil {
		return line(*inv.line, inv.entry, outside)
	}
	call := shell.Call{
		Words: inv.words, Flags: inv.shellFlags, Name: inv.name, Args: inv.args, Script: inv.script,
		Stdin:   inv.stdin,
		Dialect: shell.DialectOf(inv.called),
	}
	if inv.text != nil {
		call.Text = *inv.text
	}
	status, err := ask(inv, &call, outside)
	if !errors.Is(err, control.ErrNoSession) && (err != nil || status >= 0) {
		return max(status, 0), err
	}
	if inv.check {
		return 0, errInside
	}
	if inv.called != "tada-run" { // a shell's own command line is left unchanged
		return 0, launcher.ExecShell(call.Dialect, argv, os.Environ())
	}
	return 0, launcher.ExecShell(call.Dialect, call.Plain(), os.Environ())
}

var errInside = errors.New("already inside a sandbox; run this outside it")

// ask asks the launcher outside about the command line. The status is -1 if it may run.
func ask(inv *invocation, call *shell.Call, outside string) (int, error) {
	if inv.stdin && inv.text == nil {
		// the shell itself reads it later, and no one can see it before that
		return -1, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, fmt.Errorf("the current directory is gone or cannot be read (%v); try: cd /", err)
	}
	req := launcher.Request{
		Shell: *call, Env: os.Environ(), Dir: dir, Agent: inv.agent, WorkItem: inv.workItem,
		CallID:  inv.callID,
		Profile: inv.profile, Wait: inv.wait,
	}
	req.Stdio.In = os.Stdin
	q := launcher.QuestionOf(req)
	q.Check = inv.check
	reply, err := control.Ask(q, outside)
	switch {
	case err != nil:
		return 0, err
	case q.Check && reply.Error == "":
		fmt.Println(string(reply.Report))
		return reply.Exit, nil
	case !reply.Run:
		return refused(reply), nil
	}
	if inv.text != nil && inv.called == "tada-run" && reply.Text != "" {
		call.Text = reply.Text // what was judged is what runs
	}
	return -1, nil
}

// refused prints why something may not run, as it is printed outside.
func refused(r control.Reply) int {
	switch {
	case r.Error != "":
		fmt.Fprintf(os.Stderr, "tada-run: %s\n", r.Error)
	case r.Line != "":
		fmt.Fprintln(os.Stderr, r.Line)
		if r.Refusal != nil { // there is none for a syntax error, which the shell prints
			fmt.Fprintln(os.Stderr, string(r.Refusal))
		}
	}
	if r.Exit == 0 {
		return exit.Denied
	}
	return r.Exit
}

// lineWait is how long a line waits for a person, who is asked on the session's terminal. Ctrl-C
// withdraws the line.
const lineWait = 10 * time.Minute

// line asks about a line of the session's shell, which runs it if this exits with 0. If no one can
// be asked, the line is denied: the shell promises that its lines are judged.
func line(text string, entry int, outside string) (int, error) {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	req := launcher.Request{Shell: shell.Call{Text: text, Name: "bash"}, Env: os.Environ(),
		Dir: dir, Wait: lineWait}
	q := launcher.QuestionOf(req)
	q.Line, q.Entry, q.Kind = true, entry, "terminal"
	reply, err := control.Ask(q, outside)
	switch {
	case err != nil:
		return 0, fmt.Errorf("not run: the line cannot be checked (%w); press Ctrl-D to leave "+
			"this shell", err)
	case reply.Run || reply.Exit == exit.Usage: // only a comment
		return 0, nil
	case reply.Error != "" || reply.Line == "":
		fmt.Fprintf(os.Stderr, "tada-run: not run: %s\n", reply.Error)
		return max(reply.Exit, 1), nil
	}
	fmt.Fprintln(os.Stderr, reply.Line)
	return reply.Exit, nil
}
