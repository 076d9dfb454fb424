# bash completion for PROGRAM
_PROGRAM() {
    local word line value directive words=() out cur
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do # bash splits --option=value at the =
        if ((${#words[@]})) && [[ ${words[-1]} == -*= || $word == = && ${words[-1]} == -* ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    COMPREPLY=()
    out=$("${COMP_WORDS[0]/#\~\//$HOME/}" __complete "${words[@]}" 2>/dev/null) || return
    directive=${out##*:}
    [[ $directive == +([0-9]) ]] && ! ((directive & 1)) || return
    ((directive & 2)) && compopt -o nospace 2>/dev/null
    ((directive & 4)) && compopt +o default 2>/dev/null
    ((directive & 32)) && compopt -o nosort 2>/dev/null
    cur=${words[-1]}
    [[ $cur == -*=* ]] && cur=${cur#*=}
    local lines=()
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        [[ -n $value && $line != :* && $value == "$cur"* ]] && lines+=("$line")
    done <<<"${out%:*}"
    for line in "${lines[@]}"; do
        value=${line%%$'\t'*}
        # A description is shown in a list and never inserted.
        [[ ${#lines[@]} -gt 1 && ${COMP_TYPE-9} == 63 && $line == *$'\t'* ]] && value+="  (${line#*$'\t'})"
        COMPREPLY+=("$value")
    done
}
complete -o default -F _PROGRAM PROGRAM
