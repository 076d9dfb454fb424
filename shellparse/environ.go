package shellparse

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A meaning is what a variable does to the programs that find it in their environment.
type meaning int

const (
	harmless   meaning = iota
	runs               // a shell command line that some program runs
	starts             // the name of a program that is started, perhaps with arguments
	sources            // a file that is executed as shell text
	loads              // libraries, modules or plug-ins that are loaded into programs, by path
	searches           // directories in which programs or libraries are looked up
	options            // options of a program, read before those of its command line
	prompts            // text that the shell expands, substitutions included
	places             // a directory that a program works in instead of the usual one
	configures         // settings that can name programs to run
	writes             // a file that is written
	proxies            // through whom the network is reached
)

// The variables that change what a later command means, as their programs' manuals tell.
// A name that ends in * stands for all that start so.
const environment = `
runs      GIT_SSH_COMMAND GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND
runs      PAGER MANPAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER DELTA_PAGER PSQL_PAGER BAT_PAGER LESSOPEN LESSCLOSE
runs      EDITOR VISUAL FCEDIT SUDO_EDITOR SYSTEMD_EDITOR KUBE_EDITOR HGEDITOR SVN_EDITOR GH_EDITOR PSQL_EDITOR CVSEDITOR
runs      BROWSER GH_BROWSER RSYNC_RSH CVS_RSH SVN_SSH GOTOOLCHAIN_CMD PROMPT_COMMAND BASH_COMMAND_HOOK
runs      CC CXX CPP LD AR AS NM RANLIB CPPCXX FC RUSTC RUSTDOC HOSTCC LEX YACC MAKE CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
runs      CARGO_TARGET_*_LINKER GIT_MERGE_TOOL CMAKE_COMMAND GREP_PROGRAM OPENER TERMINAL XDG_UTILS_BROWSER NPM_CONFIG_EDITOR
runs      MYSQL_HISTFILE_CMD BUNDLE_EDITOR GEM_EDITOR LESSEDIT ROFF_PAGER PERLDOC_PAGER PERLDOC_EDITOR RI_PAGER PYDOC_PAGER MANOPT_PAGER
runs      FZF_DEFAULT_COMMAND FZF_CTRL_T_COMMAND FZF_ALT_C_COMMAND KUBECTL_EXTERNAL_DIFF RSYNC_CONNECT_PROG GOCACHEPROG P4EDITOR P4DIFF
starts    GIT_SSH GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTDOC CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_*_RUNNER
starts    NODE_EXECUTABLE npm_config_script_shell npm_config_node_gyp PIP_PYTHON CARGO CONFIG_SHELL SHELL MAKESHELL TAPE COMPRESS_PROGRAM JUST_SHELL PYTHONEXECUTABLE TERRAGRUNT_TFPATH PUPPETEER_EXECUTABLE_PATH CHROME_BIN CHROME_PATH
sources   BASH_ENV ENV ZDOTDIR PYTHONSTARTUP MYVIMRC INPUTRC SCREENRC MAKEFILES IRBRC PSQLRC SQLITERC R_PROFILE R_PROFILE_USER R_ENVIRON RPROFILE DOTENV_CONFIG_PATH JULIA_STARTUP NETRC WGETRC SYSTEM_WGETRC MUTTRC TMUX_CONF DIRENV_BASH
sources   RIPGREP_CONFIG_PATH CMAKE_TOOLCHAIN_FILE TF_CLI_CONFIG_FILE TERRAFORM_CONFIG ANSIBLE_CONFIG BC_ENV_ARGS OCTAVE_INITFILE OCTAVE_SITE_INITFILE LESSKEY LESSKEYIN GOENV HGRCPATH COVERAGE_PROCESS_START STARSHIP_CONFIG BAT_CONFIG_PATH ACKRC
loads     LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH LOCPATH NLSPATH OPENSSL_CONF OPENSSL_ENGINES SSLKEYLOGFILE
loads     VIMRUNTIME NODE_REPL_EXTERNAL_MODULE GTK_PATH GIO_EXTRA_MODULES GIO_MODULE_DIR VK_LAYER_PATH OCL_ICD_VENDORS PKCS11_MODULE KRB5_CONFIG PERL5DB PYTHONHOME PYTHONBREAKPOINT PYTHONINSPECT PYTHONUSERBASE GTK_MODULES QT_PLUGIN_PATH JAVA_HOME CLASSPATH
loads     LUA_INIT LUA_INIT_5_1 LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4 PYTEST_PLUGINS SSH_SK_PROVIDER RUBYGEMS_GEMDEPS
searches  PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH GIT_EXEC_PATH PYTHONPATH NODE_PATH PERL5LIB PERLLIB RUBYLIB GEM_PATH GEM_HOME LUA_PATH LUA_CPATH COMPILER_PATH GCC_EXEC_PREFIX MANPATH TERMINFO_DIRS TERMINFO TERMCAP GOROOT PYTHONPYCACHEPREFIX
searches  HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS XDG_STATE_HOME COMPOSER_HOME CARGO_HOME RUSTUP_HOME GRADLE_USER_HOME MAVEN_USER_HOME M2_HOME NPM_CONFIG_PREFIX npm_config_prefix BUNDLE_PATH BUNDLE_GEMFILE PIPX_HOME POETRY_HOME PYENV_ROOT RBENV_ROOT NVM_DIR VOLTA_HOME ANSIBLE_LIBRARY ANSIBLE_ROLES_PATH ANSIBLE_COLLECTIONS_PATH ANSIBLE_ACTION_PLUGINS HELM_PLUGINS DOCKER_CONFIG GNUPGHOME KREW_ROOT CMAKE_PREFIX_PATH CMAKE_MODULE_PATH PKG_CONFIG_PATH ACLOCAL_PATH EMACSLOADPATH GUILE_LOAD_PATH JULIA_LOAD_PATH JULIA_DEPOT_PATH TCLLIBPATH AWKPATH GDBINIT FPATH
searches  CURL_HOME PHP_INI_SCAN_DIR PHPRC PACKER_PLUGIN_PATH GOPATH MYSQL_HOME PGSYSCONFDIR R_LIBS R_LIBS_USER DUB_HOME
options   NODE_OPTIONS=node PERL5OPT=perl RUBYOPT=ruby TAR_OPTIONS=tar GREP_OPTIONS=grep MAKEFLAGS=make GNUMAKEFLAGS=make MFLAGS=make LESS=less MORE=more GZIP=gzip XZ_OPT=xz ZSTD_OPT=zstd GOFLAGS=go+build JAVA_TOOL_OPTIONS=java _JAVA_OPTIONS=java JDK_JAVA_OPTIONS=java MAVEN_OPTS=java GRADLE_OPTS=java RUSTFLAGS=rustc CARGO_ENCODED_RUSTFLAGS=rustc PYTEST_ADDOPTS=pytest PROVE_OPTS=prove
options   MANOPT=man FZF_DEFAULT_OPTS=fzf CFLAGS=gcc CXXFLAGS=gcc CPPFLAGS=gcc LDFLAGS=gcc CGO_CFLAGS=gcc CGO_CXXFLAGS=gcc CGO_LDFLAGS=gcc MAVEN_ARGS=mvn SBT_OPTS=java JRUBY_OPTS=ruby ERL_FLAGS=erl ERL_AFLAGS=erl ERL_ZFLAGS=erl RAKEOPT=rake VALGRIND_OPTS=valgrind CARGO_BUILD_RUSTFLAGS=rustc
prompts   PS0 PS1 PS2 PS4
places    GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR
searches  GIT_DIR GIT_TEMPLATE_DIR
configures VIMINIT GVIMINIT EXINIT CARGO_UNSTABLE_CONFIG PIP_CONFIG_FILE UV_CONFIG_FILE YARN_RC_FILENAME BUNDLE_CONFIG ANSIBLE_CFG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG
configures UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX POETRY_REPOSITORIES GEM_HOST RUBYGEMS_HOST CARGO_REGISTRIES_* CARGO_SOURCE_* GONOSUMDB GONOSUMCHECK GOFLAGS_INSECURE GOINSECURE GIT_ALLOW_PROTOCOL TF_CLI_ARGS TWINE_REPOSITORY_URL COREPACK_NPM_REGISTRY YARN_YARN_PATH YARN_PLUGINS YARN_REGISTRY NODE_TLS_REJECT_UNAUTHORIZED GIT_SSL_NO_VERIFY PYTHONHTTPSVERIFY DOCKER_CONTEXT CONTAINER_HOST
configures GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_KEY_* GIT_CONFIG_VALUE_* GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_ATTR_SOURCE npm_config_* NPM_CONFIG_* PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL DOCKER_HOST KUBECONFIG
writes    NODE_V8_COVERAGE LLVM_PROFILE_FILE COVERAGE_FILE GIT_TRACE GIT_TRACE2 GIT_TRACE_PACKET BASH_XTRACEFD
proxies   http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy FTP_PROXY ftp_proxy RSYNC_PROXY GOPROXY
`

