// Package hook answers agent programs that ask before each tool call whether it may go ahead.
//
//	what the program sends -adapter-> Call -Core.Decide-> Decision -adapter-> its own way to go on or to block
//
// # Parties
//
// An agent program (a platform) starts `tadactl hook run PLATFORM` before a tool call, writes the
// call to its standard input, and reads the answer from its output and exit status. The call was
// made up by a model and is hostile; the JSON around it is the platform's. The package decides
// nothing itself: commands and names are judged by package launcher, as everywhere.
//
// # Failing closed
//
// Hooks fail open nearly everywhere: a hook that cannot be started, that is slow, that exits with
// 1, or that prints something unexpected lets the call run. So each of these ends here in the
// platform's real block: input that is cut, huge, repeated, not UTF-8, of an unknown event, or
// without an id that the platform always sends; an error, a panic, and a decision that is not there
// within [Limit] and [LastWord], which are far below every platform's own limit. What this program
// cannot catch (it is missing, killed, stopped or starved) is caught by the line that is registered
// with the platform: see [Guard]. A stop of that line itself, or of timeout in it, is not: there
// the platform goes on when its own limit is over.
//
// # What an answer means
//
// A call is blocked, goes on as it is, or goes on with other arguments.
//
//   - A command line that policy denies is blocked. Any other is rewritten to run through tada-run,
//     where it is fenced, recorded and, when a person has to answer, asked about. The platform's own
//     "ask" is never used: some run the call or hang on it, and an answer that the agent's process
//     carries is not a person's.
//   - What the person set up in the platform holds as if there were no hook: no answer says "allow" where the platform would
//     take that for the person's own word, and behind the rewritten command stands what the agent wrote, after an exit,
//     so that the platform's own rules find it. Where the platform's shell is tada-run, nothing is rewritten.
//   - A tool that takes files is judged by their names with the same policy. What has to be asked is
//     blocked, with the command that a person types; the same call goes through after the yes.
//   - A tool that this package does not know is asked about, once for each workspace if the person says so: a grant for it
//     covers other input, and tools.allow of the configuration names it for good. Every time, the command lines among its
//     arguments are judged as any, but for a fence that is not there, and the names of files as something that it changes.
//     A tool of the platform's own that touches nothing but the conversation passes.
//
// Names of tools are compared byte by byte: "read", "Read " and "mcp__x__Read" are not Read.
//
// # Inside a session
//
// There the state directory is out of reach, and the sandbox of the session holds the agent with
// all of its tools. The hook leaves the calls to it, and only sends command lines through tada-run,
// which asks the session outside. It blocks every call where there was ever a quarantine: nobody
// inside can tell which agent is in it.
//
// # Order
//
// [Core.Quarantine], when there is one, is asked first and for every call: an agent in quarantine
// never reaches the policy of the others. Then follow policy, protected files, and the record.
// Every decision is in the record before it is given, and carries the record's head with itself in
// it as audit=SIZE:HASH, so that what the platform keeps of the conversation is a witness of the
// log: tadactl audit verify --head SIZE:HASH. A decision that cannot be recorded blocks, and says
// audit=none and why.
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
// and is told to go on with the command
//
//	/usr/local/bin/tada-run --agent=claude-code --call-id=t1 -c 'make test'
//	exit
//	make test
package hook
