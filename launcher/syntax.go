package launcher

import (
	"context"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/wrapper"
)

// A misspelling is a text that the parser cannot read, and the shell that was to read it.
type misspelling struct {
	shell   string
	options []string
	text    string
	name    string // $0, which its messages begin with
	prefix  string // of the shell, in its messages
	stdin   bool
	partly  bool // a shell would have run what comes before it
}

// misspelt answers a text that no shell can read as the shell itself does, with its message and
// status: nothing of the text would run, so there is nothing to ask. The shell looks at the syntax
// only, in a sandbox that lets it do nothing else. The status is 0 where it finds no mistake: then
// the parser is the one that cannot read it, and its judgement holds.
func (r *announced) misspelt(ctx context.Context) (said string, status int) {
	m, found := r.misspelling()
	if !found {
		return "", 0
	}
	m.unwrap(r.Request.Shell.Dialect)
	if said, status = m.check(ctx, r.level); status <= 0 || said == "" {
		return "", 0
	}
	if m.partly {
		said += "tada-run: nothing ran, not even the commands around this syntax error\n"
	}
	_ = r.record(record.KindDenied, object{"code": "syntax_error", "status": "denied",
		"exit": status, "plan_hash": r.Hash()}, audit.Lazy)
	return said, status
}

// misspelling is the first text of the request that the parser cannot read: all of it, or what it
// hands to eval or to a shell.
func (j *Judgement) misspelling() (m misspelling, found bool) {
	s := j.Request.Shell
	if j.Verdict.Decision == pathguard.Allow || j.Script == nil || j.Request.Tool != nil ||
		j.Request.Hold != nil || s.Simple(j.shell) != nil {
		return m, false
	}
	options, _ := s.Apart(s.Settings())
	if err := j.Script.Err; err != nil && !err.Grammar() {
		return m, false
	} else if err != nil {
		return misspelling{shell: j.shell, options: options, text: s.Text, name: s.Name,
			prefix: "-c", stdin: s.Stdin, partly: runsBefore(s.Text, s.Dialect)}, true
	}
	for _, code := range j.Script.Codes {
		if code.Lang != "sh" || code.Source != shellparse.Literal ||
			shellparse.Parse(code.Text, shellparse.Options{Dialect: s.Dialect}).Err == nil {
			continue
		}
		for _, c := range j.Script.Commands {
			if len(c.Args) == 0 || !c.Args[len(c.Args)-1].Static ||
				c.Args[len(c.Args)-1].Text != code.Text {
				continue
			}
			m = misspelling{shell: j.shell, options: options, text: code.Text, name: s.Name,
				prefix: "eval", partly: j.besides(c) &&
					(j.Script.Wrapped == nil || j.Script.Wrapped.Own != code.Text) ||
					runsBefore(code.Text, s.Dialect)}
			if c.Name != "eval" {
				name := c.Name
				if name == "exec" && c.Builtin && c.Args[1].Static {
					// the shell that takes the place of this one is what speaks
					name = c.Args[1].Text
				}
				real, err := shell.Real(shell.DialectOf(path.Base(name)))
				if err != nil {
					continue
				}
				m.shell, m.options, m.name, m.prefix = real, nil, name, "-c"
			}
			return m, true
		}
	}
	return m, false
}

// unwrap leaves of a text that our hook wrote what the agent wrote: it is there once more, behind
// the line that was to run it.
func (m *misspelling) unwrap(d shellparse.Dialect) {
	o := shellparse.Options{Dialect: d}
	err := shellparse.Parse(m.text, o).Err
	if err == nil {
		return
	}
	read := shellparse.Parse(m.text[:err.Read], o)
	if len(read.Commands) == 0 {
		return
	}
	end := read.Commands[0].Span.End
	w := shellparse.Parse(m.text[:end], o).Wrapped
	if w != nil && shell.IsSelf(strings.Join(w.Names["runner"], "")) &&
		m.text[end:] == wrapper.Behind+w.Own {
		m.text, m.partly = w.Own, runsBefore(w.Own, d)
	}
}

