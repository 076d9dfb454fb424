// Package wire is the protocol between a session and its attached clients.
//
// There are two parties on a stream socket. The holder is the launcher that holds a session's
// terminal. A client shows the terminal to a person, and may type. A stream is a sequence of
// frames:
//
//	kind 1 | epoch 4 | length 4 | body          big-endian, length at most MaxBody
//
// The first frame of a client is a Hello. Epoch is the number of the lease under which a frame was
// sent. When control changes, the number goes up, and frames under way with the old number are
// refused. So nothing that was typed for one situation takes effect in another.
//
//	from the client              from the holder
//	h  Hello, JSON               S  Status, JSON: the driver, the epoch, the size
//	i  Input, bytes              R  Redraw, bytes that draw the whole screen again
//	w  Window, cols 2 rows 2     O  Output, bytes as the program wrote them
//	t  Take the lease            A  Ack, how many bytes of Input are processed, 4
//	g  Give it back, JSON        N  Notice, JSON: what happened, or why not
//	f  Freeze, c Continue        X  End, JSON
//	p  Private, 1 on or 0 off
//	s  Summary, of the lease
//	r  Refresh: the screen once more
//	k  Kill
//
// A client has at most Credit bytes of Input that are not acknowledged; one that sends more is cut
// off. So a paste of any length loses nothing, and a program that does not read delays no one else.
//
// A frame that is longer than MaxBody, of an unknown kind, or cut off in the middle ends the
// stream: there is no way to find the next one. So does one that was begun and does not continue:
// the holder allows ten seconds for a greeting, and for each frame from its first byte on
// (Reader.Partial). Between frames a client may be silent for as long as it likes.
//
// # Example
//
//	b = wire.Append(b, wire.Frame{Kind: wire.Input, Epoch: 3, Body: []byte("ls\r")})
//	f, err := wire.NewReader(conn).Next()
package wire
