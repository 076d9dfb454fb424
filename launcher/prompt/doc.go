// Package prompt puts a question before the person at a terminal and reads the answer.
//
// [Page.Put] draws the stored bytes of a question and nothing else. A yes counts only when every
// line was on the screen for long enough, with the characters that the question wants typed;
// package session sees to that. With a no the person may leave a message for the agent, or a
// command that the agent should run instead. Who leaves without an answer (Esc, Ctrl-C, a signal, a
// terminal that goes away) has neither approved nor denied: that is a [CancelledError].
package prompt
