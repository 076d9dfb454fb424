package resolve

import (
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/intent"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Caller describes the process that asks for a command line to run. The caller controls this
// data: nothing in it can loosen a policy.
type Caller struct {
	Dir      string            // the absolute directory it starts in
	Env      map[string]string // the environment that the command would get
	Home     string            // the account's home by the passwd entry, not by $HOME
	UID      int
	Root     string        // the workspace; "" finds it from Dir
	StateDir string        // where tada-run keeps its own state; no command may touch it
	Intent   intent.Intent // the caller's own judgement; it can only raise the verdict
	Publish  []uint16      // ports on which other machines are to reach the command
	// tada-run's own program, wherever a link to it is: a shell that starts itself again
	Self walk.ID
	// the agent's session that the first command begins; nil for any other command
	Session *Session
	Local   // what is known of this place
	// it is the start of an agent's program, which has its shell write down functions and aliases
	Saves bool
}

// HasAgent reports whether one of these agents, with commas between, works here. None are all.
func (c *Caller) HasAgent(only string) bool {
	return only == "" || c.Agents != nil && slices.ContainsFunc(strings.Split(only, ","),
		func(agent string) bool { return slices.Contains(c.Agents(), agent) })
}

// A Local is what is known of the place that a caller works in.
type Local struct {
	// Agents are those that work here, by the names of their files of facts. Few questions ask.
	Agents func() []string
	Look   *Look // what other questions of this moment share with it; nil for nothing

	// Moved are folders, beside those in the home, where they save the user's shell, and into which
	// no command may write unasked.
	Moved []string

	Undo Kept // what is kept of the run

	// Wrote reports whether a run of this workspace made the file of a target in a shared
	// directory. Nil: none did.
	Wrote func(*Target) bool
}

// A Session is what an agent's program needs in a session, beside the workspace. The zero value is
// a program that needs nothing.
type Session struct {
	Agent string   // its name
	Hosts []string // HOST or HOST:PORT, of its vendor
}

// A Call says whose call a plan is of, where an agent's program carries it out by itself and no
// sandbox contains it. The zero value is of a command, which runs in one.
type Call struct {
	Own     bool   // of a tool of the agent
	Unknown bool   // of which nothing is known but its arguments
	Tool    string // its name
}

// A Plan is a script together with the real files behind its names. The files stay open, by O_PATH,
// until Close: a person is shown the same inodes that the sandbox is built from, even if the names
// point elsewhere by then.
type Plan struct {
	Script    *shellparse.Script // with the addresses of its git remotes in place of their names
	Caller    Caller
	Workspace string // resolved; "" when there is none, and then every write asks
	Dir       string // the working directory without a symbolic link in it
	DirID     walk.ID
	Targets   []Target
	Programs  []Program
	Contents  []Content // the files whose text decides what runs
	Globs     []Glob
	Limits    []Limit // where a bound was reached and something was left unresolved
	Inner     []Inner // what the files say that the commands execute, as far as it can be read

	Surroundings

	dirFile *walk.Held
	files   []*walk.Held

	// hidden answers HiddenBy in a plan that has no disk; nil where there is one
	hidden func(rules string, look func() []string) []string
}

// HiddenBy returns the names that look finds on the disk, by rules of the policy that hide them
// from a search of a whole tree. A plan without a disk has what was found by equal rules.
func (p *Plan) HiddenBy(rules string, look func() []string) []string {
	if p.hidden == nil {
		return look()
	}
	return p.hidden(rules, look)
}

// LinkedOutside returns files of the workspace that have hard links outside it, as far as a sandbox
// looks for names to hide; none when every write of the plan is known. They are looked for at the
// first call, because few verdicts depend on them.
func (s *Surroundings) LinkedOutside() []string {
	if s.linked == nil {
		return nil
	}
	return s.linked()
}

// Surroundings are what a workspace says about the names of a plan.
type Surroundings struct {
	// Remotes are those of the commands that work on one repository for certain.
	Remotes []Remote

	// Registries are hosts that the package tools of the script fetch from, or publish to.
	Registries []Registry

	// Given is what settings outside the workspace say to those tools, which a tool that cannot
	// read them needs.
	Given []Given

	// Ignored are, of the names that may be build output, those that the workspace ignores and git
	// does not track. A name with a slash before it is meant in the root of the workspace only.
	Ignored map[string]bool

	linked func() []string // see LinkedOutside; nil where it is not asked
}

// A Registry is one host of a package registry.
type Registry struct {
	Name string // of the registry, as network.registries has it
	Host string // HOST:PORT
	Tool string // the program that asks it
	From string // the setting that names it, a file or "the environment"; "" for a built-in one
	Asks bool   // a file of the workspace names it: it is asked about
}

// A Given is what a file of settings says to a package tool.
type Given struct {
	File     string // real
	Variable string // NAME=value, by which the tool takes the same
}

// A Target is one real file that an effect of the script reaches.
type Target struct {
	Right   command.Right
	Flags   command.Flags
	Name    string // as the text spells it
	Unknown bool   // only a beginning of the name is known; Real is as far as that goes
	Glob    bool   // one match of a pattern
	One     bool   // from a pattern that has one match, which is known only when it runs
	Effect  int    // index in Script.Effects; -1 for the directory of a command
	Command int    // index in Script.Commands; -1 for none

	Found

	file *walk.Held
	dir  *walk.Held // the directory of Real, for a name that is to be removed or replaced
}

// Found is what a name led to.
type Found struct {
	Real    string      // the deepest existing file on the way, absolute, without a symbolic link
	Exists  bool        // Real is the whole way
	Missing string      // what is missing below Real; "" when Exists
	ID      walk.ID     // of Real
	Mode    os.FileMode // of Real
	Own     bool        // Real belongs to the account that calls
	Links   []string    // the symbolic links that were followed, each by its own real path
	Others  []string    // other names of the file: by mounts, and secrets that it is a hard link of
	Linked  int         // names of the file, by hard links, that are not in the workspace
	Crossed []walk.ID   // directories above Real, as far as the way was not a straight one
	Kind    walk.Kind   // what Real is, where a path does not tell
	Why     string      // why the way ended before its end, unless the rest is just missing
}

// File returns Real opened with O_PATH, or nil if the plan does not hold it: nothing of it exists,
// it is a descriptor, or the plan already held [maxHeld] files.
func (t *Target) File() *os.File { return t.file.Open() }

// DirFile returns the directory of Real opened with O_PATH, for a name that is to be made, removed
// or replaced. It is nil if the directory had changed by then, or if the plan held too many files.
func (t *Target) DirFile() *os.File { return t.dir.Open() }

// Path returns the whole absolute path: what exists, and what is missing below it.
func (t *Target) Path() string { return pathname.Join(t.Real, t.Missing) }

// WithoutInodes removes what are the inodes of other files by the time that a record is read; not
// that of tada-run itself, which a target is or is not.
func (f *Found) WithoutInodes(self walk.ID) {
	if f.Crossed = nil; f.ID != self {
		f.ID = walk.ID{}
	}
}

// Bound identifies a file that would be executed.
type Bound struct {
	ID      walk.ID
	Size    int64
	ModTime int64  // nanoseconds since 1970
	Sum     string // SHA-256 of the content in hex; "" where it is not needed or could not be had
	Why     string // why something is missing
}

// WithoutInode is [Found.WithoutInodes] for a file that would be executed.
func (b *Bound) WithoutInode(self walk.ID) {
	if b.ID != self {
		b.ID = walk.ID{}
	}
}

// A Program is the file that would be executed for a command word. It has a Sum when an ordinary
// user can write it.
type Program struct {
	Command int    // index in Script.Commands
	Name    string // as the command line spells it
	Path    string // as the search in PATH found it; "" if it did not, and then Why says why
	Real    string // without a symbolic link
	Mode    os.FileMode
	Shadow  string // the program that this one hides, when a workspace directory is first in PATH
	Links   []string

	Bound

	file *walk.Held
}

// File returns the program opened with O_PATH, or nil when it was not found.
func (p *Program) File() *os.File { return p.file.Open() }

// A Content is a file that an interpreter executes or obeys: bound by what is in it.
type Content struct {
	Path    string
	Command int    // index in Script.Commands
	Name    string // by which a tool finds it, where the text has no name of it; "" elsewhere

	Bound

	file *walk.Held
}

// File returns the file opened with O_PATH, or nil.
func (c *Content) File() *os.File { return c.file.Open() }

// Why a Content has no hash, where the one is as good as bound and the other cannot be.
const (
	onlyRoot   = "only root can write it"
	notRegular = "not a regular file"
)

// A Glob is a pattern that was expanded while the plan was made.
type Glob struct {
	Effect  int
	Pattern string // absolute, as far as the directory is known
	Count   int    // the names that matched
	Kept    int    // of them, those that became targets
}

// A Limit is a bound that was reached; nothing beyond it was examined.
type Limit struct {
	What   string // "targets", "names", "links", "size"
	Count  int
	Effect int
}

// DirFile returns the working directory opened with O_PATH, or nil when it is gone.
func (p *Plan) DirFile() *os.File { return p.dirFile.Open() }

// Close lets go of every file of the plan. What the plan gave out is closed with it: it may still
// be asked for, and every use is an error. Closing again does nothing.
func (p *Plan) Close() error {
	if p == nil {
		return nil
	}
	var first error
	for _, f := range p.files {
		if err := f.Close(); err != nil && first == nil {
			first = err
		}
	}
	for i := range p.Inner {
		if err := p.Inner[i].Plan.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// An Inner is the text of a file that a command executes, read as if it were in the command line:
// "bash s.sh" does what s.sh says. It is the text that Content binds.
type Inner struct {
	Path    string // the file, absolute, without a symbolic link
	Command int    // index in Script.Commands of the plan around it
	Plan    *Plan  // what the text does

	skip  int   // the bytes of Plan.Script.Text that were put before the file's own
	lines []int // by line of the text, the line of the file; nil when they are the same
	plain bool  // the file contains the text line by line
}

// Line returns the line of the file that contains a span of the text, 0 if that is not known.
func (in *Inner) Line(s shellparse.Span) int {
	text := in.Plan.Script.Text
	if !in.plain || s.Start < in.skip || s.Start > len(text) {
		return 0
	}
	n := strings.Count(text[in.skip:s.Start], "\n")
	switch {
	case in.lines == nil:
		return n + 1
	case n < len(in.lines):
		return in.lines[n]
	}
	return 0
}

// Streams reports whether a target has no content that stays: what a FIFO, a socket or a device
// gives cannot be read beforehand. /dev/null gives nothing.
func (t *Target) Streams() bool {
	return t.Exists && t.Mode&(os.ModeNamedPipe|os.ModeSocket|os.ModeDevice) != 0 &&
		t.Path() != "/dev/null"
}

// Below reports whether a target means the names in a directory, and not the directory.
func (t *Target) Below() bool { return t.Flags&command.Below != 0 }

// All are the plan of the line and those of the files that it executes.
func (p *Plan) All() iter.Seq[*Plan] {
	return func(yield func(*Plan) bool) {
		queue := []*Plan{p}
		for ; len(queue) > 0; queue = queue[1:] {
			if !yield(queue[0]) {
				return
			}
			for _, in := range queue[0].Inner {
				queue = append(queue, in.Plan)
			}
		}
	}
}
