// Package settings writes package hook into the settings of agent programs, and takes it out again.
//
// The settings are the person's. They are edited as text: what is not ours keeps every byte, its order and its
// indentation. A file that cannot be read as strict JSON (comments, a syntax error, a member twice) is left as
// it is, and the error says what to add by hand. Nothing here touches the disk: bytes come in and go out, and
// who writes them keeps a backup.
//
// # Format
//
// A registration is one element of a list, found by its command line, which ends in the fixed words
//
//	hook run PLATFORM || exit 2
//
// The tail is for what a program cannot answer itself: when it is missing or was killed, the shell that the
// platform starts says 2, which blocks, and not 127 or 137, which let the call run. OpenCode starts no program;
// it loads a plugin, which is a file of its own: [Plugin].
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
//	      {"matcher": "*", "hooks": [{"type": "command", "command": "/usr/bin/tadactl hook run claude-code || exit 2", "timeout": 30}]}
//	    ]
//	  }}
package settings
