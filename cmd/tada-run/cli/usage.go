package cli

const usage = `Run a command line that an agent proposes: checked, sandboxed, recorded.

usage: tada-run [FLAGS] COMMAND              run one command line
       tada-run [FLAGS] -- WORD [WORD ...]   run these words, without shell syntax
       tada-run [SHELL FLAGS] -c COMMAND [NAME [ARG ...]]
                                             the arguments of a shell
       tada-run --intent FILE|-              run several commands: asked once,
                                             answered and reported separately
       tada-run --session [-- PROGRAM ARG ...]
                                             run an agent in the sandbox or, without a
                                             PROGRAM, a shell that checks each line
       tada-run --check [--json] COMMAND     dry run: print the verdict only

Symlinked as bash, sh or tada-sh, it takes the arguments of that shell: -c, -l,
-e, -u, -x, -o OPTION, a script file, or -s. Without a command, on a terminal,
it starts a session: set SHELL to its path for tmux. It reads no startup files, not
even with -l: variables and PATH are the caller's.

FLAGS
  --agent NAME       the agent's name; shown and recorded, never trusted
  --work-item ID     the task that the run belongs to
  --call-id ID       the caller's own id for this call
  --intent FILE|-    JSON with the caller's own risk assessment; it can only tighten
                     the verdict. Without COMMAND, run its "commands": strings, or
                     objects with id, command or argv, cwd; the results are JSON,
                     one per line
  --origin LEVEL     who originated the request: human, agent or quarantined; can only
                     reduce trust. An approval of a quarantined request is good for
                     one run
  --profile ci       non-interactive: deny whatever would need approval
  --timeout DUR      end the command after this time (90s, 5m)
  --wait DUR         wait this long for an approval given in another terminal
                     (default 0)
  --publish PORT     let other machines connect to this port (asks); this machine
                     always may
  --session          run in a session: other terminals can attach to it (tadactl
                     attach), and it survives this one. Ctrl-] shows the keys; d
                     detaches. Commands that tada-run runs inside it ask on its
                     screen. With --intent, the commands are steps: the first that
                     is refused ends it
  --background       print the session's id and return; see tadactl sessions, kill
  --pty WHEN         give the command its own terminal: auto (default), always, never
  --home DIR         use this state directory instead of ~/.tada
  --version, --help

EXAMPLES
  tada-run 'ls | wc -l'
  tada-run --check 'git push --force'
  tada-run -- grep -rn TODO .
  make SHELL=tada-run

A command can connect to the hosts that its line names, the registries of its
package tools, those in network.allow, and servers on this machine. About any
other host it asks when a program connects: at your terminal, or as a question
that tadactl pending lists. tadactl show ID lists its connections, and those
that were refused.

If there is no terminal to ask on, tada-run exits 75. Approve the command
(tadactl pending, tadactl approve ID), then run the same command again.

EXIT STATUS
  the command's own when it ran (128+N when signal N ended it), otherwise
  2    wrong usage, or nothing to run
  75   waiting for approval
  77   a protected file was changed: from outside before the command, which
       did not run; or, at level base only, while it ran
  78   configuration or state refused
  124  ended by --timeout
  125  tada-run itself failed; nothing ran
  126  denied, or the question was withdrawn (q, Esc, Ctrl-C)
  127  command not found
In the shell of a session, a line that is not run leaves $? at 130: bash drops a
line only as an interrupt does.
`
