// Package wrapper separates the command of an agent from the text that the agent's program puts
// around it.
//
// Agent programs rarely give a shell the command alone. They load functions that they saved before,
// switch options off, and have the shell write down the directory it ended in:
//
//	source SNAPSHOT 2>/dev/null || true && shopt -u extglob && eval 'npm test' < /dev/null && pwd -P >| /tmp/claude-1f2e-cwd
//
// [Find] recognises such a text by its structure: each simple command in it must be in the table of
// the program, and exactly one of them carries the agent's command. Names, order, quoting and
// repetition do not matter, so the next version of a program is most likely recognised too. A text
// with anything that is in no table is an ordinary command line, judged and shown as written.
//
// The table is wrappers.txt and the facts about agents (package agents); each line says why it can
// do no harm. [Find] trusts nothing else: an agent may write such a text itself, and gains nothing
// by it.
package wrapper
