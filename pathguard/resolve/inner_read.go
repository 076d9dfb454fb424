package resolve

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// inners reads what the files say that the commands execute. It comes after everything else
// was bound: nothing is judged that is not in the plan by its hash.
func (r *resolver) inners() {
	if r.depth >= maxInnerDepth {
		return
	}
	for i := range r.plan.Script.Codes {
		if c := &r.plan.Script.Codes[i]; c.Source == shellparse.File && c.Command >= 0 &&
			c.Command < len(r.plan.Script.Commands) {
			r.executed(c)
		}
	}
	for i := range r.plan.Targets {
		t := &r.plan.Targets[i]
		if t.Right != command.Exec || t.Command < 0 || pathname.IsToolDir(t.Real) {
			continue
		}
		if text, ok := r.share.texts[t.Real]; ok {
			lang, zsh := langOf(text)
			r.inner(t.Command, t.Real,
				reading{lang: lang, zsh: zsh, text: text, name: t.Name,
					args: argsOf(&r.plan.Script.Commands[t.Command], t.Name)})
		}
	}
	r.written()
	for i := range r.plan.Contents {
		c := &r.plan.Contents[i]
		text, ok := r.share.texts[c.Path]
		if !ok || c.Command < 0 || c.Command >= len(r.plan.Script.Commands) {
			continue
		}
		cmd := &r.plan.Script.Commands[c.Command]
		switch path.Base(cmd.Name) {
		case "npm", "pnpm", "yarn", "bun":
			if path.Base(c.Path) == "package.json" {
				r.parts(c, path.Dir(c.Path), packageReadings(text, cmd))
			}
		default:
			if isMake(path.Base(cmd.Name)) && r.named(c) {
				r.recipes(c, text)
			}
		}
	}
}

// written reads the files that the text itself writes and then has a tool of the project pick up,
// which no word of it needs to name: a conftest.py, the scripts of a package.json.
func (r *resolver) written() {
	for _, f := range r.plan.Script.Written {
		dir, name := path.Split(f.Name)
		dir = path.Clean(dir)
		for i := range r.plan.Script.Commands {
			c := &r.plan.Script.Commands[i]
			switch program := path.Base(c.Name); {
			case !pathname.Within(f.Name, c.Dir) || len(f.Text) > maxInnerText:
			case name == "package.json" &&
				(program == "npm" || program == "pnpm" || program == "yarn" || program == "bun"):
				r.parts(&Content{Path: f.Name, Command: i}, dir, packageReadings(f.Text, c))
			case slices.Contains(collectors, program):
				r.innerAt(i, f.Name, dir,
					reading{lang: pickedUp[path.Ext(name)], text: f.Text, name: name})
			}
		}
	}
}

// collectors execute files that they find by themselves, or that one of those takes in.
var collectors = []string{"pytest", "py.test", "tox", "nox", "python", "python3", "uv", "poetry",
	"pip", "pip3", "npm", "npx", "pnpm", "yarn", "bun",
	"node", "jest", "vitest", "mocha", "ava", "vite", "webpack", "rollup", "eslint", "prettier",
	"gulp", "grunt", "rspec", "rake", "rails", "bundle", "prove"}

// pickedUp is the language of such a file by its ending.
var pickedUp = map[string]string{".py": "python", ".js": "javascript", ".mjs": "javascript",
	".cjs": "javascript", ".ts": "javascript", ".rb": "ruby", ".pl": "perl", ".t": "perl"}

// named reports whether a file of a command is the one that its words name, if they name one: make
// -C sub does not run the makefile in this directory.
func (r *resolver) named(c *Content) bool {
	other := false
	for i := range r.plan.Targets {
		if t := &r.plan.Targets[i]; t.Command == c.Command && t.Flags&command.Source != 0 {
			if t.Real == c.Path {
				return true
			}
			other = true
		}
	}
	return !other
}

// recipes reads what a makefile has a shell do, in the directory that make(1) works in.
func (r *resolver) recipes(c *Content, text string) {
	cmd := &r.plan.Script.Commands[c.Command]
	dir := path.Dir(c.Path)
	if cmd.Dir != "" {
		dir = r.from(makeDir(cmd)).Path
	}
	list, includes := makeReadings(text, cmd)
	r.includes(c.Command, dir, includes)
	r.parts(c, dir, list)
}

// parts reads the pieces of a file that a tool runs.
func (r *resolver) parts(c *Content, dir string, list []reading) {
	for _, rd := range list {
		r.innerAt(c.Command, c.Path, dir, rd)
	}
}