// runsBefore reports whether a shell would have run something of a text that anyone sees, before it
// came to the line that it cannot read.
func runsBefore(text string, d shellparse.Dialect) bool {
	err := shellparse.Parse(text, shellparse.Options{Dialect: d}).Err
	if err == nil {
		return false
	}
	read := shellparse.Parse(text[:err.Read], shellparse.Options{Dialect: d})
	return read.Err != nil ||
		slices.ContainsFunc(read.Commands,
			func(c shellparse.Command) bool { return !prepares(c) }) ||
		slices.ContainsFunc(read.Effects,
			func(e shellparse.Effect) bool { return e.Name.Text != os.DevNull })
}

// prepares reports whether a command only changes what the shell itself knows, and says nothing.
// What it changed ends with the shell.
func prepares(c shellparse.Command) bool {
	switch c.Name {
	case ":", "true":
		return c.Builtin
	case "exec":
		return c.Builtin && len(c.Args) == 1
	case "set", "shopt", "unset", "export":
		return c.Builtin && len(c.Args) > 1
	}
	return false
}

// besides reports whether a shell would have run something else of the line: before c, or after it
// whatever became of c.
func (j *Judgement) besides(c shellparse.Command) bool {
	from := len(j.Request.Shell.Settings())
	before := slices.ContainsFunc(j.Script.Commands, func(o shellparse.Command) bool {
		return o.Span.Start >= from && o.Span.Start < c.Span.Start && !prepares(o)
	})
	return before || strings.ContainsAny(j.Script.Text[c.Span.End:], ";|\n")
}

// syntaxTime is how long a shell may look at a text: it takes a millisecond for each 100 kB.
const syntaxTime = 10 * time.Second

// check has the shell look at the syntax, and returns what it says and its status; 0 where it says
// nothing, or could not be asked.
func (m misspelling) check(ctx context.Context, most sandbox.Level) (said string, status int) {
	script, err := scriptFile(m.text)
	if err != nil {
		return "", 0
	}
	defer script.Close()
	errors, err := scriptFile("")
	if err != nil {
		return "", 0
	}
	defer errors.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return "", 0
	}
	defer null.Close()
	s := shell.Call{Name: m.name, Stdin: m.stdin}
	c := sandbox.Command{Path: m.shell, Env: []string{"LC_ALL=C.UTF-8"},
		Files: []*os.File{null, null, errors}}
	if m.stdin {
		c.Files[0] = script
	} else if len(m.text) >= maxArgument {
		return "", 0
	}
	c.Argv = s.Argv(m.shell, append(m.options, "-n"), m.text)
	p := sandbox.Default("", "")
	p.OneProgram, p.Require, p.Most = true, sandbox.Base, most
	process, _, err := sandbox.Start(p, c)
	if err != nil {
		return "", 0
	}
	stop := context.AfterFunc(ctx, process.Kill)
	defer stop()
	late := time.AfterFunc(syntaxTime, process.Kill)
	defer late.Stop()
	end, err := process.Wait()
	if err != nil || end.Signal != 0 {
		return "", 0
	}
	text := make([]byte, 64<<10)
	n, _ := errors.ReadAt(text, 0)
	return strings.ReplaceAll(string(text[:n]), m.name+": -c: line ",
		m.name+": "+m.prefix+": line "), end.Shell()
}

// misspelled answers a text that no shell can read as the shell itself does; false for any other.
func (r *announced) misspelled(ctx context.Context) (Outcome, bool) {
	said, status := r.misspelt(ctx)
	if status == 0 {
		return Outcome{}, false
	}
	_, _ = io.WriteString(r.Request.Stdio.Err, said)
	return Outcome{Session: r.id, Status: status}, true
}