// moduleProxies are the places from which Go modules usually come; go.sum says whether they are
// the same from there.
const moduleProxies = " direct off proxy.golang.org goproxy.io goproxy.cn "

// history are the variables that decide whether an interactive shell keeps a record.
const history = " HISTFILE HISTSIZE HISTFILESIZE HISTCONTROL HISTIGNORE "

// kinds are the names of the meanings in the table, in their order.
const kinds = "harmless runs starts sources loads searches options prompts places configures writes proxies"

func kindOf(name string) meaning {
	for i, k := range strings.Fields(kinds) {
		if k == name {
			return meaning(i)
		}
	}
	return harmless
}

// meaningOf looks a variable up in the table. The second result is the program whose
// options it holds.
func meaningOf(name string) (meaning, string) {
	if len(name) < 2 || strings.ContainsAny(name, " \n=*") {
		return harmless, ""
	}
	for at := 0; ; {
		i := strings.Index(environment[at:], name)
		if i < 0 {
			return family(name), ""
		}
		start, end := at+i, at+i+len(name)
		at = end
		if environment[start-1] != ' ' || strings.IndexByte(" \n=", environment[end]) < 0 {
			continue
		}
		line := environment[strings.LastIndexByte(environment[:start], '\n')+1:]
		kind, _, _ := strings.Cut(line, " ")
		program := ""
		if environment[end] == '=' {
			program, _, _ = strings.Cut(environment[end+1:], " ")
			program, _, _ = strings.Cut(program, "\n")
		}
		return kindOf(kind), program
	}
}