// executed reads the files that an interpreter was given: those that the command names as
// its program, or, when it reads its program from standard input, what is put there.
func (r *resolver) executed(c *shellparse.Code) {
	given := r.givenTo(c)
	lang := c.Lang
	if lang != "sh" && lang != "make" && lang != "redis" && inlineCommands[lang] == "" {
		return
	}
	cmd := &r.plan.Script.Commands[c.Command]
	named := false
	for i := range r.plan.Targets {
		t := &r.plan.Targets[i]
		if t.Command != c.Command || t.Flags&command.Source == 0 || t.Flags&command.List != 0 {
			continue
		}
		if named = true; pathname.IsSnapshot(t.Real,
			[]string{r.plan.Caller.Home, r.plan.Caller.Env["HOME"]}, r.plan.Caller.Moved) {
			// it only defines; what it defines is the client's own way to say find and grep
			continue
		}
		if text, ok := r.share.texts[t.Real]; ok && lang != "make" {
			// what -f names is read with the other makefiles
			r.inner(c.Command, t.Real,
				reading{lang: lang, zsh: path.Base(cmd.Name) == "zsh", text: text, name: t.Name,
					args: argsOf(cmd, t.Name), given: given})
		}
	}
	for i := 0; !named && i < len(r.plan.Targets); i++ {
		t := &r.plan.Targets[i]
		if t.Right != command.Read || t.Flags&(command.List|command.Meta) != 0 ||
			t.Command != -1 && t.Command != c.Command-1 {
			continue
		}
		r.content(t)
		text, ok := r.share.texts[t.Real]
		switch {
		case !ok:
		case lang == "make":
			r.recipes(&Content{Path: t.Real, Command: c.Command}, text)
		default:
			r.inner(c.Command, t.Real, reading{lang: lang, text: text, name: cmd.Name})
		}
	}
}

// givenTo returns the variables that a file which the shell itself reads may find assigned, beside
// those that the shell started with; nil when any can be. A function or a trap of the text may run
// while the file is read, so each name in the text counts.
func (r *resolver) givenTo(c *shellparse.Code) map[string]bool {
	if r.given == nil || r.plan.Script.Dialect != shellparse.Bash {
		return nil
	}
	all := maps.Clone(r.given)
	for _, name := range strings.FieldsFunc(r.plan.Script.Text, isNoName) {
		all[name] = true
	}
	for i := range r.plan.Script.Codes { // one for each state in which the file may be read
		if o := &r.plan.Script.Codes[i]; o.Span == c.Span && o.Command == c.Command {
			names, known := o.Assigned()
			if !known {
				return nil
			}
			for _, name := range names {
				all[name] = true
			}
		}
	}
	return all
}

// isNoName reports whether a character is in no name of a variable.
func isNoName(c rune) bool {
	return c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
}

func (r *resolver) inner(cmd int, file string, rd reading) {
	r.innerAt(cmd, file, r.plan.Script.Commands[cmd].Dir, rd)
}

// innerAt parses and resolves one text, once for each directory that it is started in.
func (r *resolver) innerAt(cmd int, file, dir string, rd reading) {
	key := innerKey{file, dir, rd.text, strings.Join(slices.Sorted(maps.Keys(rd.given)), " "),
		rd.given != nil}
	if rd.lang == "" || r.share.inner >= maxInnerFiles || r.share.seen[key] {
		return
	}
	if r.share.seen == nil {
		r.share.seen = map[innerKey]bool{}
	}
	r.share.seen[key] = true
	r.share.inner++
	c := r.plan.Caller
	s, skip := rd.parse(dir, &c)
	if s.Err != nil && len(s.Commands) == 0 { // not a shell's grammar: the sandbox contains it
		return
	}
	s.Effects = slices.DeleteFunc(s.Effects,
		func(e shellparse.Effect) bool { return e.Span.End <= skip && skip > 0 })
	child := &resolver{Walker: r.Walker, dirs: r.dirs, share: r.share, depth: r.depth + 1,
		given: rd.given,
		plan: &Plan{Script: s, Caller: c, Workspace: r.plan.Workspace, Dir: r.plan.Dir,
			dirFile: r.plan.dirFile, DirID: r.plan.DirID}}
	child.remotes()
	for i := range child.plan.Script.Effects {
		if len(child.plan.Targets) < maxInnerNames {
			child.effect(i)
		}
	}
	child.plan.Ignored = child.ignored()
	child.commandDirs()
	child.manifests()
	child.registries()
	child.inners()
	r.plan.Inner = append(r.plan.Inner,
		Inner{Path: file, Command: cmd, Plan: child.plan, skip: skip, lines: rd.lines,
			plain: rd.lang == "sh"})
}
