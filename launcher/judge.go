package launcher

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// ErrEmpty is returned by Judge for a text without any command: nothing, blanks, a comment.
var ErrEmpty = errors.New("no command given; try: tada-run 'ls -l'")

// A Judgement is a request together with everything that decides about it. It holds the
// files of the plan open; Close lets go of them.
type Judgement struct {
	Request Request
	Script  *shellparse.Script
	Plan    *pathguard.Plan
	Verdict pathguard.Verdict

	level   sandbox.Level // the best fence of this machine
	policy  pathguard.Policy
	refused error // the configuration, for who mends it; then the policy denies everything
	umask   int
	version string
	environ *surroundings
	shell   string  // the real shell
	stdin   string  // what kind of file standard input is
	client  *client // the agent's program that a session is for; nil for none that is known

	// Who only asks what a text means does not pay for these. Each is made once, of the plan as it is.
	own      *Judgement // of the agent's command, where Script is that with a known text around it; nil otherwise
	settings string     // what was around it and may change what it does

	named  func() map[string][]string // what the plan touches, under the five words of the contract
	fence  func() pathguard.Fence     // what the plan may reach, as far as it can be bound
	sealed func() sealed
	ward   func() (*ward, error) // the protected files that the plan can reach
}

// Payload is the plan and its context as canonical bytes: what is shown, hashed and recorded.
func (j *Judgement) Payload() []byte { return j.subject().sealed().payload }

// Hash is the plan hash, of Payload: what an approval binds.
func (j *Judgement) Hash() string { return j.subject().sealed().hash }

// subject is what a person judges: the agent's command, without what its program put around it.
func (j *Judgement) subject() *Judgement {
	if j.own == nil {
		return j
	}
	j.own.Verdict = j.Verdict
	return j.own.subject()
}

// Judge parses the text, resolves its names and asks the policy. It starts nothing, writes
// nothing, and is the only judgement there is: runs, checks, hooks and servers share it.
// The caller must Close the result.
func (l *Launcher) Judge(req Request) (*Judgement, error) {
	stdin := kindOf(req.Stdio.In)
	if req.Within != nil {
		stdin = req.Within.Stdin
	}
	j, err := l.judgeAs(req, stdin)
	if err != nil {
		return nil, err
	}
	if j.own = l.ownOf(j); j.own != nil {
		j.Verdict = j.own.Verdict // its words and places are those of the agent's command
	}
	return j, nil
}

// judgeAs is Judge for a text as it stands, with what kind of file its standard input is.
func (l *Launcher) judgeAs(req Request, stdin string) (*Judgement, error) {
	j := &Judgement{Request: req, environ: l.surroundings(req.Env, req.Dir), stdin: stdin, level: l.level(), umask: l.umask(), version: l.version()}
	var err error
	if j.shell, err = realShell(req.Shell.Dialect); err != nil {
		return nil, err
	}
	vars := j.environ.vars
	switch t := req.Tool; {
	case t == nil:
		j.Script = parse(req, j.shell, vars, l.account, l.policy)
	case t.Command != "":
		req.Shell = Shell{Text: t.Command, Name: "tada-run"}
		j.Script = t.also(parse(req, j.shell, vars, l.account, l.policy), req.Dir, l.account)
	default:
		j.Script = t.script(req.Dir, l.account)
	}
	if pathguard.Idle(j.Script) && req.Shell.words(j.shell) == nil {
		return nil, ErrEmpty
	}
	caller := pathguard.Caller{
		Dir: req.Dir, Env: vars, Home: l.account, UID: os.Getuid(), StateDir: l.home.Dir, Intent: req.Intent, Publish: req.Publish, Self: self(),
		Saves: req.saves(),
	}
	if j.Plan, err = pathguard.Resolve(j.Script, caller); err != nil {
		return nil, fmt.Errorf("resolve the names of the command line: %w", err)
	}
	j.policy, err = l.policyFor(j.Plan)
	if j.refused = l.refused; l.mends && isMistake(err) {
		j.policy, j.refused, err = pathguard.Policy{}, err, nil
	}
	if err == nil {
		if j.client = l.clientOf(req, j.Plan, j.policy); j.client != nil {
			j.Plan.Caller.Session = &pathguard.Session{Agent: j.client.agent, Hosts: j.client.hosts}
		}
		judge := j.policy.Judge
		switch t := req.Tool; {
		case t != nil && t.Unknown:
			judge = func(p *pathguard.Plan) pathguard.Verdict { return j.policy.JudgeTool(p, t.Name) }
		case t != nil:
			judge = j.policy.JudgeUnfenced
		}
		if j.Verdict = judge(j.Plan); req.Hold != nil && req.Hold.Shell {
			j.Verdict = lineByLine(j.Verdict)
		}
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	j.named, j.sealed = sync.OnceValue(j.effects), sync.OnceValue(j.seal)
	j.fence = sync.OnceValue(func() pathguard.Fence { return j.policy.Grants(j.Plan) })
	j.ward = sync.OnceValues(func() (*ward, error) { return l.wardOf(j) })
	return j, nil
}

// Close lets go of the files of the plan.
func (j *Judgement) Close() error {
	if j.Plan == nil { // of a batch, whose calls hold them
		return nil
	}
	if j.own != nil {
		return errors.Join(j.own.Close(), j.Plan.Close())
	}
	return j.Plan.Close()
}

// parse reads the text in the shell's dialect. Words, and a script file with its arguments,
// are a command of literal words.
func parse(req Request, shell string, vars map[string]string, home string, policy pathguard.Policy) *shellparse.Script {
	text := req.Shell.settings() + req.Shell.Text
	if words := req.Shell.words(shell); words != nil {
		text = quote(words)
	}
	return shellparse.Parse(text, shellparse.Options{
		Dialect: req.Shell.Dialect, Dir: req.Dir, Home: home, Vars: vars, Later: req.Within != nil && req.Within.Line,
		Name: req.Shell.Name, Args: req.Shell.Args, Programs: policy.Programs(),
	})
}

// quote writes words as a command line in which every character stands for itself. Where that
// is so without quotes there are none, because a person has to read it; the first word has to
// be a path for that, since any other could be a keyword or an alias.
func quote(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, plainBytes) != "" || i == 0 && !strings.Contains(w, "/") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"
