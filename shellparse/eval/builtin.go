package eval

// A builtin is a command that the shell runs itself.
type builtin struct {
	run   func(*commands, *state, *call) worlds
	quiet bool // it changes nothing outside the shell
	also  bool // a program of the same name does the same
}

// builtinOf returns what the shell does for a name; run is nil when it does nothing.
func builtinOf(name string, d Dialect) builtin {
	switch name {
	case ":", "true", "false", "times", "jobs", "umask", "type", "suspend", "logout", "caller",
		"bg", "fg", "disown", "getconf", "unalias", "help":
		return builtin{(*commands).nothing, true, name == "true" || name == "false"}
	case "ulimit":
		return builtin{(*commands).limits, true, false}
	case "wait", "shopt", "set", "hash", "enable", "bind", "complete", "compgen", "compopt",
		"history", "fc":
		return shellOption(name)
	case "echo":
		return builtin{(*commands).echo, true, true}
	case "printf":
		return builtin{(*commands).printf, true, true}
	case "test", "[":
		return builtin{(*commands).testWords, true, true}
	case "pwd":
		return builtin{(*commands).pwd, true, true}
	case "kill":
		return builtin{(*commands).byTable, false, false}
	case "cd", "chdir":
		return builtin{(*commands).cd, true, false}
	case "pushd", "popd", "dirs":
		return builtin{(*commands).stack, true, false}
	case "eval":
		return builtin{(*commands).evalWords, false, false}
	case ".", "source":
		return builtin{(*commands).source, false, false}
	case "exec":
		return builtin{(*commands).exec, false, false}
	case "command", "builtin":
		return builtin{(*commands).commandWords, false, false}
	case "let":
		return builtin{(*commands).strange, false, false}
	case "trap":
		if !Follows(name) {
			return builtin{(*commands).strange, false, false}
		}
		return builtin{(*commands).trap, false, false}
	case "alias":
		return builtin{(*commands).aliasWords, false, false}
	case "read", "mapfile", "readarray", "getopts":
		return builtin{(*commands).reads, true, false}
	case "declare", "typeset", "local", "export", "readonly":
		return builtin{(*commands).declareWords, true, false}
	case "unset":
		return builtin{(*commands).unset, true, false}
	case "shift", "exit", "return", "break", "continue":
		return builtin{(*commands).leaves, true, false}
	}
	if d == Zsh {
		return zshBuiltin(name)
	}
	return builtin{}
}

func shellOption(name string) builtin {
	switch name {
	case "set":
		return builtin{(*commands).set, true, false}
	case "shopt":
		return builtin{(*commands).shopt, true, false}
	case "enable":
		return builtin{(*commands).enable, false, false}
	case "hash", "bind", "complete", "compgen", "compopt":
		return builtin{(*commands).programming, false, false}
	case "history", "fc":
		return builtin{(*commands).history, true, false}
	}
	return builtin{(*commands).waits, true, false}
}

// zshBuiltin is a builtin of zsh alone.
func zshBuiltin(name string) builtin {
	switch name {
	case "print":
		return builtin{(*commands).echo, true, false}
	case "noglob", "nocorrect", "-":
		return builtin{(*commands).commandWords, false, false}
	case "setopt", "unsetopt", "emulate", "zmodload", "autoload", "zle", "zstyle", "bindkey",
		"functions", "sched", "zpty", "ztcp", "zsocket", "zf_rm", "sysopen":
		return builtin{(*commands).strange, false, false}
	}
	return builtin{}
}
