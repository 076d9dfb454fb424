# The start-up file of the shell in a session: the user's own, and then the gate. PS0 is expanded when
# a line has been read and before anything of it runs, in whatever way it came in; an interrupt there
# drops the line. Bash then sets $? to 130, whatever the refusal was: an error of an expansion does not drop the line, and
# bash restores $? after PROMPT_COMMAND, after a trap and after the prompts. The shell's history tells the text, so it is on, and keeps every line as it is.
[[ -r ~/.bashrc ]] && . ~/.bashrc
unset HISTFILE
HISTCONTROL= HISTIGNORE= HISTSIZE=10000 HISTTIMEFORMAT=
set -o history
shopt -s cmdhist lithist

__tada_known=" $(compgen -A function | tr '\n' ' ') "
__tada_aliases=$'\n'$(alias -p)$'\n'
# What runs code from the middle of an edited line, before or beside the line that is asked about. Whichever way of
# editing is on, the other's keys are a "set -o" away.
for __tada_keys in emacs vi-insert vi-command; do
	bind -m "$__tada_keys" -u shell-expand-line
	bind -m "$__tada_keys" -u edit-and-execute-command
	bind -m "$__tada_keys" -u vi-edit-and-execute-command
done
unset __tada_keys

# __tada_line asks outside about the line that was read last, about the functions that earlier lines
# have made, because it may call them, and about their aliases that it has the names of. The entry tells
# a further piece of a line from the same line once more. Exit status 0 lets it run. A function goes
# before every builtin but "builtin", and the judge lets nobody take the place of that. Whatever goes
# wrong in here, a name that somebody has made read-only included, ends in another status: PS0 looks at it.
__tada_line() {
	local __tada_text __tada_entry __tada_name __tada_one __tada_rest __tada_made=
	if ! [[ -o history ]] || ! builtin shopt -q cmdhist || ! builtin shopt -q lithist; then
		builtin echo 'tada-run: not run: this shell keeps no history, so its lines cannot be judged; Ctrl-D leaves it' >&2
		builtin exit 1
	fi
	__tada_text=$(builtin history 1)
	[[ $__tada_text =~ [0-9]+ ]] && __tada_entry=${BASH_REMATCH[0]}
	__tada_text=${__tada_text#*[0-9][ \*] }
	for __tada_name in $(builtin compgen -A function); do
		[[ $__tada_known == *" $__tada_name "* || $__tada_name == __tada_* ]] || __tada_made+=$(builtin declare -f -- "$__tada_name")$'\n'
	done
	__tada_rest=$(builtin alias -p)
	while [[ -n $__tada_rest ]]; do
		__tada_one=${__tada_rest%%$'\n'*} __tada_rest=${__tada_rest:${#__tada_one}+1}
		__tada_name=${__tada_one%%=*} __tada_name=${__tada_name##* }
		[[ $__tada_aliases == *$'\n'"$__tada_one"$'\n'* || ${__tada_text//$'\\\n'/} != *"$__tada_name"* ]] || __tada_made+="shopt -s expand_aliases; $__tada_one"$'\n'
	done
	(builtin exec -a tada-run @DOOR@ --entry "$__tada_entry" --line "$__tada_made$__tada_text" </dev/null)
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
PS0='$(__tada_line)$([[ $? == 0 ]] || builtin kill -INT $$)'
readonly PS0 PROMPT_COMMAND HISTCONTROL HISTIGNORE HISTSIZE HISTTIMEFORMAT __tada_known __tada_aliases
readonly -f __tada_line __tada_told
exec 4<&-
