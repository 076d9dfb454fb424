// Package settings adds the hook to the settings of agent programs and removes it again.
//
// The settings belong to the user. They are edited as text, which keeps every other byte: order,
// indentation, comments and a byte order mark. A file that programs read differently (a syntax
// error, a repeated member) is left unchanged, and the error says what to add by hand. This package
// does no I/O. The launcher writes the files, makes a backup, and remembers the original: removing
// the last of our entries restores it byte for byte, including the user's own shell or an empty
// object.
//
// # Format
//
// A registration is one element of a list, found by its command line, which ends in the fixed words
//
//	hook run PLATFORM || exit 2
//
// A shell runs these words with a time limit ([hook.Guard]). If tadactl is missing, killed, stopped
// or slow, or does not print a complete answer, the shell says why and exits with 2, which blocks:
// with 127, 137, or an answer after the platform's own limit, the call would run. OpenCode,
// Kilo and pi start no program; they load a plugin from a file of its own, which sets the limit
// itself: plugin.js, and what each of them calls. Cline starts a script, and looks only at what
// that prints: hook.sh.
//
// # Example
//
//	{"permissions": {}}
//
// becomes
//
//	{"permissions": {},
//	  "hooks": {
//	    "PreToolUse": [
//	      {"matcher": "*", "hooks": [{"type": "command", "command": "/bin/sh -c '...' 20 /usr/bin/tadactl hook run claude-code || exit 2", "timeout": 30}]}
//	    ]
//	  }}
package settings
