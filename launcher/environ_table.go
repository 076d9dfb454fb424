package launcher

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
	{"GETCONF_DIR", "getconf runs a program from it"},
	{"HOSTALIASES", "changes which host a name means"},
	{"LOCALDOMAIN", "the same"},
	{"RES_OPTIONS", "the same"},
	{"NLSPATH", "message catalogues become format strings"},
	{"NODE_OPTIONS", "node takes options, --require among them"},
	{"PYTHONPATH", "python imports from it before its own library"},
	{"PYTHONWARNINGS", "imports the module that a category names"},
	{"PYTHONBREAKPOINT", "breakpoint() calls what it names"},
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
	{"TAR_OPTIONS", "tar takes options, --checkpoint-action among them"},
	{"LUA_INIT*", "lua runs it"},
	{"DOTNET_STARTUP_HOOKS", "dotnet loads it"},
	{"JDK_JAVA_OPTIONS", "java takes options"},
	{"MAVEN_OPTS", "the same"},
	{"GRADLE_OPTS", "the same"},
	{"MAKEFILES", "make reads them first"},
	{"OPENSSL_CONF", "loads engines and providers"},
	{"OPENSSL_MODULES", "the same"},
	{"GOFLAGS", "go build takes options, -toolexec among them"},
	{"GOENV", "go reads settings from it"},
	{"ZDOTDIR", "zsh reads its start-up files there"},
	{"PYTHONUSERBASE", "python imports from it"},
	{"FZF_DEFAULT_COMMAND", "fzf runs it"},
	{"RIPGREP_CONFIG_PATH", "rg takes options from it, --pre among them"},
	{"LESSOPEN", "less runs it"},
	{"LESSCLOSE", "less runs it"},
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
	TMPDIR TMP TEMP XDG_* DISPLAY WAYLAND_DISPLAY EDITOR VISUAL PAGER LESS MANPATH INFOPATH INPUTRC
	http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR
	CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBS ARFLAGS DESTDIR PREFIX CONFIG_SHELL CONFIG_SITE
	MAKE* MFLAGS GNUMAKEFLAGS CMAKE_* CTEST_* NINJA_* MESON_* PKG_CONFIG* ACLOCAL* AUTO* CCACHE_* SOURCE_DATE_EPOCH
	GOPATH GOROOT GOBIN GOOS GOARCH GOARM GOAMD64 GO386 GOCACHE GOMODCACHE GOPROXY GONOPROXY GONOSUMDB GOSUMDB GOPRIVATE GOTOOLCHAIN GOMAXPROCS GOGC GOMEMLIMIT GODEBUG GOEXPERIMENT GOTMPDIR GO111MODULE GOTRACEBACK GOWORK GOCOVERDIR GOTESTSUM_* CGO_* CARGO_* RUST* NODE_* npm_* NPM_* YARN_* PNPM_* BUN_* DENO_* COREPACK_* NVM_* VOLTA_* FNM_*
	PYTHON* PYENV_* PIP_* UV_* POETRY_* VIRTUAL_ENV* CONDA_* TOX_* PYTEST_* RUBY* GEM_* BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_WITHOUT BUNDLE_JOBS RBENV_* RAILS_* RACK_*
	JAVA_* JDK_* MAVEN_* M2_HOME GRADLE_* ANDROID_* KOTLIN_* SBT_* DOTNET_* MSBUILD* PHP_* COMPOSER_* PERL* LUA_* R_* GHC* CABAL_* STACK_*
	GIT_AUTHOR_* GIT_COMMITTER_* GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_EDITOR GIT_PAGER GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS
	GIT_CEILING_DIRECTORIES GIT_REFLOG_ACTION GIT_MERGE_AUTOEDIT GIT_SEQUENCE_EDITOR GIT_PUSH_OPTION_* GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY
	CI DEBUG VERBOSE BATS_* PARALLEL* as_* ac_* TMUX TMUX_PANE STY WINDOWID FZF_* EZA_* BAT_*
	CLAUDE* CODEX_* OPENCODE* GEMINI_CLI* CURSOR_* AGENT* APPROVAL_TTL_SECONDS
	SUDO_USER SUDO_UID SUDO_GID NIX_* GUIX_* WSL* container
`)

// tokenMarks are what issuers begin their tokens with, so that scanners find them.
var tokenMarks = strings.Fields(`
	sk- sk_live_ sk_test_ rk_live_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xoxb- xoxp- xoxa- xapp- AKIA ASIA AIza ya29. eyJ
	npm_ pypi- hf_ SG. dop_v1_ shpat_ lin_api_ key- AGE-SECRET-KEY- dckr_pat_ figd_ sntrys_ ATATT vercel_ nvapi- gsk_ tvly- pplx-
`)
