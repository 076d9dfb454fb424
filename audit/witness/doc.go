// Package witness remembers how far somebody else's log has come, and signs
// that it has seen no other history of it: a small server and the client for
// it, speaking the C2SP tlog-witness protocol (https://c2sp.org/tlog-witness).
//
// # Parties
//
// A log has a name (its origin) and a key, and signs checkpoints: its size and
// the root of the RFC 6962 tree over it. A witness, another account on the same
// machine or another machine, knows the names and keys of the logs that it
// watches. It remembers one checkpoint for each, takes a newer one only with
// a proof that the log has grown out of the older, and then cosigns it
// (https://c2sp.org/tlog-cosignature). Whoever verifies the log demands
// cosignatures: a log that was cut or rewritten gets none.
//
// A witness believes nothing about what is in a log, and sees none of it.
//
// # Protocol
//
//	POST /add-checkpoint
//
//	old 17
//	<base64 of a hash, up to 63 lines>
//
//	<signed checkpoint>
//
// The answer is one of
//
//	200  cosignature lines, to be appended to the checkpoint
//	400  not a request, or old is larger than the checkpoint's size
//	403  not signed by the log's key
//	404  no log of that origin is watched
//	409  old is not what the witness remembers: the body is what it does
//	     (text/x.tlog.size); or the same size with another root
//	422  the proof does not lead from what it remembers to the checkpoint
//
// and GET /<hex SHA-256 of the origin>/checkpoint returns what it remembers.
//
// # What is kept
//
// The folder of a witness holds a file lock, which one process holds while it
// serves, and a file for each log, named by the SHA-256 of its origin: the
// newest cosigned checkpoint. A new one is on the disk before it is answered,
// and takes the old one's place by rename(2): a crash leaves one of the two,
// and a cosignature that nobody received binds the witness all the same.
//
// # Limits
//
// A request has at most 64 KiB. Serving is one log at a time; the work is two
// signatures and some sixty hashes. The server has no transport security of
// its own: what it answers is signed, and what it is sent is public to it.
//
// # Example
//
//	w, err := witness.Open(dir, witness.Options{Signer: signer, Logs: []note.Verifier{log}})
//	err = http.Serve(listener, w)
//
//	lines, err := (witness.Client{URL: url}).Add(ctx, old, proof, signed)
package witness
