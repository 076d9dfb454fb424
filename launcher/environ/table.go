package environ

import "strings"

// injections are variables that make a program load or run something that stands nowhere
// in the command line. A name that ends in * is a prefix.
var injections = []struct{ name, why string }{
	{"LD_*", "the loader maps any library it names into every program (ld.so(8))"},
	{"DYLD_*", "the same on darwin"},
	{"BASH_ENV", "bash runs this file before a script (bash(1))"},
	{"ENV", "sh runs this file (POSIX sh)"},
	{"BASH_FUNC_*", "exported functions replace commands by name (CVE-2014-6271)"},
	{"PROMPT_COMMAND", "bash runs it before a prompt"},
	{"PS4", "expanded, with substitutions, under set -x"},
	{"SHELLOPTS", "turns on xtrace, and so PS4"},
	{"BASHOPTS", "the same for shopt"},
	{"POSIXLY_CORRECT", "starts bash in posix mode, which expands aliases in scripts"},
	{"BASH_COMPAT", "changes how quotes are read"},
	{"BASH_XTRACEFD", "sends the trace to any descriptor"},
	{"BASH_LOADABLES_PATH", "enable -f loads builtins from it"},
	{"EXECIGNORE", "changes which program a name means"},
	{"GLOBIGNORE", "changes what a glob that was shown expands to"},
	{"CDPATH", "changes where cd goes"},
	{"IFS", "changes where words end"},
	{"GCONV_PATH", "iconv(3) loads modules from it (CVE-2021-4034)"},
	{"LOCPATH", "setlocale(3) maps its files"},
	{"GETCONF_DIR", "getconf runs a program from it"},
	{"HOSTALIASES", "changes which host a name means"},
	{"LOCALDOMAIN", "the same"},
	{"RES_OPTIONS", "the same"},
	{"NLSPATH", "message catalogues become format strings"},
	{"NODE_OPTIONS", "node takes options, --require among them"},
	{"npm_config_node_options", "npm hands them to every node of a script"},
	{"NPM_CONFIG_NODE_OPTIONS", "the same"},
	{"NODE_PATH", "node searches it for modules"},
	{"NODE_REPL_EXTERNAL_MODULE", "node runs it instead of its prompt"},
	{"YARN_YARN_PATH", "yarn runs this file instead of itself"},
	{"YARN_PLUGINS", "yarn loads them"},
	{"YARN_RC_FILENAME", "yarn takes its settings, plug-ins among them, from it"},
	{"PYTHONPATH", "python imports from it before its own library"},
	{"PYTHONWARNINGS", "imports the module that a category names"},
	{"PYTHONBREAKPOINT", "breakpoint() calls what it names"},
	{"PYTHONPYCACHEPREFIX", "python takes compiled modules from it"},
	{"PYTHONPLATLIBDIR", "where python's library is, below its home"},
	{"PYTEST_PLUGINS", "pytest imports them"},
	{"PYTEST_ADDOPTS", "pytest takes options, -p among them"},
	{"PERL5LIB", "perl loads modules from it"},
	{"PERLLIB", "the same"},
	{"RUBYLIB", "the same for ruby"},
	{"CLASSPATH", "the same for java"},
	{"PYTHONSTARTUP", "python runs this file"},
	{"PYTHONHOME", "python takes its library from it"},
	{"PYTHONINSPECT", "python goes on reading standard input"},
	{"PERL5OPT", "perl takes options, -M among them"},
	{"PERL5DB", "perl -d runs it"},
	{"RUBYOPT", "ruby takes options, -r among them"},
	{"RUBYGEMS_GEMDEPS", "ruby runs this file"},
	{"JRUBY_OPTS", "the same as RUBYOPT for jruby"},
	{"RAKEOPT", "rake takes options, --require among them"},
	{"JAVA_TOOL_OPTIONS", "every java takes options, -javaagent among them"},
	{"_JAVA_OPTIONS", "the same"},
	{"GIT_CONFIG_*", "git -c by the environment: GIT_CONFIG_PARAMETERS, GIT_CONFIG_COUNT, GIT_CONFIG_GLOBAL"},
	{"GIT_SSH_COMMAND", "git fetch runs it"},
	{"GIT_SSH", "git fetch runs it"},
	{"GIT_EXEC_PATH", "git takes its sub-commands from it"},
	{"GIT_ASKPASS", "git runs it to ask for a password"},
	{"SSH_ASKPASS", "the same for ssh"},
	{"GIT_TEMPLATE_DIR", "git init copies hooks from it"},
	{"GIT_EXTERNAL_DIFF", "git diff runs it"},
	{"GIT_PROXY_COMMAND", "git fetch runs it"},
	{"GIT_COMMON_DIR", "git takes the configuration and the hooks from it"},
	{"GIT_CONFIG", "git config takes settings from it"},
	{"GIT_ALLOW_PROTOCOL", "lets git run addresses of ext::"},
	{"HGRCPATH", "hg takes settings, hooks among them, from it"},
	{"SVN_SSH", "svn runs it"},
	{"CVS_RSH", "cvs runs it"},
	{"RSYNC_RSH", "rsync runs it"},
	{"RSYNC_CONNECT_PROG", "the same"},
	{"KUBECTL_EXTERNAL_DIFF", "kubectl diff runs it"},
	{"SSH_SK_PROVIDER", "ssh loads it"},
	{"SSH_SK_HELPER", "ssh runs it"},
	{"SSH_PKCS11_HELPER", "the same"},
	{"SUDO_ASKPASS", "sudo runs it"},
	{"TAR_OPTIONS", "tar takes options, --checkpoint-action among them"},
	{"LUA_INIT*", "lua runs it"},
	{"LUA_PATH*", "lua loads modules from it"},
	{"LUA_CPATH*", "the same, of machine code"},
	{"PHPRC", "php reads settings there, auto_prepend_file among them"},
	{"PHP_INI_SCAN_DIR", "the same"},
	{"R_PROFILE*", "R runs this file"},
	{"R_ENVIRON*", "R takes variables from it"},
	{"R_LIBS*", "R loads packages from it"},
	{"JULIA_LOAD_PATH", "julia loads modules from it"},
	{"TCLLIBPATH", "the same for tcl"},
	{"GUILE_LOAD_*", "the same for guile"},
	{"ERL_FLAGS", "erl takes options, -eval among them"},
	{"ERL_AFLAGS", "the same"},
	{"ERL_ZFLAGS", "the same"},
	{"ELIXIR_ERL_OPTIONS", "the same"},
	{"ERL_LIBS", "erl loads modules from it"},
	{"DOTNET_STARTUP_HOOKS", "dotnet loads it"},
	{"DOTNET_ADDITIONAL_DEPS", "the same"},
	{"CORECLR_PROFILER*", "the same"},
	{"COR_PROFILER*", "the same"},
	{"MONO_PATH", "mono loads assemblies from it"},
	{"MONO_ENV_OPTIONS", "mono takes options, --profile among them"},
	{"JDK_JAVA_OPTIONS", "java takes options"},
	{"MAVEN_OPTS", "the same"},
	{"GRADLE_OPTS", "the same"},
	{"MAVEN_ARGS", "mvn takes options"},
	{"JAVA_OPTS", "the start scripts of java's programs hand it on"},
	{"JVM_OPTS", "the same"},
	{"SBT_OPTS", "the same"},
	{"ANT_OPTS", "the same"},
	{"ANT_ARGS", "ant takes options, -listener among them"},
	{"MAKEFILES", "make reads them first"},
	{"OPENSSL_CONF", "loads engines and providers"},
	{"OPENSSL_MODULES", "the same"},
	{"OPENSSL_ENGINES", "the same"},
	{"GTK_MODULES", "GTK loads them into every program"},
	{"GTK_PATH", "the same"},
	{"GIO_EXTRA_MODULES", "the same for GLib"},
	{"GIO_MODULE_DIR", "the same"},
	{"GDK_PIXBUF_MODULE*", "the same for images"},
	{"GST_PLUGIN*", "the same for GStreamer"},
	{"QT_PLUGIN_PATH", "the same for Qt"},
	{"QT_QPA_PLATFORM_PLUGIN_PATH", "the same"},
	{"OMP_TOOL_LIBRARIES", "the same for OpenMP"},
	{"CUDA_INJECTION64_PATH", "the same for CUDA"},
	{"GOFLAGS", "go build takes options, -toolexec among them"},
	{"GOENV", "go reads settings from it"},
	{"GOCACHEPROG", "go build runs it"},
	{"GOAUTH", "go runs the command in it"},
	{"RUSTC_WRAPPER", "cargo runs it in place of the compiler"},
	{"RUSTC_WORKSPACE_WRAPPER", "the same"},
	{"CARGO_BUILD_RUSTC_*", "the same"},
	{"GCC_EXEC_PREFIX", "gcc takes its parts from it"},
	{"COMPILER_PATH", "the same"},
	{"ZDOTDIR", "zsh reads its start-up files there"},
	{"FPATH", "zsh and ksh take functions from it"},
	{"VIMINIT", "vim runs it"},
	{"GVIMINIT", "the same"},
	{"EXINIT", "the same"},
	{"VIMRUNTIME", "vim takes its own scripts from it"},
	{"EMACSLOADPATH", "emacs takes its own code from it"},
	{"SCREENRC", "screen runs its commands"},
	{"PSQLRC", "psql runs it, \\! lines among them"},
	{"PYTHONUSERBASE", "python imports from it"},
	{"FZF_DEFAULT_COMMAND", "fzf runs it"},
	{"FZF_DEFAULT_OPTS*", "fzf takes options, --preview among them"},
	{"ACKRC", "ack takes options from it, --pager among them"},
	{"BAT_CONFIG_PATH", "bat takes options from it, --pager among them"},
	{"MANOPT", "man takes options, --pager among them"},
	{"ZIPOPT", "zip takes options, -TT among them"},
	{"GROFF_BIN_PATH", "groff takes its parts from it"},
	{"RIPGREP_CONFIG_PATH", "rg takes options from it, --pre among them"},
	{"LESSOPEN", "less runs it"},
	{"LESSEDIT", "less runs it"},
	{"TEXEDIT", "tex runs it"},
	{"NULLCMD", "zsh runs it"},
	{"READNULLCMD", "the same"},
	{"FZF_CTRL_T_COMMAND", "fzf's keys run it"},
	{"FZF_ALT_C_COMMAND", "the same"},
	{"VIM", "vim takes its own scripts from it"},
	{"EMACSPATH", "emacs takes its programs from it"},
	{"BAT_CONFIG_DIR", "bat takes options from it, --pager among them"},
	{"LESSCLOSE", "less runs it"},
	{"LESSKEY*", "can set LESSOPEN"},
}