// family is the meaning of a variable with a part of the user's own in its name.
func family(name string) meaning {
	tail := name[strings.LastIndexByte(name, '_')+1:]
	switch {
	case strings.HasPrefix(name, "GIT_CONFIG_"), strings.HasPrefix(strings.ToLower(name), "npm_config_"),
		strings.HasPrefix(name, "CARGO_REGISTRIES_"), strings.HasPrefix(name, "CARGO_SOURCE_"), strings.HasPrefix(name, "ANSIBLE_CALLBACK"):
		return configures
	case strings.HasPrefix(name, "TF_CLI_ARGS_"):
		return configures
	case strings.HasPrefix(name, "BASH_FUNC_"): // a function that takes the place of a program
		return runs
	case strings.HasPrefix(name, "ANSIBLE_") && (tail == "PLUGINS" || tail == "LIBRARY"):
		return searches
	case strings.HasPrefix(name, "CARGO_TARGET_") && (tail == "RUNNER" || tail == "LINKER"):
		return starts
	case strings.HasPrefix(name, "CORECLR_PROFILER"), strings.HasPrefix(name, "COR_PROFILER"), name == "DOTNET_STARTUP_HOOKS":
		return loads
	}
	return harmless
}

// ofShell reports whether the shell itself acts on a variable that is not exported.
func ofShell(name string) bool {
	switch name {
	case "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE", "HOME", "PATH", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4", "ENV", "HISTFILE", "FCEDIT":
		return true
	}
	return false
}

// environ says what giving a variable to programs causes.
func (w *walker) environ(s *state, name string, v value, span Span) {
	if strings.Contains(history, " "+name+" ") {
		w.hazard(Hazard{Rule: "shell.history", Risk: 2, Message: "changes what the shell records of its lines", Span: span})
		return
	}
	kind, program := meaningOf(name)
	if kind == harmless {
		return
	}
	text, ok := v.text()
	if ok && strings.TrimSpace(text) == "" {
		return
	}
	child := w.fork(s)
	child.capture, child.in, child.out = false, nil, nil
	defer func(via []string) { w.via = via }(w.via)
	w.via = append(w.via[:len(w.via):len(w.via)], name)
	switch kind {
	case runs:
		w.shellArg(child, v, span, name)
	case starts, options:
		w.wordsOf(child, name, program, v, span)
	case sources:
		if f := behind(v); f != nil {
			w.runs(child, f, "sh", span)
			return
		}
		if ok {
			w.second(s, text) // bash expands BASH_ENV and ENV before it takes them for a name
		}
		w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(s, v), Span: span})
		w.unknownValue(s, InCode, name, v, span)
	case loads:
		w.loading(s, name, v, span)
	case searches:
		w.searching(s, name, v, span)
	case prompts:
		if ok {
			w.second(s, text)
		}
		w.unknownValue(s, InCode, name, v, span)
	case places:
		w.effect(s, Effect{Right: command.Write, Flags: command.Recursive, Name: w.name(s, v), Span: span})
		w.unknownValue(s, InWrite, name, v, span)
	case configures:
		if !strings.Contains(name, "LOGLEVEL") && !strings.Contains(name, "loglevel") {
			w.hazard(Hazard{Rule: "env.config", Risk: 2, Message: "changes settings that can name programs to run: " + name, Span: span})
		}
	case writes:
		if strings.Contains(text, "/") || !ok {
			w.effect(s, Effect{Right: command.Write, Flags: command.Append, Name: w.name(s, v), Span: span})
		}
	case proxies:
		e := endpoint(strings.SplitN(v.prefix(), ",", 2)[0])
		if name == "GOPROXY" && !strings.Contains(moduleProxies, " "+e.Host+" ") {
			w.hazard(Hazard{Rule: "env.config", Risk: 2, Message: "takes modules from another place than usual: " + e.Host, Span: span})
		}
		if e.Host != "direct" && e.Host != "off" {
			e.Static = e.Static && ok
			e.Upload = name != "GOPROXY" // everything goes through it
			var flags command.Flags
			if e.Upload {
				flags = command.Upload
			}
			w.effect(s, Effect{Right: command.Net, Flags: flags, Net: &e, Span: span})
		}
	}
}

