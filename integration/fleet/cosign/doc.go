// Package cosign has the machines of a fleet witness each other's logs.
//
// A machine that ships its record asks two others to cosign each checkpoint, and ships their
// cosignatures with it: see package ship. A witness is what package audit/witness says: it
// remembers one checkpoint of each log, on its disk, and cosigns another one only with a proof that
// the log has grown out of that. So a machine whose log was cut or rewritten is refused, and the
// witness says which machine that is.
//
// # Who asks whom
//
// [Others]: the first two connected machines whose ids come after a point that follows from the id
// of the one that asks. It is the same for everybody who looks, as long as the same machines are
// connected.
//
// # Transport
//
// Requests and answers go through etcd: a machine needs no address.
//
//	tada/1/checkpoints/WITNESS/MACHINE   a Request: every member may write it, only WITNESS read it
//	tada/1/cosigned/WITNESS/MACHINE      an Answer: only WITNESS may write it
//
// A [Request] has the body of an add-checkpoint of the C2SP protocol tlog-witness, and is a note
// that the machine has signed with the key of its certificate:
//
//	tada-cosign/v1
//	{"add":...,"key":...,"log":...,"machine":...,"record":...,"witness":...}
//
// An [Answer] is an object: cosignature lines, how much the witness has seen, or why it refuses.
// The cosignature (cosignature/v1) is one of the same key, under the id of the witness. The record
// of the witness, which the registrar has signed, has the hash of that key.
//
// # Time
//
// Nobody waits for a witness. The shipper leaves its checkpoint with an [Asking], and takes what
// has come by the time that the manifest is made. What comes later gets a manifest of its own.
//
// # What is not proven
//
// A machine that is asked for the first time has seen nothing before. Who runs etcd can send an
// old request again: then the witness says that the log was cut, until it is asked the next time.
// Machines that were taken over together can cosign whatever they like for each other.
package cosign
