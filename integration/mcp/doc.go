// Package mcp is tada-run as a server of the Model Context Protocol, over standard input and
// output: for agents that call tools and have no shell to wrap, or whose person wants no other.
//
// # Tools
//
//	run_command      one command line, as tada-run would run it
//	run_many         several, asked about once, with an answer for each
//	check_command    what would happen; nothing runs
//	pending_status   what became of questions to a person
//	accept_tamper    ask a person to accept the change of a protected file; the person is shown the difference
//	read_reference   what a typed:// reference of a quarantine stands for, for the agent that is held in it
//
// A client that is held in a quarantine (TADA_QUARANTINE in its environment) is offered the last
// and none of the others.
//
// # Answers
//
// Every result is structured, with the text of it beside. A call that was not run is an error
// result with a refusal, as tada-run prints it last on standard error: status denied or pending,
// code, message, envelope. Protected files that were changed are the code tamper_error, with the
// text
//
//	TamperError: External modification detected. Use 'accept_tamper' tool to resolve.
//
// Where a decision was made the result has audit, SIZE:HASH: the head of the record with that
// decision in it, so that the client's own transcript is a witness of the log. Where the record
// cannot be written it is none: and why.
//
// # Who decides
//
// Nobody here. The client and the model behind it may ask, and a person answers with tadactl. No
// tool approves, and what a client says of its user (elicitation) is not asked for: the agent's own
// process would carry the answer.
//
// # Limits
//
// Of each output stream the first 256 KiB come back, as text; bytes that are no UTF-8 are replaced.
// The session's transcript has all: tadactl replay ID. Standard input of a command is empty. One
// client at a time: the process ends with its standard input, and what it was running with it.
package mcp
