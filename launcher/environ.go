package launcher

import (
	"slices"
	"strings"
)

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
	{"GIT_TEMPLATE_DIR", "git init copies hooks from it"},
	{"GIT_EXTERNAL_DIFF", "git diff runs it"},
	{"GIT_PROXY_COMMAND", "git fetch runs it"},
	{"TAR_OPTIONS", "tar takes options, --checkpoint-action among them"},
	{"LESSOPEN", "less runs it"},
	{"LESSCLOSE", "less runs it"},
}

// secretSuffixes are the endings of names that hold credentials. Every client passes its own
// on to the shell that it starts.
var secretSuffixes = []string{
	"_API_KEY", "_APIKEY", "_TOKEN", "_SECRET", "_SECRET_KEY", "_ACCESS_KEY", "_PASSWORD", "_PASSWD",
	"_PRIVATE_KEY", "_CREDENTIALS", "_AUTH",
}

// secretNames are credentials, or ways to somebody who holds them, whose names do not tell.
var secretNames = []string{
	"SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "AWS_SESSION_TOKEN", "NETRC", "PGPASSWORD", "MYSQL_PWD",
}

// An Environ is an environment, divided into what the command gets and what it does not.
type Environ struct {
	Kept    []string // NAME=value, in the caller's order, the last of each name
	Removed []string // names, sorted
}

// Scrub divides the caller's environment. Entries without "=" or with an empty name are
// removed: no shell could have made them.
func Scrub(caller []string) Environ {
	var e Environ
	last := make(map[string]int, len(caller))
	for i, kv := range caller {
		if name, _, ok := strings.Cut(kv, "="); ok && name != "" {
			last[name] = i
		}
	}
	for i, kv := range caller {
		name, _, _ := strings.Cut(kv, "=")
		at, named := last[name]
		switch {
		case !named || at != i:
		case removed(name):
			e.Removed = append(e.Removed, name)
		default:
			e.Kept = append(e.Kept, kv)
		}
	}
	slices.Sort(e.Removed)
	return e
}

func removed(name string) bool {
	for _, in := range injections {
		prefix, isPrefix := strings.CutSuffix(in.name, "*")
		if name == in.name || isPrefix && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	upper := strings.ToUpper(name)
	for _, suffix := range secretSuffixes {
		if strings.HasSuffix(upper, suffix) {
			return true
		}
	}
	return slices.Contains(secretNames, name)
}

// Vars is what was kept, as the shell would see it.
func (e Environ) Vars() map[string]string {
	vars := make(map[string]string, len(e.Kept))
	for _, kv := range e.Kept {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	return vars
}
