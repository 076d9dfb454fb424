package pathguard

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

// What the compilers of a line are given.

// ofC are the compilers of C, which take no file whose name they are not given.
var ofC = []string{"gcc", "g++", "cc", "c++", "clang", "clang++"}

// plainOptions is the pattern of the options of a compiler whose sources are read that leave to a
// source what it says: none defines words, takes in files, or has another program take part. It is
// "" for other compilers.
func plainOptions(program string) string {
	switch {
	case slices.Contains(ofC, program):
		return `-[cgsvw]|-o.*|-O\w*|-g\w+|-W[\w+=-]*|-std=[\w+]+|-pedantic|-pthread|-static|` +
			`-shared|-pipe|-(no-)?pie|-l[\w+-]+|-[IL].*|-m\w+(=[\w.-]+)?|-D\w+(=\d+)?|` +
			`-f(PI[CE]|pi[ce]|openmp|sanitize=[\w,-]+|no-[\w-]+|omit-frame-pointer|wrapv|` +
			`fast-math)`
	case program == "go":
		return `-[ovxan]|-race|-trimpath|-(mod|tags|count|run|p|buildvcs|timeout|bench|module|go|` +
			`require|droprequire|C)(=[^/]*)?|-o=.*|-ldflags=(-[sw]| )+|-benchmem|-short`
	case program == "rustc":
		return `-[oOgv]|--edition(=\d+)?|-C|(opt-level|debuginfo|target-cpu)=\w+|` +
			`-C(opt-level|debuginfo|target-cpu)=\w+|--crate-(name|type)(=\w+)?|-[AWD]\w*`
	}
	return ""
}

// sourceEndings are those of what such a compiler is given; a linker takes other texts for scripts.
var sourceEndings = []string{".c", ".cc", ".cpp", ".cxx", ".go", ".rs", ".o", ".a", ".so",
	".h"}

// takeWord are the options whose value is the next word.
var takeWord = []string{"-o", "-I", "-L", "-C", "-D", "--edition", "--crate-name", "--crate-type"}

// ownInputs reports whether the compilers of the line are given nothing from outside. Where the
// line spells out sources, it reports also whether they are compiled for what they say.
func (j *judgement) ownInputs(told bool) bool {
	for i := range j.script.Commands {
		c := &j.script.Commands[i]
		if j.by(i, builders...) && (!j.givenOwn(c) || told && !plainly(c)) {
			return false
		}
	}
	return true
}

// givenOwn reports whether no word of a compiler names a place that is neither of the workspace nor
// of the line or the system.
func (j *judgement) givenOwn(c *shellparse.Command) bool {
	// of C nothing but what is named is taken from a folder, as long as a source has no "include"
	own := j.own(c.Dir)
	if !own && !slices.Contains(ofC, path.Base(c.Name)) {
		return false
	}
	output := false
	for _, w := range c.Args[1:] {
		text := strings.TrimPrefix(w.Text, "@")
		if len(text) > 1 && strings.Contains("ILBTC", text[1:2]) && text[0] == '-' {
			text = text[2:]
		}
		for piece := range strings.FieldsFuncSeq(text,
			func(r rune) bool { return r == '=' || r == ',' || r == ' ' }) {
			outside := strings.HasPrefix(piece, "/") || strings.HasPrefix(piece, "~") ||
				strings.Contains(piece, "..") && !strings.HasSuffix(piece, "/...")
			if !strings.HasPrefix(piece, "/") {
				piece = c.Dir + "/" + piece
			}
			named := !strings.HasPrefix(text, "-") // a file, or the folder of an option
			if (outside || !own && named) && !output &&
				!strings.HasPrefix(text, "-o") && !j.own(piece) {
				return false
			}
		}
		output = w.Text == "-o" || w.Text == "--out-dir"
	}
	return true
}

// own reports whether a full name is of the workspace, the system, or a folder of an agent or one
// that the line makes, or of a file that it spells out.
func (j *judgement) own(full string) bool {
	full = path.Clean(full)
	if j.inside(full) || pathname.WithinAny(full, []string{"/usr", "/opt", "/lib", "/dev"}) ||
		inScratch(full+"/x") || j.tells(full, len(j.script.Effects)) {
		return true
	}
	return slices.ContainsFunc(j.plan.Targets, func(t resolve.Target) bool {
		return t.Path() == full && j.inNewFolder(&t, full)
	})
}

// plainly reports whether a compiler takes its sources for what they say.
func plainly(c *shellparse.Command) bool {
	program := path.Base(c.Name)
	options := plainOptions(program)
	if options == "" {
		return false
	}
	plain := regexp.MustCompile("^(" + options + ")$")
	value := false // of an option before
	for i, w := range c.Args[1:] {
		switch {
		case !w.Static || strings.ContainsAny(w.Text, "\n@"):
			return false
		case program == "go" && i == 0:
			if !slices.Contains(readVerbs, w.Text) {
				return false
			}
		case strings.HasPrefix(w.Text, "-") && w.Text != "-", strings.Contains(w.Text, "="):
			if !plain.MatchString(w.Text) {
				return false
			}
		case !value && program != "go" && !slices.Contains(sourceEndings, path.Ext(w.Text)):
			return false
		}
		value = slices.Contains(takeWord, w.Text) || program == "rustc" && len(w.Text) == 2
	}
	return true
}

// readVerbs are those of go(1) that build what the sources say.
var readVerbs = []string{"build", "run", "test", "vet", "fmt", "mod", "get", "list", "version",
	"doc"}
