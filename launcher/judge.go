package launcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tada-run/tada-run/launcher/broker/view"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
	"github.com/tada-run/tada-run/shellparse"
)

// ErrEmpty is returned by Judge for a text without any command: nothing, blanks, a comment.
var ErrEmpty = errors.New("no command given; try: tada-run 'ls -l'")

// Judge parses the text, resolves its names and asks the policy. It starts nothing, writes
// nothing, and is the only judgement there is: runs, checks, hooks and servers share it.
// The caller must Close the result.
func (l *Launcher) Judge(req Request) (*Judgement, error) { return l.JudgeAt(nil, req) }

// JudgeAt is Judge for one of several requests of a moment, which share a look at the disk.
func (l *Launcher) JudgeAt(look *pathguard.Look, req Request) (*Judgement, error) {
	stdin := kindOf(req.Stdio.In)
	if req.Within != nil {
		stdin = req.Within.Stdin
	}
	j, err := l.judgeAs(look, req, stdin)
	if err != nil {
		return nil, err
	}
	if j.own = l.ownOf(j); j.own != nil {
		j.Verdict = j.own.Verdict // its words and places are those of the agent's command
	}
	l.handIn(j)
	l.inFleet(j)
	return j, nil
}

// handIn gives the command, and the agent's own command in it, the settings of package tools that
// its sandbox hides.
func (l *Launcher) handIn(j *Judgement) {
	s := j.subject()
	if s.Plan == nil || len(s.policy.HandIn(s.Plan)) == 0 {
		return
	}
	env := slices.Concat(j.Request.Env, s.policy.HandIn(s.Plan))
	for at := j; at != nil; at = at.own {
		at.environ = l.surroundings(env, at.Request.Dir)
	}
}

