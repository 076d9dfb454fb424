// Package wrapper tells the command of an agent apart from the text that the agent's program puts
// around it.
//
// Agent programs hardly ever give a shell the command alone. They load functions that they saved
// before, switch options off, and have the shell write down where it ended:
//
//	source SNAPSHOT 2>/dev/null || true && shopt -u extglob && eval 'npm test' < /dev/null && pwd -P >| /tmp/claude-1f2e-cwd
//
// [Find] recognises such a text by its structure: each simple command in it must be in the table of
// the program, and one of them, and only one, carries the agent's command. Names, order, quoting
// and how often something is said do not matter, so that the next version of a program is most
// likely recognised too. What is in no table makes the text an ordinary command line, which is
// judged and shown as it stands.
//
// The table is wrappers.txt and the facts about agents (package agents); each line says why it can
// do no harm. [Find] trusts nothing else: an agent may write such a text itself, and gains nothing
// by it.
package wrapper