func (w *walker) unknownValue(s *state, place Place, name string, v value, span Span) {
	if _, ok := v.text(); !ok {
		w.opaque(s, place, "the value of "+name+" is not known: "+v.word().Why, span)
	}
}

// loading is code that every program started from now on takes in.
func (w *walker) loading(s *state, name string, v value, span Span) {
	w.hazard(Hazard{Rule: "env.load", Risk: 2, Message: "makes programs load other code: " + name, Span: span})
	w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(s, v), Span: span})
	w.unknownValue(s, InCode, name, v, span)
}

// searching is a list of directories. What was on the list before is no news.
func (w *walker) searching(s *state, name string, v value, span Span) {
	if name == "PATH" && looksHere(v) {
		w.hazard(Hazard{Rule: "env.path", Risk: 2, Message: "finds programs in whatever directory it stands in", Span: span})
	}
	if before, ok := w.o.Vars[name]; ok {
		if text, fine := v.text(); fine {
			text = strings.ReplaceAll(":"+text+":", ":"+before+":", ":")
			v = known(strings.Trim(text, ":"))
		}
	}
	var dir value
	flush := func() {
		if len(dir) > 0 && !(len(dir) == 1 && dir[0].kind == open) {
			w.effect(s, Effect{Right: command.Read, Flags: command.Source | command.List, Name: w.name(s, dir), Span: span})
		}
		dir = nil
	}
	for _, p := range v {
		if !p.known() {
			dir = append(dir, p)
			continue
		}
		for i, piece := range strings.Split(p.text, ":") {
			if i > 0 {
				flush()
			}
			if piece != "" {
				dir = append(dir, part{text: piece})
			}
		}
	}
	flush()
}

// looksHere reports whether a list of directories has the working directory among them: as
// a dot, or as nothing between two colons.
func looksHere(v value) bool {
	var b strings.Builder
	for _, p := range v {
		if p.known() {
			b.WriteString(p.text)
		} else {
			b.WriteByte('?')
		}
	}
	for dir := range strings.SplitSeq(b.String(), ":") {
		if dir == "" || dir == "." {
			return true
		}
	}
	return false
}

// wordsOf reads a value as words of a command line: those of the program whose options it
// holds, or a program and its arguments.
func (w *walker) wordsOf(s *state, name, program string, v value, span Span) {
	text, ok := v.text()
	if !ok {
		w.opaque(s, InOption, "the value of "+name+" is not known: "+v.word().Why, span)
		return
	}
	var args []value
	if program != "" {
		if !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") && !strings.Contains(text, " -") && program != "make" {
			return
		}
		for _, word := range strings.Split(program, "+") {
			args = append(args, known(word))
		}
	}
	rest := ""
	if i := strings.IndexByte(text, '+'); program == "less" && i >= 0 && (i == 0 || text[i-1] == ' ') {
		text, rest = text[:i], text[i:] // less(1): a command goes on up to a dollar sign or the end
	}
	for _, word := range strings.Fields(text) {
		args = append(args, known(word))
	}
	if rest != "" {
		rest, _, _ = strings.Cut(rest, "$")
		args = append(args, known(rest))
	}
	if len(args) == 0 {
		return
	}
	c := w.newCall(args, nil, span)
	if program == "" {
		c.program = true
		w.invoke(s, c)
		return
	}
	spec, _ := w.spec(args[0].prefix())
	u := spec.Match(c.argv)
	u.Unknown, u.StdinCode = nil, ""
	for _, n := range u.Nested {
		w.start(s, c, n, u, s.dir, program)
	}
	for _, h := range u.Hazards {
		w.hazard(Hazard{Rule: h.Rule, Risk: h.Risk, Message: h.Message, Span: span})
	}
	for _, t := range u.Touches {
		if t.Flags&command.Source != 0 || t.Right == command.Exec || t.Right == command.Write {
			w.effect(s, Effect{Right: t.Right, Flags: t.Flags, Name: w.nameIn(w.fromArg(c, t.Arg, command.Arg{Text: t.Text, Static: t.Static, Glob: t.Glob}), s.dir), Span: span})
		}
	}
}
