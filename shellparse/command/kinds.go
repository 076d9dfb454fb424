package command

import "strings"

// A kind is a word of the table's language: what a value or an operand is.
type kind struct {
	name  string
	worst Right // the worst that it can cause
	rest  bool  // it takes every operand that is left, even none
	do    func(*matcher, role, []value)
}

// kinds is every kind but the path letters (see pathLetters).
var kinds = []kind{
	{"APTOPT", Exec, false, (*matcher).aptOption},
	{"ARCHIVE", Write, false, nothing}, // read by TAR, once the mode is known
	{"ARG", 0, false, (*matcher).handedOn},
	{"ARGV", Exec, false, (*matcher).argv},
	{"ASSIGN", 0, false, (*matcher).assign},
	{"AT", Read, false, (*matcher).atFile},
	{"AWK", Exec, false, (*matcher).awk},
	{"AWKFILE", Read, false, (*matcher).awkOperand},
	{"AWKINC", Exec, false, (*matcher).awkInclude},
	{"AZ", Delete, true, (*matcher).cloudWords},
	{"BASHARGS", Exec, true, (*matcher).bashArgs},
	{"BUILDTARGET", Exec, true, (*matcher).buildTarget},
	{"BUILT", Net, false, (*matcher).builtText},
	{"BUNDLECFG", Net, false, (*matcher).alarm},
	{"BUNRUN", Exec, false, (*matcher).bunRun},
	{"CARGOCFG", Exec, false, (*matcher).cargoConfig},
	{"CHANNEL", Net, false, (*matcher).alarm},
	{"CHMOD", Write, true, (*matcher).chmod},
	{"CHROOT", Exec, true, (*matcher).chroot},
	{"CLJDEPS", Net, false, (*matcher).alarm},
	{"CMAKEE", Exec, false, (*matcher).cmakeTool},
	{"CMD", Exec, true, (*matcher).command},
	{"CODE", Exec, false, (*matcher).code},
	{"CONTEXT", Exec, false, (*matcher).buildContext},
	{"CONFIGWORD", Read, true, (*matcher).alarm},
	{"COOKIE", Read, false, (*matcher).cookie},
	{"CRONTAB", Read, true, (*matcher).crontab},
	{"CURLRC", Exec, false, (*matcher).curlConfig},
	{"CURLVAR", Read, false, (*matcher).curlVariable},
	{"DATE", 0, false, (*matcher).alarm},
	{"DBURL", Net, false, (*matcher).database},
	{"DC", Exec, false, (*matcher).deskCalc},
	{"DD", Write, true, (*matcher).dd},
	{"DIR", 0, false, (*matcher).dir},
	{"DISTROBOX", Exec, true, (*matcher).podCommand},
	{"DJANGO", Delete, false, (*matcher).alarm},
	{"DNS", Net, false, (*matcher).dnsName},
	{"DOCKERCMD", Exec, true, (*matcher).containerCommand},
	{"DOCKERCP", Write, false, (*matcher).containerFile},
	{"DOCKERMOUNT", Write, false, (*matcher).mountSpec},
	{"DOCKERSEC", Exec, false, (*matcher).alarm},
	{"DOCKERVOL", Write, false, (*matcher).volume},
	{"DOCUMENT", Read, false, (*matcher).document},
	{"ELISPFN", Exec, false, (*matcher).lispFunction},
	{"ELISPLIB", Exec, false, (*matcher).lispLibrary},
	{"ENTRYPOINT", Exec, false, nothing}, // read by DOCKERCMD
	{"ENVFORMAT", Read, false, (*matcher).alarm},
	{"EXTRACT", Write, true, (*matcher).extract},
	{"EXTRAVARS", Read, false, (*matcher).extraVariables},
	{"FDEXEC", Exec, false, (*matcher).restCommand},
	{"FIELDS", Write, false, (*matcher).fields},
	{"FIND", Delete, true, (*matcher).find},
	{"FLOCK", Exec, true, (*matcher).flock},
	{"FORMATTER", Exec, false, (*matcher).nodeModule},
	{"FZFBIND", Exec, false, (*matcher).fuzzyBinding},
	{"GCC", Exec, true, (*matcher).compiler},
	{"GDB", Exec, false, (*matcher).gdbCommand},
	{"GETENT", Net, true, (*matcher).nameService},
	{"GITADD", Read, false, (*matcher).gitAdd},
	{"GITAPPLY", Write, true, (*matcher).gitApply},
	{"GITCFG", Exec, false, (*matcher).gitConfig},
	{"GITCHECKOUT", Delete, true, (*matcher).gitCheckout},
	{"GITCLEAN", Delete, true, (*matcher).gitClean},
	{"GITCLONE", Exec, true, (*matcher).gitClone},
	{"GITFILE", Read, false, (*matcher).gitFile},
	{"GITPATH", Exec, false, (*matcher).gitPath},
	{"GITPRUNE", Delete, false, (*matcher).alarm},
	{"GITSECRET", Read, false, (*matcher).alarm},
	{"GITURL", Exec, false, (*matcher).gitURL},
	{"GOREPLACE", Net, false, (*matcher).alarm},
	{"GOINSTALL", Exec, true, (*matcher).alarm},
	{"GOLDFLAGS", Exec, false, (*matcher).linkerFlags},
	{"GOGET", Net, false, (*matcher).goGet},
	{"GORUN", Exec, true, (*matcher).goRun},
	{"GRADLE", Net, false, (*matcher).publishingTask},
	{"GRAPHQL", Net, false, (*matcher).graphQL},
	{"HEADER", Read, false, (*matcher).header},
	{"HOST", Net, false, (*matcher).hostWord},
	{"HOSTBIND", Net, false, (*matcher).alarm},
	{"HOSTNAME", Write, false, (*matcher).setHostname},
	{"HOSTNS", Exec, false, (*matcher).alarm},
	{"HTTPIE", Net, true, (*matcher).httpie},
	{"IMAGE", Exec, false, (*matcher).image},
	{"INSTMODE", Write, false, (*matcher).fileMode},
	{"IP", Exec, true, (*matcher).ipObject},
	{"JAVA", Exec, false, (*matcher).javaOperand},
	{"JBANG", Exec, false, (*matcher).jbangScript},
	{"JQ", Read, false, (*matcher).jqProgram},
	{"K8SFILE", Read, false, (*matcher).document},
	{"KEYFILE", Read, false, (*matcher).keyFile},
	{"KILL", Delete, true, (*matcher).kill},
	{"KUBECP", Write, false, (*matcher).containerFile},
	{"KUBEEXEC", Exec, true, (*matcher).podCommand},
	{"KUBEGET", Read, false, (*matcher).kubeGet},
	{"LESS", Exec, false, (*matcher).pagerOperand},
	{"LESSKEY", Exec, false, (*matcher).lesskey},
	{"LFTP", Exec, false, (*matcher).ftpCommands},
	{"LIB", Exec, false, (*matcher).loads},
	{"LIBDIR", Exec, false, (*matcher).loadDirs},
	{"LISTEN", Net, false, (*matcher).listen},
	{"LISTED", Read, false, (*matcher).listed},
	{"LN", Create, true, (*matcher).link},
	{"LUA", Exec, false, (*matcher).luaScript},
	{"MACHINE", Exec, true, (*matcher).machineShell},
	{"MAKE", Exec, true, (*matcher).makeOperands},
	{"MAN", Read, false, (*matcher).manPage},
	{"MAVEN", Exec, false, (*matcher).alarm},
	{"MAVENDEF", Net, false, (*matcher).alarm},
	{"METHOD", Net, false, (*matcher).method},
	{"MISE", Exec, true, (*matcher).toolVersions},
	{"MISETOOL", Exec, false, (*matcher).alarm},
	{"MONGO", Exec, false, (*matcher).mongoCode},
	{"MOUNT", Exec, true, (*matcher).mount},
	{"NAMES", Read, false, (*matcher).nameList},
	{"NCEXEC", Exec, false, (*matcher).netProgram},
	{"NCSHELL", Exec, false, (*matcher).netShell},
	{"NETCAT", Net, true, (*matcher).netcat},
	{"NETSHOW", Exec, true, (*matcher).netShow},
	{"NICE", Delete, false, (*matcher).alarm},
	{"NIXREF", Exec, false, (*matcher).alarm},
	{"NMAPSCRIPT", Exec, false, (*matcher).scriptName},
	{"NODEMOD", Exec, false, (*matcher).nodeModule},
	{"NODEOPTS", Exec, false, (*matcher).nodeOptions},
	{"NPMSCRIPT", Exec, false, (*matcher).packageScript},
	{"NODEBIN", Exec, true, (*matcher).projectBinary},
	{"NPX", Exec, true, (*matcher).packageCommand},
	{"NUM", 0, false, nothing}, // digits in the same word
	{"OLLAMA", Net, false, (*matcher).alarm},
	{"ONCHANGE", Exec, true, (*matcher).onChange},
	{"OPENSSLFORM", 0, false, (*matcher).opensslForm},
	{"OPENSSLPASS", Read, false, (*matcher).opensslPass},
	{"OUTPIPE", Exec, false, (*matcher).outputPipe},
	{"PACKAGE", Exec, false, (*matcher).pack},
	{"PARALLEL", Exec, true, (*matcher).parallel},
	{"PATCH", Write, true, (*matcher).patch},
	{"PDB", Exec, false, (*matcher).debuggerCommand},
	{"PERLDEBUG", Exec, false, (*matcher).perlDebugger},
	{"PERLMOD", Exec, false, (*matcher).perlModule},
	{"PHPINI", Exec, false, (*matcher).phpSetting},
	{"PKGINIT", Exec, true, (*matcher).template},
	{"PKGNAME", Exec, false, (*matcher).packageName},
	{"PLUGIN", Exec, false, (*matcher).plugin},
	{"PROXY", Net, false, (*matcher).proxy},
	{"PSQLOUT", Exec, false, (*matcher).queryOut},
	{"PSWORD", Read, false, (*matcher).alarm},
	{"PYMOD", Exec, false, (*matcher).pythonModule},
	{"PYRUN", Exec, true, (*matcher).pythonRun},
	{"RCLONE", Net, false, (*matcher).rclone},
	{"REDIS", Exec, true, (*matcher).redis},
	{"REFSPEC", Delete, false, (*matcher).refspec},
	{"REMOTE", Net, false, (*matcher).remoteName},
	{"REQUIREMENTS", Exec, false, (*matcher).document},
	{"REST", Exec, false, (*matcher).restCommand},
	{"RPMEVAL", Exec, false, (*matcher).rpmMacro},
	{"RSYNC", Net, true, (*matcher).rsync},
	{"RUBYLIB", Exec, false, (*matcher).rubyLibrary},
	{"RUNNER", Exec, false, (*matcher).runner},
	{"RUBYUN", Exec, true, (*matcher).rubyOneLiner},
	{"RUSTC", Exec, false, (*matcher).rustcCodegen},
	{"S3", Net, false, (*matcher).bucket},
	{"SBT", Net, false, (*matcher).publishingTask},
	{"SCP", Net, true, (*matcher).copyAway},
	{"SCRIPTOUT", Exec, true, (*matcher).scriptFile},
	{"SCRIPTS", Exec, false, (*matcher).scripts},
	{"SCRIPTURL", Exec, false, (*matcher).scriptURL},
	{"SECRETWORD", Read, true, (*matcher).secretWords},
	{"SED", Exec, false, (*matcher).sed},
	{"SFTPHOST", Net, false, (*matcher).sftpHost},
	{"SERVE", Net, true, (*matcher).serve},
	{"SERVEDIR", Net, true, (*matcher).serveDir},
	{"SERVEON", Net, false, (*matcher).serveOn},
	{"SERVEURL", Net, false, (*matcher).serveURL},
	{"SERVICE", Exec, true, (*matcher).service},
	{"SETARCH", Exec, true, (*matcher).setarch},
	{"SH", Exec, true, (*matcher).shell},
	{"SHELL", Exec, true, (*matcher).shellArgs},
	{"SIZE", Write, false, (*matcher).size},
	{"SMB", Net, false, (*matcher).share},
	{"SOCAT", Net, false, (*matcher).socat},
	{"SPLIT", Write, false, (*matcher).splitPrefix},
	{"SQL", Exec, false, (*matcher).sql},
	{"SQLITE", Exec, true, (*matcher).sqlite},
	{"SRC", Exec, false, (*matcher).source},
	{"SSD", Exec, true, (*matcher).startStop},
	{"SSH", Net, true, (*matcher).sshLine},
	{"SSHOPT", Exec, false, (*matcher).sshOption},
	{"SUB", Exec, false, (*matcher).unknownSub},
	{"SYSCTL", Exec, false, (*matcher).alarm},
	{"TAR", Write, true, (*matcher).tar},
	{"TARACTION", Exec, false, (*matcher).tarAction},
	{"TESTFILE", Exec, false, (*matcher).testFile},
	{"TEX", Exec, false, (*matcher).texOperand},
	{"TMUX", Exec, true, (*matcher).tmux},
	{"TMUXOPT", Exec, false, (*matcher).alarm},
	{"TWO", Read, false, (*matcher).two},
	{"UFW", Exec, true, (*matcher).firewall},
	{"UNIX", Write, false, (*matcher).socket},
	{"UNSET", 0, false, (*matcher).unset},
	{"URL", Net, false, (*matcher).url},
	{"VIM", Exec, false, (*matcher).vimCommand},
	{"VIMFILE", Exec, false, (*matcher).vimFile},
	{"VIMRC", Exec, false, (*matcher).vimRC},
	{"WGET", Net, true, (*matcher).wgetTarget},
	{"WGETRC", Exec, false, (*matcher).wgetCommand},
	{"X", Exec, false, (*matcher).program},
	{"YQ", Read, false, (*matcher).yqProgram},
	{"_", 0, false, nothing},
}

func kindOf(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

func isKind(name string) bool { return isPath(name) || kindOf(name) != nil }

func restKind(name string) bool {
	k := kindOf(name)
	return k != nil && k.rest
}

func worstOf(name string) Right {
	if k := kindOf(name); k != nil {
		return k.worst
	}
	worst := Right(0)
	if isPath(name) {
		for _, l := range pathLetters {
			if strings.IndexByte(name, l.letter) >= 0 {
				worst = max(worst, l.right)
			}
		}
	}
	return worst
}

// do says what values mean.
func (m *matcher) do(r role, vs []value) {
	if m.reading && len(vs) > 0 {
		m.markRole(r.marks, vs[0].at)
	}
	if k := kindOf(r.kind); k != nil {
		k.do(m, r, vs)
		return
	}
	for _, v := range vs {
		m.path(r, v)
	}
}

func nothing(*matcher, role, []value) {}
