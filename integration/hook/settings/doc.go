// Package settings writes package hook into the settings of agent programs, and takes it out again.
//
// The settings are the person's. They are edited as text: what is not ours keeps every byte, its
// order, its indentation, comments and a byte order mark. A file that programs read differently (a
// syntax error, a member twice) is left as it is, and the error says what to add by hand. Nothing
// here touches the disk: bytes come in and go out. The launcher writes them, keeps a backup, and
// remembers the file as it was before: with that, taking out the last of ours gives back every
// byte, a shell of the person's own and an empty object too.
//
// # Format
//
// A registration is one element of a list, found by its command line, which ends in the fixed words
//
//	hook run PLATFORM || exit 2
//
// Before the words stands a shell that bounds them ([hook.Guard]). Where tadactl is missing, was
// killed or stopped, is slow, or says anything but a whole answer, it says why and ends with 2,
// which blocks; 127, 137, and an answer that comes after the platform's own limit, let the call
// run. OpenCode starts no program; it loads a plugin, which is a file of its own and bounds the
// program itself: plugin.js.
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
