// Package hook answers agent programs that ask before each tool call whether it may go ahead.
//
//	what the program sends -adapter-> Call -Core.Decide-> Decision -adapter-> its own way to go on or to block
//
// # Parties
//
// Before a tool call, an agent program (a platform) starts `tadactl hook run PLATFORM`, writes the
// call to its standard input, and reads the answer from its output and exit status. A model wrote
// the call, so it is untrusted; the JSON around it is the platform's. This package decides nothing
// itself: package launcher judges commands and file names, as everywhere.
//
// # Failing closed
//
// On nearly every platform hooks fail open: if a hook cannot be started, is slow, exits with 1, or
// prints something unexpected, the call runs. This package therefore blocks the call if the input
// is truncated, too large, has repeated members, is not UTF-8, is an unknown event, or lacks an id
// that the platform always sends; on an error or a panic; and if there is no decision within
// [Limit] and [LastWord], which are far below every platform's own limit. What this program cannot
// catch (it is missing, killed, stopped or starved) is caught by the registered command line: see
// [Guard]. If that line itself, or timeout in it, is stopped, the platform runs the call when its
// own limit has passed.
//
// # What an answer means
//
// A call is blocked, goes on as it is, or goes on with other arguments.
//
//   - A command line that policy denies is blocked. Any other is rewritten to run through tada-run,
//     which sandboxes it, records it and, if needed, asks for approval. Its questions never become
//     the platform's "ask": some platforms run the call or hang on it, and an answer that comes
//     through the agent's process is not the user's.
//   - The user's own rules in the platform apply as if there were no hook: no answer says "allow"
//     if the platform would take that as the user's approval, and the rewritten command ends with
//     an exit and then the agent's original text, so that the platform's rules match each command
//     in it. Rules for a line as a whole ("curl * | sh") are looked for here: in the settings and
//     policies of the platform, and in the command line that its program was started with
//     ([Core.Starters]). A line that they deny is blocked. One that they ask about is asked about
//     by the platform where its hook can say so, and blocked elsewhere. What cannot be read may
//     have a rule for any line of several commands. If the platform's shell is tada-run, nothing is
//     rewritten, and every rule applies.
//   - A tool that takes files is judged by their names with the same policy. A call that needs
//     approval is blocked, with the command to approve it; once approved, the same call passes.
//   - An unknown tool needs approval, once for each workspace if the user chooses so: a grant
//     covers
//     other input, and tools.allow in the configuration allows the tool for good. The command lines
//     among its arguments are judged every time, as commands without a sandbox, and its file names
//     as files that it changes. A tool of the platform that only touches the conversation passes.
//
// While the machine of a fleet is frozen no call goes on, and the answer also ends the agent's turn
// where the platform has one for that ([Adapter.End]); elsewhere each call is denied.
//
// Names of tools are compared byte by byte: "read", "Read " and "mcp__x__Read" are not Read.
//
// # Inside a session
//
// The state directory is not accessible there, and the session's sandbox confines the agent and all
// of its tools. The hook leaves calls to the sandbox and only sends command lines through tada-run,
// which asks the session's supervisor. If there was ever a quarantine, it blocks every call: from
// inside it cannot tell which agent is quarantined.
//
// # Order
//
// [Core.Quarantine], if set, is asked first, for every call: an agent in quarantine never reaches
// the policy of the others. Then come policy, protected files, and the record. Every decision is
// recorded before it is given. It contains the head of the record that includes it as
// audit=SIZE:HASH, so that the platform's copy of the conversation is a witness of the log: tadactl
// audit verify --head SIZE:HASH. A decision that cannot be recorded blocks, and says audit=none and
// why.
//
// # Adapters
//
// An [Adapter] says what one platform sends and how it blocks; package platform has one for each.
// It knows no policy. A new platform is a new Adapter.
//
// # Example
//
// Claude Code sends
//
//	{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash",
//	 "tool_input":{"command":"make test"},"tool_use_id":"t1"}
//
// and gets the answer to go on with the command
//
//	/usr/local/bin/tada-run --agent=claude-code --call-id=t1 -c 'make test'
//	exit
//	make test
package hook
