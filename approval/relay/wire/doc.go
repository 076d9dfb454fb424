// Package wire is the protocol between the client and the server of an approval database that
// another process holds: see package relay.
//
// Both send frames over a stream socket:
//
//	length 4 | version 1 | kind 1 | body     big-endian; the length of the body
//
// A body has the members of its kind, in the order of [layouts]. A text, a value and a list begin
// with their length or count in 4 bytes. A frame that is longer than MaxFrame, of another version
// or an unknown kind, with a member too few or a byte too many, ends the connection.
//
//	from the client                     from the server
//	Hello   who is there                Welcome  the database can be reached, or since when not
//	View    begin to read               Begun    the transaction has begun
//	Update  begin to change             Failed   it has not, or its commit has not
//	Get     one value                   Value
//	List    the keys of a bucket        Names    some of them, and whether more follow
//	Changes some of the changes
//	Commit  all of them, by a ticket    Done, or Begun: another change came first, run it again
//	End     the transaction, unchanged
//	Await   a change of a question      Look     perhaps there was one
//	Looked  how long to wait on, or not
//	Ask     what became of a ticket     Fate
//
// A client may send its next request before the answer to Hello has come.
package wire
