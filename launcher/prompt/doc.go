// Package prompt shows a question to the person at a terminal and reads the answer.
//
// [Page.Put] draws the stored bytes of a question and nothing else. An approval counts only if
// every line was on the screen for long enough, and the characters that the question requires were
// typed; package session ensures that. With a denial the person may leave a message for the agent,
// or a command that the agent should run instead. A person who leaves without an answer (Esc,
// Ctrl-C, a signal, a terminal that goes away) has neither approved nor denied: that is a
// [CancelledError].
package prompt
