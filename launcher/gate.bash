# The start-up file of the shell in a session: the user's own, and then the gate. PS0 is expanded when
# a line has been read and before anything of it runs, in whatever way it came in; an interrupt there
# drops the line. The shell's history tells the text, so it is on, and keeps every line as it is.
[[ -r ~/.bashrc ]] && . ~/.bashrc
unset HISTFILE
HISTCONTROL= HISTIGNORE= HISTSIZE=10000 HISTTIMEFORMAT=
set -o history
shopt -s cmdhist lithist

__tada_known=" $(compgen -A function | tr '\n' ' ') "

# __tada_line asks outside about the line that was read last, and about the functions that earlier
# lines have made, because it may call them. Exit status 0 lets it run.
__tada_line() {
	local text name made=
	if ! [[ -o history ]] || ! shopt -q cmdhist || ! shopt -q lithist; then
		echo 'tada-run: not run: this shell keeps no history, so its lines cannot be judged; leave it and start another' >&2
		builtin kill -INT $$
		return
	fi
	text=$(builtin history 1)
	text=${text#*[0-9][ \*] }
	for name in $(compgen -A function); do
		[[ $__tada_known == *" $name "* || $name == __tada_* ]] || made+=$(declare -f -- "$name")$'\n'
	done
	(exec -a tada-run @DOOR@ --line "$made$text" </dev/null) || builtin kill -INT $$
}

# The prompt tells where it ends and how the last line went (OSC 133), for who looks on.
__tada_told() {
	local status=$?
	printf '\e]133;D;%s\a' "$status"
	return "$status"
}
if [[ ${PROMPT_COMMAND@a} == *a* ]]; then
	PROMPT_COMMAND=(__tada_told "${PROMPT_COMMAND[@]}")
else
	PROMPT_COMMAND="__tada_told${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
fi
PS1+='\[\e]133;B\a\]'
PS0='$(__tada_line)'
readonly PS0 HISTCONTROL HISTIGNORE HISTSIZE HISTTIMEFORMAT __tada_known
readonly -f __tada_line
exec 4<&-
