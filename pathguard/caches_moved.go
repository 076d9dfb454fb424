package pathguard

import (
	"path"
	"strings"
)

// moveTable says by which variables of the caller's environment a person moves a folder of a home,
// and the caches below it: containers of Go have GOPATH=/go, and a build there without its caches
// fails, or complains each time.
const moveTable = `
~/.cache                      XDG_CACHE_HOME
~/.local/share                XDG_DATA_HOME
~/.local/state                XDG_STATE_HOME
~/go                          GOPATH
~/go/pkg/mod                  GOMODCACHE
~/.cache/go-build             GOCACHE
~/.cache/golangci-lint        GOLANGCI_LINT_CACHE
~/.cache/staticcheck          STATICCHECK_CACHE
~/.npm                        npm_config_cache NPM_CONFIG_CACHE
~/.cache/yarn                 YARN_CACHE_FOLDER
~/.yarn/berry                 YARN_GLOBAL_FOLDER
~/.bun/install/cache          BUN_INSTALL_CACHE_DIR
~/.cache/deno                 DENO_DIR
~/.cache/ms-playwright        PLAYWRIGHT_BROWSERS_PATH
~/.cache/puppeteer            PUPPETEER_CACHE_DIR
~/.cache/Cypress              CYPRESS_CACHE_FOLDER
~/.cache/pip                  PIP_CACHE_DIR
~/.cache/uv                   UV_CACHE_DIR
~/.cache/pypoetry             POETRY_CACHE_DIR
~/.cache/pre-commit           PRE_COMMIT_HOME
~/.cache/huggingface          HF_HOME
~/.cache/torch                TORCH_HOME
~/.cargo                      CARGO_HOME
~/.rustup                     RUSTUP_HOME
~/.cache/sccache              SCCACHE_DIR
~/.cache/ccache               CCACHE_DIR
~/.gradle                     GRADLE_USER_HOME
~/.nuget/packages             NUGET_PACKAGES
~/.cache/composer             COMPOSER_CACHE_DIR
~/.pub-cache                  PUB_CACHE
~/.hex                        HEX_HOME
~/.mix                        MIX_HOME
~/.stack                      STACK_ROOT
~/.terraform.d/plugin-cache   TF_PLUGIN_CACHE_DIR
`

// kernelDirs hold no caches.
var kernelDirs = []string{"/proc", "/sys", "/dev"}

// A move is how a variable moves one cache: what is below its value, "" for the value itself.
type move struct{ variable, rest string }

// A movedFolder is a line of moveTable: a folder and the variables that move it.
type movedFolder struct {
	folder    string
	variables []string
}

func readMoves(table string) []movedFolder {
	all := make([]movedFolder, 0, 64)
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) > 1 {
			all = append(all, movedFolder{f[0], f[1:]})
		}
	}
	return all
}

// movesOf returns the moves of a cache from the table.
func movesOf(name string, table []movedFolder) (list []move) {
	for _, m := range table {
		if !within(name, m.folder) && !within(m.folder, name) {
			continue
		}
		rest := strings.TrimPrefix(name[min(len(m.folder), len(name)):], "/")
		for _, variable := range m.variables {
			list = append(list, move{variable, rest})
		}
	}
	return list
}

// moved returns where the caller's environment moves a cache to, as far as the place can be a
// cache.
func (j *judgement) moved(c *cache) (dirs []string) {
	for _, m := range c.moves {
		value, _, _ := strings.Cut(j.plan.Caller.Env[m.variable], ":") // of a GOPATH, go writes to the first
		if !strings.HasPrefix(value, "/") {
			continue
		}
		dir := path.Join(value, m.rest)
		if real, _, ok := j.disk.realOf(dir); ok {
			dir = real
		}
		if j.mayCache(dir, m.rest != "" || strings.HasSuffix(dir, c.name[len("~"):])) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// mayCache reports whether a folder may be the cache that a variable makes it: it holds nothing
// that a rule is about, no home, workspace or repository. A folder of the system is one only by a
// name that the program gives it.
func (j *judgement) mayCache(dir string, named bool) bool {
	rules := j.p.tree.holds(dir)
	j.p.tree.at(dir, func(m mark) { rules |= 1 << m.kind })
	if rules&^(1<<markCache|1<<markCachedCode|1<<markPublic) != 0 || j.isHome(dir) || isTop(dir) {
		return false
	}
	if ws := j.plan.Workspace; ws != "" && within(ws, dir) || withinAny(dir, kernelDirs) {
		return false
	}
	if !named && withinAny(dir, systemDirs) && !withinAny(dir, j.homes) {
		return false
	}
	_, _, repository := j.disk.realOf(join(dir, ".git"))
	return !repository
}
