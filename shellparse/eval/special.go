package eval

import "strings"

// isSpecial reports whether POSIX has a special builtin of that name.
func isSpecial(name string) bool {
	switch name {
	case ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return",
		"set", "shift", "times", "trap", "unset":
		return true
	}
	return false
}

func inherits(vars map[string]string, name string) bool {
	_, ok := vars[name]
	return ok
}

// special returns the values that the shell itself makes, and true for their names.
// Those that are numbers cannot hold a blank, a slash or a dash in front.
func special(name string) (value, bool) {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "PPID", "UID", "EUID", "EPOCHSECONDS",
		"$", "!", "?", "OPTIND", "SHLVL", "BASH_SUBSHELL", "HISTCMD", "COLUMNS", "LINES":
		return value{{kind: number, why: "$" + name + " is made at run time"}}, true
	}
	return nil, false
}

// madeAnyway reports whether the shell gives the name its value even when it is assigned
// another. An assignment to some of them seeds or sets what is made, and after an unset they
// are names like any other.
func madeAnyway(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME",
		"OPTIND", "HISTCMD", "COLUMNS", "LINES",
		"BASH_SUBSHELL", "BASH_COMMAND", "BASH_SOURCE", "BASH_LINENO", "BASH_ARGC", "BASH_ARGV",
		"BASH_ARGV0", "BASH_REMATCH",
		"FUNCNAME", "PIPESTATUS", "DIRSTACK", "GROUPS", "_":
		return true
	}
	return strings.HasPrefix(name, "COMP_")
}

// automatic reports whether the shell gives the name a value without an assignment.
func automatic(name string) bool {
	switch name {
	case "EPOCHREALTIME", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "BASH_VERSION", "-", "_",
		"BASH",
		"SHELLOPTS", "BASHOPTS", "BASH_COMMAND", "BASH_SOURCE", "FUNCNAME", "BASH_LINENO",
		"PIPESTATUS",
		"DIRSTACK", "GROUPS", "BASH_VERSINFO", "BASH_ARGV", "BASH_ARGC", "BASH_ARGV0",
		"BASH_EXECUTION_STRING", "BASH_REMATCH", "MAPFILE", "PS4", "TERM", "SHELL", "PATH",
		"BASH_ALIASES", "BASH_CMDS":
		return true
	}
	return strings.HasPrefix(name, "COMP_")
}
