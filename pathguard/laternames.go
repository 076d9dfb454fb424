package pathguard

import (
	"path"
	"strings"
)

// laterTable are the names that a program runs or obeys later without asking, at any depth of a workspace.
//
// A line is a name, what is done about it, the tools that may change it without a question ("-" for none), and who runs
// what. What is "kept" stays as it is while a command runs that does not name it, and naming it to write asks. What is
// "told" people write by hand or have in version control, so that keeping it would stop ordinary work: what code
// that was not read makes or changes of it is reported after the run. What is kept is reported as well.
const laterTable = `
.git                      kept git                hooks and settings that name programs
.gitmodules               kept git                git submodule update clones and runs what it names
.githooks                 kept -                  hooks, where core.hooksPath says so
.husky                    kept husky              git hooks
lefthook.yml              kept -                  git hooks
lefthook.yaml             kept -                  git hooks
.lefthook.yml             kept -                  git hooks
.lefthook.yaml            kept -                  git hooks
.overcommit.yml           kept -                  git hooks
.pre-commit-config.yaml   kept -                  git hooks
.simple-git-hooks.json    told -                  git hooks
.hg                       kept hg                 hg runs the hooks and extensions of .hg/hgrc
.jj                       kept jj                 jj runs the tools that its settings name
.sl                       kept sl                 sl runs the hooks and extensions of its settings

.envrc                    kept -                  direnv runs it in a shell that enters the folder
.mise.toml                kept mise               mise runs its hooks in a shell that enters the folder
mise.toml                 kept mise               mise runs its hooks in a shell that enters the folder
.mise                     kept mise               mise runs its tasks and hooks
.config/mise              kept mise               mise runs its tasks and hooks
.rtx.toml                 kept mise               mise runs its hooks
.tool-versions            told asdf,mise          asdf and mise choose the programs by it
.autoenv                  told -                  autoenv runs it in a shell that enters the folder
.autoenv.zsh              told -                  autoenv runs it in a shell that enters the folder
devbox.json               told devbox             devbox runs its init_hook

.vscode                   kept -                  tasks that run when the folder is opened
.idea                     kept -                  run configurations and watchers
.run                      told -                  run configurations of IDEs
.fleet                    kept -                  run configurations
.zed                      kept -                  tasks, and the language servers that it names
.helix                    kept -                  the language servers that it names
.nova                     kept -                  tasks
.devcontainer             kept -                  commands that run when the container is made
.devcontainer.json        kept -                  commands that run when the container is made
.exrc                     kept -                  vim and nvim, where exrc is set
.nvimrc                   kept -                  nvim, where exrc is set
.nvim.lua                 kept -                  nvim, where exrc is set
.lvimrc                   kept -                  vim with localvimrc
.vimrc                    told -                  vim, where exrc is set
.vim                      told -                  vim with project plugins
.dir-locals.el            kept -                  emacs evaluates it in every file of the folder
.dir-locals-2.el          kept -                  emacs evaluates it in every file of the folder
.emacs                    told -                  emacs
.emacs.d                  told -                  emacs

.gdbinit                  kept -                  gdb
.lldbinit                 kept -                  lldb
.pdbrc                    kept -                  python's debugger
.pythonrc                 kept -                  python, where PYTHONSTARTUP names it
.pythonrc.py              kept -                  python, where PYTHONSTARTUP names it
.ipython                  kept ipython            ipython's start-up files
.jupyter                  kept jupyter            jupyter's configuration is python
.Rprofile                 kept R,Rscript          R runs it when it starts in the folder
.Renviron                 told R,Rscript          R's environment
.irbrc                    kept -                  irb
.pryrc                    kept -                  pry
.ghci                     told -                  ghci
.ocamlinit                told -                  ocaml
.octaverc                 kept -                  octave
.psqlrc                   kept -                  psql
.sqliterc                 kept -                  sqlite3
.inputrc                  told -                  key bindings that type commands
.screenrc                 told -                  screen
.tmux.conf                told -                  tmux
.tmuxinator.yml           told -                  tmuxinator
.tmuxp.yaml               told -                  tmuxp

sitecustomize.py          kept -                  python imports it at every start
usercustomize.py          kept -                  python imports it at every start
*.pth                     kept pip,pip3,uv        python runs its import lines at every start
conftest.py               told -                  pytest runs it before any test
.pypirc                   kept -                  where packages are published
pip.conf                  told pip                where pip gets packages from
.npmrc                    kept npm                where npm gets packages from, and its shell
.yarnrc                   kept yarn               yarn runs the program that it names
.yarnrc.yml               kept yarn               yarn loads the plugins that it names
.pnp.cjs                  kept yarn               node runs it before every program
.pnpmfile.cjs             kept -                  pnpm runs it at every install
bunfig.toml               told bun                bun loads what its preload names
.cargo/config.toml        kept -                  the runner, linker and wrapper of cargo
.cargo/config             kept -                  the runner, linker and wrapper of cargo
rust-toolchain            told rustup             the compiler that cargo runs
rust-toolchain.toml       told rustup             the compiler that cargo runs
.bundle/config            told bundle             where bundler gets and puts gems
.rspec                    told rspec              files that rspec loads
.bazelrc                  told -                  options that name programs, for every bazel command
.bazeliskrc               told -                  the bazel that bazelisk runs
.mvn                      told mvn                extensions and options of every mvn command
.sbtopts                  told -                  options of every sbt command
.jvmopts                  told -                  options of the java that sbt runs
init.gradle               told gradle             gradle, where it is named
.terraformrc              told -                  where terraform gets providers from

.mcp.json                 kept -                  servers that an agent starts
.claude                   kept -                  an agent's hooks and instructions
.codex                    kept -                  an agent's settings
.agents                   kept -                  an agent's skills and instructions
.cursor                   kept -                  an agent's rules and servers
.cursorrules              kept -                  an agent's instructions
.opencode                 kept -                  an agent's plugins
opencode.json             kept -                  an agent's settings
opencode.jsonc            kept -                  an agent's settings
.gemini                   kept -                  an agent's settings
.qwen                     kept -                  an agent's settings
.kiro                     kept -                  an agent's hooks
.junie                    kept -                  an agent's instructions
.clinerules               kept -                  an agent's instructions
.goosehints               kept -                  an agent's instructions
.windsurf                 kept -                  an agent's workflows
.windsurfrules            kept -                  an agent's instructions
.continue                 kept -                  an agent's settings
.aider.conf.yml           kept -                  an agent's settings
.roo                      kept -                  an agent's settings
.amazonq                  kept -                  an agent's settings
.github/hooks             kept -                  an agent's hooks
.github/copilot           kept -                  an agent's settings
.github/copilot-instructions.md kept -            an agent's instructions
CLAUDE.md                 kept -                  an agent's instructions
AGENTS.md                 kept -                  an agent's instructions
GEMINI.md                 kept -                  an agent's instructions
QWEN.md                   kept -                  an agent's instructions

.github/workflows         kept -                  the CI runs it with the project's keys
.github/actions           kept -                  the CI runs it with the project's keys
.gitlab-ci.yml            kept -                  the CI runs it with the project's keys
.gitlab/ci                kept -                  the CI runs it with the project's keys
.circleci                 kept -                  the CI runs it with the project's keys
.travis.yml               kept -                  the CI runs it with the project's keys
azure-pipelines.yml       kept -                  the CI runs it with the project's keys
bitbucket-pipelines.yml   kept -                  the CI runs it with the project's keys
Jenkinsfile               kept -                  the CI runs it with the project's keys
.drone.yml                kept -                  the CI runs it with the project's keys
.buildkite                kept -                  the CI runs it with the project's keys
.woodpecker.yml           kept -                  the CI runs it with the project's keys
`

// A laterName is a line of laterTable. Its name starts with "**/", as built-in names of any depth do.
type laterName struct {
	name, last string // with "**/"; its last component
	kept       bool
	tools      string // with commas between; "" for none
	runs       string
}

// A protectedName is a laterName that is kept. Its own tools may change it: git writes .git.
type protectedName struct{ name, tool string }

// laterNames is laterTable, read once; protectedNames are those that are kept.
var laterNames, protectedNames = readLater(laterTable)

func readLater(table string) (all []laterName, kept []protectedName) {
	all, kept = make([]laterName, 0, 128), make([]protectedName, 0, 96)
	for line := range strings.Lines(table) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		what, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		tools, runs, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		n := laterName{name: "**/" + name, last: path.Base(name), kept: what == "kept", tools: strings.TrimPrefix(tools, "-"), runs: strings.TrimLeft(runs, " ")}
		if all = append(all, n); n.kept {
			kept = append(kept, protectedName{n.name, n.tools})
		}
	}
	return all, kept
}

// isOne reports whether a program is one of the tools.
func isOne(program, tools string) bool {
	for tool := range strings.SplitSeq(tools, ",") {
		if tool != "" && tool == program {
			return true
		}
	}
	return false
}
