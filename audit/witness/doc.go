// Package witness remembers how far another party's log has come, and signs that it has seen no
// other history of it. It is a small server, with a client, for the C2SP tlog-witness protocol
// (https://c2sp.org/tlog-witness).
//
// # Parties
//
// A log has a name (its origin) and a key, and signs checkpoints: its size and the root of the RFC
// 6962 tree over it. A witness, another account on the same machine or another machine, knows the
// names and keys of the logs that it watches. It remembers one checkpoint for each, accepts a newer
// one only with a proof that the log has grown out of the older, and then cosigns it
// (https://c2sp.org/tlog-cosignature). Verifiers of the log require cosignatures; a log that was
// cut or rewritten gets none.
//
// A witness does not see the entries of a log and states nothing about them.
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
//	409  old is not what the witness remembers: the body is what it remembers
//	     (text/x.tlog.size); or the same size with another root
//	422  the proof does not lead from what it remembers to the checkpoint
//
// and GET /<hex SHA-256 of the origin>/checkpoint returns what it remembers.
//
// # What is kept
//
// The folder of a witness contains the file lock, which one process locks while it serves, and a
// file for each log, named by the SHA-256 of its origin: the newest cosigned checkpoint. A new one
// is on the disk before the answer is sent, and replaces the old one with rename(2). A crash leaves
// one of the two, and a cosignature that never arrived still binds the witness.
//
// # Limits
//
// A request has at most 64 KiB. Serving is one log at a time; the work is two signatures and some
// sixty hashes. The server has no transport security of its own: its answers are signed, and what
// it receives is not secret.
//
// # Example
//
//	w, err := witness.Open(dir, witness.Options{Signer: signer, Logs: []note.Verifier{log}})
//	err = http.Serve(listener, w)
//
//	lines, err := (witness.Client{URL: url}).Add(ctx, old, proof, signed)
package witness
