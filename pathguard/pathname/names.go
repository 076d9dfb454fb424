package pathname

import (
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// The names that the built-in policy knows. "~" is the account's home, and $HOME where it
// is another; "**/" is any depth. An entry covers everything below it.

// Secrets are asked for when read, and are hidden in the sandbox unless approved. publicNames
// lie among them and are none. Both are of the table of secrets (catalog/secrets.txt).
func Secrets() []string { return secretFiles().secret }
func Public() []string  { return secretFiles().public }

var secretFiles = sync.OnceValue(func() (files struct{ secret, public []string }) {
	files.secret = make([]string, 0, 256)
	var deep strings.Builder
	deep.Grow(4 << 10)
	for keys, e := range catalog.Secrets().Groups() {
		fact, _ := e.First()
		if fact != "file" && fact != "public" {
			continue
		}
		for name := range strings.SplitSeq(keys, " ") {
			if name[0] != '/' && name[0] != '~' {
				name = Deep(&deep, name)
			}
			if strings.Contains(name, "%20") {
				name = strings.ReplaceAll(name, "%20", " ")
			}
			if fact == "file" {
				files.secret = append(files.secret, name)
			} else {
				files.public = append(files.public, name)
			}
		}
	}
	return files
})

// Deep returns a name as one of any depth. It allocates nothing if b has room.
func Deep(b *strings.Builder, name string) string {
	from := b.Len()
	b.WriteString("**/")
	b.WriteString(name)
	return b.String()[from:]
}

// Startup run at login, in every shell, on a timer, or when an agent's program begins.
var Startup = sync.OnceValue(func() []string {
	return slices.Concat(startups, agents.Texts("startup"))
})

var startups = []string{
	"~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases",
	"~/.profile", "~/.inputrc",
	"~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin", "~/.zlogout", "~/.oh-my-zsh",
	"~/.config/fish", "~/.config/zsh",
	"~/.local/bin", "~/bin", "~/.nvm", "~/.pyenv/shims", "~/.cargo/bin", "~/go/bin",
	"~/.config/systemd", "~/.config/autostart", "~/.config/environment.d", "~/.xprofile",
	"~/.xinitrc",
	"~/.xsessionrc", "~/.pam_environment",
	"~/.gitconfig", "~/.config/git", "~/.ssh", "~/.vimrc", "~/.config/nvim", "~/.emacs",
	"~/.emacs.d", "~/.tmux.conf", "~/.screenrc",
	"~/.npmrc", "~/.yarnrc", "~/.config/pip", "~/.cargo/config.toml", "~/.cargo/config",
	"~/.gradle/init.d",
	"~/.sbt/1.0", "~/.gdbinit", "~/.lldbinit", "~/.pythonrc", "~/.irbrc",
	"~/.config/Code/User", "~/.vscode",
	"/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/zsh", "/etc/environment",
	"/etc/cron.d",
	"/etc/crontab", "/etc/cron.hourly",
	"/etc/cron.daily", "/etc/cron.weekly", "/etc/cron.monthly", "/var/spool/cron", "/etc/systemd",
	"/etc/init.d", "/etc/rc.local",
	"/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/pam.d", "/etc/sudoers",
	"/etc/sudoers.d",
	"/etc/ssh", "/etc/xdg/autostart",
}

// Regenerable names come back from a build or an install: deleting one loses time, not work.
var Regenerable = []string{
	"node_modules", "dist", "target", "coverage", "htmlcov", ".nyc_output",
	".venv", "venv", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox",
	".eggs", ".next", ".nuxt", ".svelte-kit", ".turbo", ".parcel-cache", ".cache", ".gradle",
	".angular", ".vite", ".rollup.cache", ".docusaurus", ".output", "storybook-static",
	"cmake-build-debug",
	"cmake-build-release", "CMakeFiles", ".terraform", ".serverless", ".aws-sam", ".dart_tool",
	"Pods",
	"DerivedData", ".stack-work", "dist-newstyle", "_build", "elm-stuff", ".bundle", ".tmp",
	".eslintcache", ".coverage", "playwright-report", "test-results",
	"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "Cargo.lock", "poetry.lock",
	"uv.lock",
	"Pipfile.lock", "composer.lock", "Gemfile.lock", "go.sum", ".DS_Store", "Thumbs.db",
	"nohup.out",
}

// PerhapsRegenerable are names that builds make and people use too: they count as regenerable
// only where the workspace's .gitignore says so.
var PerhapsRegenerable = []string{
	"build", "out", "bin", "obj", "lib", "debug", "release", "tmp", "temp", "logs",
}

// RegenerableEndings are what a wildcard delete may take without a question.
var RegenerableEndings = []string{
	".o", ".a", ".so", ".obj", ".class", ".pyc", ".pyo", ".log", ".tmp", ".temp",
	".bak", ".swp", ".swo", ".orig", ".rej", ".out", ".prof", ".test", ".gcda", ".gcno",
	".tsbuildinfo", ".cache", ".pid", ".map", ".coverage", ".hi", ".egg-info",
}

// ToolDirs hold programs that the account installed for itself, on purpose.
var ToolDirs = sync.OnceValue(func() []string {
	return slices.Concat(tools, agents.Texts("installed"))
})

var tools = []string{
	"~/.local/bin", "~/bin", "~/.cargo/bin", "~/.rustup", "~/go/bin", "~/.go", "~/sdk", "~/.nvm",
	"~/.fnm", "~/.volta",
	"~/.pyenv", "~/.rbenv", "~/.rvm",
	"~/.asdf", "~/.local/share/uv", "~/.local/share/mise", "~/.local/share/pnpm",
	"~/.local/share/fnm",
	"~/.local/pipx", "~/.local/share/pipx", "~/.local/lib",
	"~/.bun", "~/.deno", "~/.sdkman", "~/.conda", "~/miniconda3", "~/anaconda3", "~/.ghcup",
	"~/.cabal/bin", "~/.opam",
	"~/.dotnet", "~/.pub-cache/bin",
	"~/.npm-global", "~/.yarn/bin", "~/.config/yarn/global", "~/.linuxbrew", "~/.nix-profile",
	"~/.krew", "~/.poetry",
	"~/.rye", "~/.cargo/env", "~/.deno/env", "~/.virtualenvs", "~/.venvs",
	"~/.local/share/virtualenvs",
	"~/.bash_completion", "~/.proto", "~/.juliaup", "~/.elan",
}

// SystemDirs are written by installing something, never by working.
var SystemDirs = []string{
	"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/opt", "/var",
	"/srv", "/root",
	"/run", "/nix", "/snap",
	"/System", "/Library", "/Applications", "/private/etc",
}

// programDirs are the directories of the system's programs.
var programDirs = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store",
	"/run/current-system/sw",
	"/snap", "/System", "/Applications", "/home/linuxbrew",
}

// TempDirs are shared scratch space: what one command leaves there, the next may need.
var TempDirs = []string{"/tmp", "/var/tmp", "/dev/shm", "/private/tmp"}

// HarmlessDevices are the files below /dev that every program may use.
var HarmlessDevices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom", "/dev/stdin",
	"/dev/stdout", "/dev/stderr",
	"/dev/fd", "/dev/ptmx", "/dev/pts", "/dev/shm",
}