// families are names of which only what is known passes, for what else begins so makes programs load, run or write something.
var families = []string{"GIT_*"}

// shown are the ends of names whose value is a command line that shows something to a person. They pass with one of the programs below and plain options, for
// GIT_EDITOR='sh x' is a command that stands nowhere in the line that was judged.
var shown = []string{"EDITOR", "PAGER", "VISUAL", "BROWSER"}

// showers are editors and pagers, and the programs by which one says that there shall be none.
var showers = strings.Fields(`
	: true false none cat less more most lv ov moar moor bat batcat delta diff-so-fancy w3m
	vi vim vim.basic vim.tiny nvim view gvim mvim neovide nano pico micro hx helix kak ed joe jed ne mg mcedit emacs emacsclient
	code code-insiders codium cursor windsurf zed zeditor subl mate atom gedit kate kwrite mousepad pluma xed notepad idea pycharm goland webstorm rubymine clion phpstorm
	editor sensible-editor pager sensible-pager sensible-browser xdg-open open wslview firefox chromium google-chrome lynx links
`)

// plainOptions are those with which none of the showers reads another file, or takes for commands the one that it shows: with -S, vim does.
var plainOptions = strings.Fields(`
	-w --wait -W -n -nw -f --nofork --new-window --reuse-window +Man!
	-R -F -X -S -i -r -FR -FX -RX -RS -SR -iR -iRX -FRX -FRSX -FRXS -SRX -XRS -FRi -FRXi -FRXMK --no-init --RAW-CONTROL-CHARS --quit-if-one-screen --chop-long-lines -x4 -x8 --tabs=4
	--plain --paging=never --paging=always --side-by-side --line-numbers --dark --light --color-only --color=always --style=plain
`)

