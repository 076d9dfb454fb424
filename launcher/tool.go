package launcher

import (
	"strings"

	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Tool is what another program is about to do by itself, without a command line: an agent's own
// way to read and edit files. It is judged by the same policy and can be asked about, but no
// sandbox contains it, and only the decision about it is recorded.
type Tool struct {
	Name   string // as the program calls it
	Access []Access
	// what else it was given, such as the new content: a person who is asked sees it, and approves
	// exactly that
	Args map[string]string

	Unknown bool   // nothing is known of the tool but its arguments: it is a question by itself
	Command string // a command line that it seems to run, "" for none
	undoes  bool   // tada-run itself takes runs back, and keeps what it changes
}

// call is the tool as a policy knows it; the zero value for none.
func (t *Tool) call() pathguard.Call {
	if t == nil {
		return pathguard.Call{}
	}
	return pathguard.Call{Own: true, Unknown: t.Unknown, Tool: t.Name}
}

// An Access is one name that a Tool takes, spelled as the caller spelled it.
type Access struct {
	Use  Use
	Path string
	Glob bool // Path is a pattern of the shell
}

// A Use is what a Tool does with a name. The zero value is the worst.
type Use int

// The uses.
const (
	Changes  Use = iota // creates, overwrites or edits
	Deletes             // one name
	Reads               // one file
	Searches            // the text of everything below it
	Lists               // names only
)

var uses = [...]struct {
	right command.Right
	flags command.Flags
}{
	Changes: {command.Write, 0}, Deletes: {command.Delete, 0}, Reads: {command.Read, 0},
	Searches: {command.Read, command.Recursive},
	Lists:    {command.Read, command.List | command.Recursive},
}

// script is the tool as the rooms below know what is done: names and rights, and for a person one
// line of text. Some programs put the home in the place of "~" and some do not; the file in the
// home is judged, because there is more to lose in it.
func (t *Tool) script(dir, home string) *shellparse.Script {
	s := &shellparse.Script{Text: t.Name}
	if !shell.IsWord(t.Name) {
		s.Text = shell.Quote([]string{t.Name}) // as a hostile server may call its tools
	}
	for _, a := range t.Access {
		use := uses[min(max(a.Use, 0), Lists)]
		start, name := len(s.Text)+1, a.Path
		if rest, ok := strings.CutPrefix(name, "~"); ok && (rest == "" || rest[0] == '/') {
			name = home + rest
		}
		s.Text += " " + shell.Quote([]string{name})
		s.Effects = append(s.Effects, shellparse.Effect{
			Right: use.right, Flags: use.flags, Command: -1,
			Span: shellparse.Span{Start: start, End: len(s.Text)},
			Name: shellparse.Name{Text: name, Static: !a.Glob, Glob: a.Glob, Dir: dir},
		})
	}
	// The gate for texts looks at the names too: what a reader would not see in them is refused or
	// marked here as there.
	seen := shellparse.Parse(": "+strings.TrimPrefix(s.Text, t.Name), shellparse.Options{Dir: dir})
	s.Err, s.Marks = seen.Err, seen.Marks
	s.Canonical, s.Plain = s.Text, true
	return s
}

// also is the script of the command line that a tool runs, with the names that the tool takes
// besides.
func (t *Tool) also(s *shellparse.Script, dir, home string) *shellparse.Script {
	for _, e := range t.script(dir, home).Effects {
		e.Span = shellparse.Span{End: len(s.Text)}
		s.Effects = append(s.Effects, e)
	}
	return s
}

// maxShown is how much of an argument a person is shown; what is behind it is bound by its hash.
const maxShown = 64 << 10

// args are the tool's arguments for an approval. The digests of those that are cut are in an object
// of their own, so that no name of an argument can stand for one.
func (t *Tool) args(s *shellparse.Script) object {
	o, cut := object{"command": s.Text, "canonical": s.Canonical}, object{}
	for name, text := range t.Args {
		if len(text) > maxShown {
			cut[name] = object{"bytes": len(text), "sha256": sha256Of(text)}
			text = strings.ToValidUTF8(text[:maxShown], "")
		}
		o["with "+name] = text
	}
	if len(cut) > 0 {
		o["not shown"] = cut
	}
	return o
}

// HookGuard is the command that a platform starts in place of `tadactl hook run`, followed by its
// time limit in seconds and its own words. It blocks if no complete answer comes, because the
// program is missing, stopped, killed, slow or another one. It always gives a reason, because some
// platforms run a call that is blocked without one. Only a failure of this shell itself, or of
// timeout, is left to the platform. Neither is looked up in PATH, which a repository can set for
// some platforms through settings of the project: timeout is taken from a system folder, which
// NixOS and Guix have elsewhere; without one, everything is blocked.
const HookGuard = `/bin/sh -c 'unset -f command printf echo timeout; t=$(command -pv timeout) || ` +
	`t=$(command -v /run/current-system/sw/bin/timeout) || t=/run/current-system/profile/bin/timeout; ` +
	`o=$("$t" -s KILL "$0" "$@") && case $o in {*audit*}) printf "%s\n" "$o";; *) false;; esac || ` +
	`{ [ $? = 2 ] && { printf %s "$o"; echo "blocked by tada-run" >&2; } || echo "tada-run: blocked: tadactl hook run gave no whole answer in time; try: tadactl hook status" >&2; exit 2; }' `
