package eval

import (
	"path"
	"slices"
	"strings"
)

// collects are the endings of the files of the project that a program runs although no word of it
// names them; "" for none.
func collects(program string) string {
	switch program {
	case "go":
		return ".go .s .c .h"
	case "cargo":
		return ".rs"
	case "make", "gmake", "cmake", "ninja", "meson", "bazel", "gcc", "g++", "cc", "c++", "clang",
		"clang++":
		return ".c .h .cc .cpp .cxx .hpp .s .S .go .rs .py"
	case "npm", "pnpm", "yarn", "bun", "deno", "npx", "jest", "vitest", "mocha", "ava", "vite",
		"webpack", "rollup", "playwright", "tsc", "esbuild", "cypress", "nx", "turbo":
		return ".js .ts .mjs .cjs .jsx .tsx"
	case "pytest", "tox", "nox", "python", "python3", "flask", "uvicorn", "gunicorn", "hypercorn",
		"celery":
		return ".py"
	case "rspec", "rake", "rails", "bundle":
		return ".rb"
	case "prove":
		return ".t .pm .pl"
	}
	return ""
}

// verbs are the words with which the tools of a language run what is in the project.
var verbs = []string{"build", "b", "run", "r", "test", "t", "start", "exec", "bench", "nextest",
	"generate", "dev", "serve", "pytest", "unittest", "run-script"}

// collected is for a tool of the project that runs what it finds, where the script has put a source
// from another machine, or a decoded one.
func (w *commands) collected(s *state, c *call, in *state) {
	program := base(c.words[0].Text)
	endings := strings.Fields(collects(program))
	if len(endings) == 0 || s.remote || len(s.files) == 0 || hasVerbs(program) && !hasVerb(c) {
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

func hasVerb(c *call) bool {
	return slices.ContainsFunc(c.words[1:],
		func(a Word) bool { return slices.Contains(verbs, a.Text) })
}
