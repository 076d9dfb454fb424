// Package platform has the adapters of the agent programs that call package hook, one in each
// file.
//
// An adapter registers its events, says in which members the platform passes the call, which tools
// are built in, and how to allow or block a call. It knows no policy. To add a
// platform, write its adapter and put it into [All]; nothing in package hook changes.
//
// The formats are those of Claude Code 2.1, Codex 0.169, OpenCode 1.18, Gemini CLI 0.61, Qwen Code
// 0.24, Copilot CLI 1.0.102 and Cursor 2; what each does with an answer was found by trying, except
// for Cursor, where its documentation was taken at its word.
package platform
