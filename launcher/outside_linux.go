package launcher

import (
	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/shellparse"
)

// QuestionOf is what a request asks.
func QuestionOf(req Request) control.Question {
	s := req.Shell
	return control.Question{
		Text: s.Text, Words: s.Words, Flags: s.Flags, Name: s.Name, Args: s.Args, Script: s.Script,
		Stdin:   s.Stdin,
		Dialect: int(s.Dialect), Env: req.Env, Dir: req.Dir, Agent: req.Agent,
		WorkItem: req.WorkItem, CallID: req.CallID,
		Profile: req.Profile, Wait: int(req.Wait.Milliseconds()), Kind: kindOf(req.Stdio.In),
	}
}

// dialectOf is the dialect that a Question names; bash for a number that is none.
func dialectOf(n int) shellparse.Dialect {
	if _, ok := shell.Paths[shellparse.Dialect(n)]; ok {
		return shellparse.Dialect(n)
	}
	return shellparse.Bash
}
