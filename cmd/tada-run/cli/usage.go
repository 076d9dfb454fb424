package cli

const usage = `Run a command line that an agent proposes: checked, contained, recorded.

usage: tada-run [FLAGS] COMMAND              run one command line
       tada-run [FLAGS] -- WORD [WORD ...]   run these words, no shell syntax
       tada-run [SHELL FLAGS] -c COMMAND [NAME [ARG ...]]
                                             as a shell is called
       tada-run --intent FILE|-              run the commands in it: one question,
                                             an answer for each, one result for each
       tada-run --session [-- PROGRAM ARG ...]
                                             a whole session inside the fence: a shell
                                             whose lines are judged, or an agent
       tada-run --check [--json] COMMAND     say what would happen; run nothing

Called by another name (a link named bash, sh, tada-sh) it takes the arguments
of that shell: -c, -l, -e, -u, -x, -o OPTION, a script file, or -s. Without a
command, on a terminal, it starts a session: set SHELL to its path for tmux.

FLAGS
  --agent NAME       who asks; shown and recorded, never trusted
  --work-item ID     what the run belongs to
  --call-id ID       the caller's own name for this call
  --intent FILE|-    the caller's own judgement (JSON); it can only make it stricter.
                     Without COMMAND, its "commands" are run: lines, or objects with
                     id, command or argv, cwd. The results are JSON, one per line.
  --origin LEVEL     whose words led to it: human, agent or quarantined; it can only
                     lower what is trusted, and quarantined is allowed once only
  --profile ci       nobody is there to ask: what would ask is denied
  --timeout DUR      end the command after this time (90s, 5m)
  --wait DUR         how long to wait for a person elsewhere (default: not at all)
  --publish PORT     let other machines connect to it there (asks); this machine may always
  --session          others can attach (tadactl attach), and it outlives this terminal.
                     Ctrl-] shows the keys: d detaches. What runs in it asks the
                     session about its own tada-run commands. With --intent: its
                     commands are steps, and nothing runs after one that is refused
  --background       print the session's id and return; see tadactl sessions, kill
  --pty WHEN         auto (default), always or never: a private terminal for the command
  --home DIR         another state directory than ~/.tada
  --version, --help

EXAMPLES
  tada-run 'ls | wc -l'
  tada-run --check 'git push --force'
  tada-run -- grep -rn TODO .
  make SHELL=tada-run

A command reaches the hosts that its line names, what network.allow lists, and
this machine's servers; tadactl show ID lists what it did and was refused.

An ask without a terminal exits 75. Answer it with: tadactl pending, tadactl
approve ID. Then run the identical command again.

EXIT STATUS
  the command's own when it ran (128+N when signal N ended it), otherwise
  2    wrong usage, or nothing to run
  75   waiting for a person
  77   protected files were changed: from outside before the command, which
       did not run; or, at level base only, while it ran
  78   configuration or state refused
  124  ended by --timeout
  125  tada-run itself failed; nothing ran
  126  denied, or left without an answer (q, Esc, Ctrl-C), which is no denial
  127  command not found
`
