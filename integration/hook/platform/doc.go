// Package platform has the adapters of the agent programs that call package hook, one per file.
//
// An adapter registers its events, says in which members the platform passes the call, which tools
// are built in, and how to allow or block a call. It knows no policy. To add a platform, write its
// adapter and add it to [All]; nothing in package hook changes.
//
// The formats are those of Claude Code 2.1, Codex 0.171, OpenCode 1.18, Gemini CLI 0.61, Qwen Code
// 0.24, Copilot CLI 1.0.102, Kilo 7.7, Droid 0.215, Cline 3.0 and Cursor 2. What each does with an
// answer was found by trying, except for Cursor, which follows its documentation.
package platform
