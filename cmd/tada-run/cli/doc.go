// Package cli is the agent's command, tada-run: it reads a command line as a person types it or as
// a program that wants a shell passes it, and passes one Request to the launcher.
//
// # Three ways to be called
//
//	tada-run [FLAGS] COMMAND            one command line, as text
//	tada-run [FLAGS] -- WORD ...        one command, as words, without a shell
//	tada-run [FLAGS] -c COMMAND ...     as a shell; also: a script file, or -s
//
// Called under any other name (bash, sh, tada-sh), it is a shell and nothing else: it takes the
// flags of bash(1), and none of its own, because make, git, ssh and agents pass these without
// knowing which program they start.
//
// Without a command it reads one from a pipe. On a terminal it starts a session if it was started
// as a shell (see typedAlone), and otherwise says in eight lines what it is.
//
// # What it prints
//
// If the command is allowed, nothing: standard output and standard error belong to the command. A
// refusal is one plain line and, last on standard error, one JSON object.
package cli
