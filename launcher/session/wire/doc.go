// Package wire is what a session and those who are attached to it say to each other.
//
// There are two parties on a stream socket. The holder is the launcher that holds a session's
// terminal. A client shows it to somebody, and may type. A stream is a row of frames:
//
//	kind 1 | epoch 4 | length 4 | body          big-endian, length at most MaxBody
//
// The first frame of a client is a Hello. Epoch is the number of the lease under which a frame was
// sent: whoever drives changes, the number goes up, and what was under way with the old number is
// refused. So nothing that was typed for one situation lands in another.
//
//	from the client              from the holder
//	h  Hello, JSON               S  Status, JSON: who drives, in which epoch, how large
//	i  Input, bytes              R  Redraw, bytes that show the whole screen anew
//	w  Window, cols 2 rows 2     O  Output, bytes as the program wrote them
//	t  Take the lease            A  Ack, how many bytes of Input are dealt with, 4
//	g  Give it back, JSON        N  Notice, JSON: what happened, or why not
//	f  Freeze, c Continue        X  End, JSON
//	p  Private, 1 on or 0 off
//	s  Summary, of the lease
//	r  Refresh: the screen once more
//	k  Kill
//
// A client has at most Credit bytes of Input that are not acknowledged; one that sends more is cut
// off. So a paste of any length loses nothing, and a program that does not read holds up nobody
// else.
//
// A frame that is longer than MaxBody, of a kind that is not known, or cut off in the middle ends
// the stream: there is no way to find the next one. So does one that was begun and does not go on:
// the holder gives a greeting, and each frame from its first byte on, ten seconds (Reader.Partial).
// Between frames a client may be silent for as long as it likes.
//
// # Example
//
//	b = wire.Append(b, wire.Frame{Kind: wire.Input, Epoch: 3, Body: []byte("ls\r")})
//	f, err := wire.NewReader(conn).Next()
package wire
