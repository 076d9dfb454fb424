#!/usr/bin/env bash
# Runs TADA_COMMANDS as a step does (bash -e -o pipefail), through tada-run, and exits with their
# status. Then a page for each run and the log are in a folder, whose name is the output "record",
# and the summary of the job has verdicts and connections.
#
# The files of the runner (GITHUB_ENV, GITHUB_PATH, GITHUB_OUTPUT) are outside the workspace, so the
# commands cannot change what later steps run.
set -euo pipefail
state=$(mktemp -d "$RUNNER_TEMP/tada-state.XXXXXX")
record=$(mktemp -d "$RUNNER_TEMP/tada-record.XXXXXX")
if [[ -n ${TADA_CONFIG-} ]]; then
    (umask 077 && printf '%s\n' "$TADA_CONFIG" >"$state/config.yaml")
fi
commands=$TADA_COMMANDS
unset TADA_COMMANDS TADA_CONFIG

status=0
tada-run --home "$state" --profile ci -e -o pipefail -c "$commands" </dev/null || status=$?

ctl() { tadactl --home "$state" "$@"; }
# Indented text is never markup, whatever a command wrote into it.
literal() { sed 's/^/    /'; }

verified=0
ctl audit verify >"$record/verify.txt" 2>&1 || verified=$?
ctl log --json >"$record/log.json"
{
    echo "### tada-run"
    echo
    echo "Exit status $status. The record:"
    echo
    literal <"$record/verify.txt"
    for id in $(ctl sessions | awk '{ print $1 }'); do
        echo
        echo "Run $id:"
        echo
        ctl show "$id" | literal
        # what was refused has nothing to play
        ctl export "$id" --format html >"$record/$id.html" 2>>"$record/without-page.txt" ||
            rm "$record/$id.html"
    done
} >>"$GITHUB_STEP_SUMMARY"
test -s "$record/without-page.txt" || rm -f "$record/without-page.txt"
echo "record=$record" >>"$GITHUB_OUTPUT"
if ((verified)); then
    echo "the record does not verify" >&2
    cat "$record/verify.txt" >&2
    exit 1
fi
exit "$status"
