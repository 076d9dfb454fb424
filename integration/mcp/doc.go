// Package mcp makes tada-run a server of the Model Context Protocol, over standard input and
// output: for agents that call tools and have no shell to wrap, or should not use one.
//
// # Tools
//
//	run_command      one command line, as tada-run would run it
//	run_many         several, approved together, each with a result of its own
//	check_command    what would happen; nothing runs
//	pending_status   the state of pending approvals
//	accept_tamper    ask the user, who sees the diff, to accept the change of a protected file
//	undo_run         take back what a run changed in files
//	read_reference   read a typed:// reference of a quarantine, for the quarantined agent
//
// A quarantined client (TADA_QUARANTINE in its environment) is offered only the last.
//
// # Answers
//
// Every result is structured, and also given as text. A call that was not run is an error result
// with a refusal, as tada-run prints it last on standard error: status denied or pending, code,
// message, envelope. If protected files were changed, the code is tamper_error, with the text
//
//	TamperError: External modification detected. Use 'accept_tamper' tool to resolve.
//
// If a decision was made, the result has audit, SIZE:HASH: the head of the record that includes the
// decision, so that the client's own transcript is a witness of the log. If the record cannot be
// written, audit is "none: " and the reason.
//
// # Who decides
//
// Not this server. The client and its model can ask; the user answers with tadactl. No tool
// approves, and the client is not asked for the user's answer (elicitation), because it would come
// through the agent's own process.
//
// undo_run asks the user, and shows the plan of the undo, unless the run is the newest that changed
// anything in the workspace, this server started it, no approval let it run, and all that it
// changed is as it left it. What others changed elsewhere in the workspace is no reason to ask. The
// undo is a run of its own: undo_run with its id does all again.
//
// # Limits
//
// The first 256 KiB of each output stream are returned as text, with invalid UTF-8 replaced. The
// transcript has everything: tadactl replay ID. The standard input of a command is empty. There is
// one client: at the end of standard input the process exits and ends what it was running.
package mcp