// programFolders are where programs lie that no command of an ordinary user has put there.
var programFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/usr/libexec", "/snap/bin", "/home/linuxbrew/.linuxbrew/bin", "/opt/homebrew/bin", "/opt/local/bin", "/nix/store/*", "/run/current-system/sw/bin"}

// OfTheCaller are variables of the shell or the connection that tada-run was called from. They differ
// from call to call and say where a directory or another machine is, so a command does not get them,
// and no approval depends on them.
var OfTheCaller = []string{"_", "OLDPWD", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "TRACESTATE"}

// PerCall are the names of the variables that an approval does not depend on while their values have
// no meaning of their own.
func PerCall() (names []string) {
	for _, c := range perCall {
		names = append(names, c.name)
	}
	return names
}

// perCall are variables that a command gets and an approval does not depend on while their value has the shape: which
// terminal, window, session or call it is. Any other value is bound as that of every other variable is.
var perCall = []callVariable{
	{"SHLVL", number}, {"COLUMNS", number}, {"LINES", number},
	{"TERM", word}, {"COLORTERM", word}, {"TERM_PROGRAM", word}, {"TERM_PROGRAM_VERSION", word}, {"VTE_VERSION", number},
	{"WINDOWID", number}, {"TMUX_PANE", word}, {"KITTY_WINDOW_ID", number}, {"WEZTERM_PANE", number}, {"ALACRITTY_WINDOW_ID", number},
	{"TERM_SESSION_ID", word}, {"ITERM_SESSION_ID", word}, {"SHELL_SESSION_ID", id}, {"WT_SESSION", id}, {"XDG_SESSION_ID", word},
	{"TRACEPARENT", id}, {"INVOCATION_ID", id}, {"JOURNAL_STREAM", word},
	{"AI_AGENT", word}, {"AGENT", word}, {"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", word},
	{"TMPDIR", temporaryFolder}, {"TMP", temporaryFolder}, {"TEMP", temporaryFolder},
	{"NO_COLOR", word}, {"FORCE_COLOR", word}, {"CLICOLOR", word}, {"COREPACK_ENABLE_AUTO_PIN", number}, {"NoDefaultCurrentDirectoryInExePath", number},
	{"PAGER", cat}, {"GIT_PAGER", cat}, {"GH_PAGER", cat}, {"MANPAGER", cat}, {"SYSTEMD_PAGER", cat},
	{"GIT_EDITOR", nothing}, {"GIT_TERMINAL_PROMPT", nothing}, {"GH_PROMPT_DISABLED", number}, {"GIT_ASKPASS", nothing}, {"SSH_ASKPASS", nothing},
	{"DISPLAY", nothing}, {"DBUS_SESSION_BUS_ADDRESS", nothing},
}

// ofPrograms are the variables that an agent's program sets for itself. They are bound where that program is run.
var ofPrograms = []struct{ name, program string }{
	{"CLAUDECODE", "claude"}, {"CLAUDE_*", "claude"}, {"CODEX_*", "codex"}, {"OPENCODE", "opencode"}, {"OPENCODE_*", "opencode"},
	{"GEMINI_*", "gemini"}, {"QWEN_*", "qwen"}, {"COPILOT_*", "copilot"}, {"CURSOR_*", "cursor"},
}

type callVariable struct {
	name  string
	shape func(value string) bool
}

// secretParts make any name that has one a credential's.
var secretParts = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "APIKEY", "API_KEY", "AUTH_IDENT"}

// secretSuffixes are the endings of names that hold credentials. Every client passes its own
// on to the shell that it starts.
var secretSuffixes = []string{
	"_KEY", "_AUTH", "_PASS", "_PASSPHRASE", "_COOKIE", "_DSN", "_CONNECTION_STRING", "_KEY_BASE",
}

// secretNames are credentials, or ways to somebody who holds them, whose names do not tell.
var secretNames = []string{
	"SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "AWS_SESSION_TOKEN", "NETRC", "PGPASSFILE", "PGPASSWORD", "MYSQL_PWD",
}

// known are variables that programs are told harmless things by. A name that ends in * is a
// prefix. They pass unless their value has the shape of a credential.
var known = strings.Fields(`
	PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL _ HOSTNAME HOSTTYPE MACHTYPE OSTYPE MAIL
	LANG LANGUAGE LC_* TZ TERM TERMINFO* TERM_* COLORTERM COLUMNS LINES COLOR CLICOLOR* NO_COLOR FORCE_COLOR LS_COLORS GREP_COLOR*
	TMPDIR TMP TEMP XDG_* DISPLAY WAYLAND_DISPLAY LESS MANPATH INFOPATH INPUTRC
	http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR
	CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBS ARFLAGS DESTDIR PREFIX CONFIG_SHELL CONFIG_SITE
	MAKE* MFLAGS GNUMAKEFLAGS CMAKE_* CTEST_* NINJA_* MESON_* PKG_CONFIG* ACLOCAL* AUTO* CCACHE_* SOURCE_DATE_EPOCH
	GOPATH GOROOT GOBIN GOOS GOARCH GOARM GOAMD64 GO386 GOCACHE GOMODCACHE GOPROXY GONOPROXY GONOSUMDB GOSUMDB GOPRIVATE GOTOOLCHAIN GOMAXPROCS GOGC GOMEMLIMIT GODEBUG GOEXPERIMENT GOTMPDIR GO111MODULE GOTRACEBACK GOWORK GOCOVERDIR GOTESTSUM_* CGO_* CARGO_* RUST* NODE_* npm_* NPM_* YARN_* PNPM_* BUN_* DENO_* COREPACK_* NVM_* VOLTA_* FNM_*
	PYTHON* PYENV_* PIP_* UV_* POETRY_* VIRTUAL_ENV* CONDA_* TOX_* PYTEST_* RUBY* GEM_* BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_WITHOUT BUNDLE_JOBS RBENV_* RAILS_* RACK_*
	JAVA_* JDK_* MAVEN_* M2_HOME GRADLE_* ANDROID_* KOTLIN_* SBT_* DOTNET_* MSBUILD* PHP_* COMPOSER_* PERL* LUA_* R_* GHC* CABAL_* STACK_*
	GIT_AUTHOR_* GIT_COMMITTER_* GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_EDITOR GIT_PAGER GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS
	GIT_COMMIT GIT_BRANCH GIT_LOCAL_BRANCH GIT_URL GIT_PREVIOUS_* GIT_ADVICE GIT_NO_LAZY_FETCH GIT_NO_REPLACE_OBJECTS GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_HTTP_LOW_SPEED_* GIT_PS1_SHOW*
	GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_LFS_SKIP_SMUDGE GIT_LITERAL_PATHSPECS GIT_PAGER_IN_USE GIT_PROTOCOL GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CEILING_DIRECTORIES GIT_REFLOG_ACTION GIT_MERGE_AUTOEDIT GIT_SEQUENCE_EDITOR GIT_PUSH_OPTION_* GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY
	CI DEBUG VERBOSE BATS_* PARALLEL* as_* ac_* TMUX TMUX_PANE STY WINDOWID FZF_* EZA_* BAT_*
	CLAUDE* CODEX_* OPENCODE* GEMINI_CLI* QWEN_CODE* COPILOT_CLI* COPILOT_AGENT_SESSION_ID COPILOT_HOME COPILOT_MODEL CURSOR_* AGENT* APPROVAL_TTL_SECONDS
	SUDO_USER SUDO_UID SUDO_GID NIX_* GUIX_* WSL* container
`)

// tokenMarks are what issuers begin their tokens with, so that scanners find them.
var tokenMarks = strings.Fields(`
	sk- sk_live_ sk_test_ rk_live_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xoxb- xoxp- xoxa- xapp- AKIA ASIA AIza ya29. eyJ
	npm_ pypi- hf_ SG. dop_v1_ shpat_ lin_api_ key- AGE-SECRET-KEY- dckr_pat_ figd_ sntrys_ ATATT vercel_ nvapi- gsk_ tvly- pplx-
`)
