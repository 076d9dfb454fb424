package eval

import (
	"path"
	"slices"
	"strings"
)

// collectors run files of the project that no word of theirs needs to name: the endings of those
// files, by program.
var collectors = map[string]string{
	"go":    ".go .s .c .h",
	"cargo": ".rs",
	"make":  machine, "gmake": machine, "cmake": machine, "ninja": machine, "meson": machine,
	"bazel": machine, "gcc": machine, "g++": machine, "cc": machine, "c++": machine,
	"clang": machine, "clang++": machine,
	"npm": web, "pnpm": web, "yarn": web, "bun": web, "deno": web, "npx": web, "jest": web,
	"vitest": web, "mocha": web, "ava": web, "vite": web, "webpack": web, "rollup": web,
	"playwright": web, "tsc": web, "esbuild": web, "cypress": web, "nx": web, "turbo": web,
	"pytest": ".py", "tox": ".py", "nox": ".py", "python": ".py", "python3": ".py",
	"flask": ".py", "uvicorn": ".py", "gunicorn": ".py", "hypercorn": ".py", "celery": ".py",
	"rspec": ".rb", "rake": ".rb", "rails": ".rb", "bundle": ".rb", "prove": ".t .pm .pl",
}

const (
	machine = ".c .h .cc .cpp .cxx .hpp .s .S .go .rs .py"
	web     = ".js .ts .mjs .cjs .jsx .tsx"
)

// verbs are the words with which the tools of a language run what is in the project.
var verbs = []string{"build", "b", "run", "r", "test", "t", "start", "exec", "bench", "nextest",
	"generate", "dev", "serve", "pytest", "unittest", "run-script"}

// collected is for a tool of the project that runs what it finds, where the script has put a source
// from another machine, or a decoded one.
func (w *commands) collected(s *state, c *call, in *state) {
	program := base(c.words[0].Text)
	endings := strings.Fields(collectors[program])
	if endings == nil || s.remote || len(s.files) == 0 || hasVerbs(program) &&
		!slices.ContainsFunc(c.words[1:], func(a Word) bool { return slices.Contains(verbs, a.Text) }) {
		return
	}
	for i := range s.files {
		f := &s.files[i]
		if planted(f.flow.source()) && !f.tree && slices.Contains(endings, path.Ext(f.name)) &&
			(in.dir == "" || within(f.name, in.dir)) {
			w.runs(s, &f.flow, languageOf(program), c.span)
			return
		}
	}
}

// hasVerbs reports whether a program runs files of the project only with one of the verbs.
func hasVerbs(program string) bool {
	switch program {
	case "go", "cargo", "npm", "pnpm", "yarn", "bun", "deno", "flask", "python", "python3", "nx",
		"turbo", "bundle":
		return true
	}
	return false
}
