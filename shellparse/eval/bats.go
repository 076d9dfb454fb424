package eval

import (
	"slices"
	"strings"
)

// bats(1) gives the tests in a file some functions and variables of its own. The file is
// taken to lie in Options.Dir.

// batsFunction returns what a function of bats does, or nil.
func batsFunction(name string) func(*commands, *state, *call) worlds {
	switch name {
	case "load", "bats_load_safe":
		return (*commands).batsLoad
	case "bats_load_library", "bats_load_library_safe":
		return (*commands).batsLibrary
	case "run":
		return (*commands).batsRun
	}
	return nil
}

// batsLoad is load NAME: it executes NAME.bash, or NAME, from the folder of the test file,
// or else a program of that name in PATH.
func (w *commands) batsLoad(s *state, c *call) worlds {
	if len(c.args) < 2 {
		return worlds{s}
	}
	name, ok := c.args[1].text()
	if !ok || name == "" || w.o.Dir == "" && !strings.HasPrefix(name, "/") {
		return w.source(s, c)
	}
	name = join(w.o.Dir, name)
	return w.sourceEach(s, c, []string{name + ".bash", name})
}

// batsLibrary is bats_load_library NAME: NAME, or NAME/load.bash, in a folder of
// BATS_LIB_PATH.
func (w *commands) batsLibrary(s *state, c *call) worlds {
	if len(c.args) < 2 {
		return worlds{s}
	}
	folders := known("/usr/lib/bats")
	if v, set := w.lookup(s, "BATS_LIB_PATH"); set {
		folders = v.val
	}
	name, ok := c.args[1].text()
	in, fine := folders.text()
	switch {
	case !ok:
		return w.source(s, c)
	case strings.HasPrefix(name, "/"):
		return w.sourceEach(s, c, []string{name})
	case !fine:
		return w.sourceOf(s, c, unknown("$BATS_LIB_PATH is not known", Unknown))
	}
	var files []string
	for folder := range strings.SplitSeq(in, ":") {
		file := join(join(w.o.Dir, folder), name)
		if file == "" {
			return w.sourceOf(s, c, unknown("the folder of the test file is not known", Unknown))
		}
		files = append(files, file, join(file, "load.bash"))
	}
	return w.sourceEach(s, c, files)
}

// sourceEach executes the first of files that is there: the one that the text has made, or,
// as nobody asks the disk, each of them.
func (w *commands) sourceEach(s *state, c *call, files []string) worlds {
	ws := worlds{s}
	for _, file := range files {
		made := w.made(s, known(file)) != nil
		var next worlds
		for _, s := range ws {
			next = append(next, w.sourceOf(s, c, known(file))...)
		}
		if ws = next; made {
			break
		}
	}
	return ws
}

// sourceOf is the source command for a file that a function of the shell has chosen.
func (w *commands) sourceOf(s *state, c *call, file value) worlds {
	return w.source(s, newCall([]value{c.args[0], file}, []Span{c.at(0), c.at(1)}, c.span))
}

// batsRun is run [!|-N] [--OPTION] [--] COMMAND: the command runs in a subshell, and what it
// prints becomes variables.
func (w *commands) batsRun(s *state, c *call) worlds {
	i := 1
	for i < len(c.args) && c.words[i].Static && (strings.HasPrefix(c.words[i].Text, "-") || c.words[i].Text == "!") {
		if i++; c.words[i-1].Text == "--" {
			break
		}
	}
	if i < len(c.args) {
		defer func(via []string) { w.via = via }(w.via)
		w.via = append(slices.Clip(w.via), "run")
		sub := c.from(i)
		sub.program = false // a function of the file will do
		child := s.fork()
		child.traps, child.capture, child.out = nil, true, nil
		w.leave(s, w.interp.invoke(child, sub))
	}
	for _, name := range []string{"output", "lines", "status", "stderr", "stderr_lines", "BATS_RUN_COMMAND"} {
		w.doubt(s, name, unknown("run sets $"+name, Unknown))
	}
	return worlds{s}
}