// judgeAs is Judge for a text taken literally, whether or not it contains a wrapper, with the kind
// of file that its standard input is.
func (l *Launcher) judgeAs(look *pathguard.Look, req Request, stdin string) (*Judgement, error) {
	j := &Judgement{Request: req, environ: l.surroundings(req.Env, req.Dir), stdin: stdin,
		level: l.level(), umask: l.umask(), version: l.version()}
	var err error
	if j.shell, err = shell.Real(req.Shell.Dialect); err != nil {
		return nil, err
	}
	vars, moved := j.environ.vars, l.movedSnapshots(req)
	if req.Tool != nil && req.Tool.Command != "" {
		req.Shell = shell.Call{Text: req.Tool.Command, Name: "tada-run"}
	}
	j.Script = l.scriptOf(req, j.shell, vars, moved)
	if pathguard.Idle(j.Script) && req.Shell.Simple(j.shell) == nil {
		return nil, ErrEmpty
	}
	background := l.policy.Settings().KeepBackground
	set, undo := l.undoSettings(), l.undoOf(req)
	undo.Quota = set.Quota
	unsure := func() string { return l.Unsure(set, sumOf([]byte(j.Script.Text)), req.Dir) }
	caller := pathguard.Caller{
		Dir: req.Dir, Env: vars, Home: l.account, UID: os.Getuid(), StateDir: l.state.Dir,
		Intent: req.Intent, Publish: req.Publish, Self: shell.Self(),
		Saves: req.saves(), Local: pathguard.Local{Moved: moved, Look: look,
			Agents: sync.OnceValue(req.loaders),
			Undo:   set.Kept(undo.Not, undo.Session, background, unsure)},
	}
	if j.Plan, err = pathguard.Resolve(j.Script, caller); err != nil {
		return nil, fmt.Errorf("resolve the names of the command line: %w", err)
	}
	j.Plan.Caller.Wrote = func(t *pathguard.Target) bool {
		return view.Made(l.state.Ledger(j.ledgerName()), t.File())
	}
	rules, err := l.rulesOf(j.Plan)
	if err == nil {
		j.policy, err = l.policy.Tighten(rules...)
	}
	if j.refused = l.refused; l.mends && isMistake(err) {
		j.policy, j.refused, err = pathguard.Policy{}, err, nil
	}
	if err == nil {
		l.decide(j, req, rules, undo, unsure)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	j.named, j.sealed = sync.OnceValue(j.effects), sync.OnceValue(j.seal)
	j.counted = sync.OnceValue(func() map[string]pathguard.Amount { return l.count(j) })
	j.fence = sync.OnceValue(func() pathguard.Fence { return j.policy.Grants(j.Plan) })
	j.protection = sync.OnceValues(func() (*protection, error) { return l.protectionOf(j) })
	return j, nil
}

// scriptOf is what a request would start and touch: the text of its command line, or a call of an
// agent's own tool.
func (l *Launcher) scriptOf(req Request, real string, vars map[string]string,
	moved []string) *shellparse.Script {
	switch t := req.Tool; {
	case t == nil:
		return parse(req, real, vars, l.account, moved, l.policy)
	case t.Command != "":
		return t.also(parse(req, real, vars, l.account, moved, l.policy), req.Dir, l.account)
	default:
		return t.script(req.Dir, l.account)
	}
}

// decide applies the policy to the plan, and prepares what the record keeps of that.
func (l *Launcher) decide(j *Judgement, req Request, rules []pathguard.ConfigFile,
	undo frozen.Undo, unsure func() string) {
	if j.client = l.clientOf(req, j.Plan, j.policy); j.client != nil {
		j.Plan.Caller.Session = &pathguard.Session{Agent: j.client.Agent, Hosts: j.client.Hosts}
	}
	call := req.Tool.call()
	answers := j.Plan.Asked(func() { j.Verdict = j.policy.JudgeCall(j.Plan, call) })
	lines := req.Hold != nil && req.Hold.Shell
	if lines {
		j.Verdict = j.Verdict.LineByLine()
	}
	j.frozen = func() frozen.Frozen {
		if answers.Unsure == nil && undo.Quota > 0 && pathguard.MayStand(j.Plan) {
			why := unsure() // another policy could ask
			answers.Unsure = &why
		}
		f := frozen.Frozen{Plan: j.policy.Named(j.Plan), Answers: answers, Undo: undo,
			Call: call, Lines: lines, Programs: l.policy.Settings().Programs}
		f.Rules, f.Accepted = drafts(rules)
		return f
	}
}

// parse reads the text in the shell's dialect. Words, and a script file with its arguments,
// are a command of literal words.
func parse(req Request, real string, vars map[string]string, home string, moved []string,
	policy pathguard.Policy) *shellparse.Script {
	text := req.Shell.Settings() + req.Shell.Text
	if words := req.Shell.Simple(real); words != nil {
		text = shell.Quote(words)
	}
	return shellparse.Parse(text, shellparse.Options{
		Dialect: req.Shell.Dialect, Dir: req.Dir, Home: home, Vars: vars,
		Later: req.Within != nil && req.Within.Line,
		Name:  req.Shell.Name, Args: req.Shell.Args, Programs: policy.Programs(),
		Snapshots: moved,
	})
}

// workspaceOf is the workspace that a folder is in, or the folder.
func (l *Launcher) workspaceOf(dir string) (string, error) {
	j, err := l.Judge(Request{Dir: dir, Shell: shell.Call{Text: ":"}})
	if err != nil {
		return "", err
	}
	defer j.Close()
	return j.ground(), nil
}

func (l *Launcher) surroundings(env []string, dir string) *surroundings {
	if last := l.around.Load(); last != nil && last.dir == dir && slices.Equal(last.from, env) {
		return last
	}
	keep := l.policy.Settings().KeepEnv
	s := &surroundings{Environ: environ.Scrub(environ.InDir(env, dir), keep),
		from: slices.Clone(env), dir: dir}
	s.Kept = shell.WithoutLinks(shell.WithReal(s.Kept), l.state.Links(),
		filepath.Join(l.account, ".tada", "bin"))
	s.vars = s.Vars()
	s.bound, s.loose = environ.Bound(s.vars, keep)
	sum := object{}
	for name, value := range s.bound {
		sum[name] = value
	}
	s.sum = digestOf(sum)
	l.around.Store(s)
	return s
}
