// Package ship copies the record of a machine to a bucket of S3 storage, and proves it from there.
//
// # Parties
//
// A machine ships its record ([Shipper]). Whoever runs the bucket stores objects, and can read and
// make none. A reader has an identity of age that belongs to the team, and a line that names the
// fleet or its fleet document ([Check]); it needs neither the machine nor etcd.
//
// # Names
//
//	tada-<16 hex>/objects/<64 hex>        SHA-256 of the object as it is stored
//	tada-<16 hex>/manifests/<10 digits>   from 0000000000 on
//	tada-<16 hex>/fleet/<10 digits>       a fleet document, by its serial
//	tada-<16 hex>/met/tada-<16 hex>-<64 hex>  the record of another machine, and its SHA-256
//
// The first part is the id of the machine. The bucket may have a prefix before it. The name of an
// object is the hash of what is stored, not of its plain text: plans and commands are short and can
// be guessed, and a hash of the text would confirm a guess to everybody who can list the bucket.
// Encryption is randomized, so the same text has another name each time. What the bucket does show
// is how much each machine ships, and when.
//
// # Objects
//
// Everything is compressed (one zstd frame, RFC 8878) and then encrypted (age, recipients of type
// X25519, https://age-encryption.org/v1). The recipients are those of the fleet document. A
// manifest has one recipient more, the machine itself, which must find out what it has shipped; the
// machine cannot read its own objects again. At most 4 MiB of plain text are in an object.
//
// The plain text of an object is pieces of files, one behind the other. The files are
//
//	log                the log as one run of bytes: see package audit
//	pruned.NNNNNN      where the log begins later: what remembers the entries before
//	sessions/ID.cast   the transcript of a session that is over, as plain text
//	plans/<64 hex>     a plan, under its SHA-256
//
// Every transcript and every plan that an entry names is shipped once. How the machine packs them
// does not matter.
//
// # Manifests
//
// A manifest is a C2SP signed note (https://c2sp.org/signed-note) of two lines,
//
//	tada-ship/v1
//	{...}
//
// signed by the key of the machine's certificate under the machine's id, with the Ed25519 signature
// type. The second line is an object in the one spelling of package canonical:
//
//	machine     its id
//	number      the number in the name
//	before      SHA-256 of the manifest before it as stored, in hexadecimal; "" for number 0
//	time        of the machine's clock
//	object      the name of the object that it stored; "" for none
//	pieces      of the object: file, from (offset in the file), size, sum (SHA-256), last (the
//	            file ends here)
//	missing     files that the record names, and that were gone before they could be shipped
//	fleet       the serial of the newest fleet document that it knew; left out if not known
//	met         the records of other machines that it has stored since, ID-SHA256; left out if none
//	checkpoint  signed, of the log, with the cosignatures that it got; "" for none
//	bytes       with a checkpoint: how long the log was
//	by          key and record of the machines that cosigned it; left out if there are none
//	log         the key of the checkpoint: NAME+HASH+KEY
//	key         the public key of the machine, in base64
//	record      the machine's record, signed by the registrar (package document)
//
// With a checkpoint, the record is whole up to there: the pieces of this manifest and those before
// it have the whole log, and all that it names. Manifests without one come before it where there is
// more than one object. What comes after the last checkpoint is not counted.
//
// A piece of the log goes on where the last one ended. Where it begins later, the machine deleted
// what is between before it was shipped; the file pruned.NNNNNN with that number has come before.
// A piece of another file from byte 0 begins the file anew.
//
// # Fleet documents
//
// A fleet document is stored as an object is, before the manifest that names it. A machine stores
// the newest that it knows, and those by which the administrators changed (package history). A
// reader begins with one that has the administrators of a pin (package document), takes each that
// follows, whichever machine stored it, and so comes to the newest. A machine below which there is
// another one, or not the one that its manifests name, is reported, as is one whose manifests go
// back to an older one.
//
// # Machines that ship nothing
//
// Each machine stores the records of up to eight others, signed by the registrar (package
// document): those with the next ids. So a reader knows of a machine that joined and never shipped,
// while one of the eight before it does. The manifests name what is stored, so it cannot be taken
// away.
//
// # How to verify
//
//  0. Find the newest fleet document, as above.
//  1. Read the manifests from number 0 on; none may be missing. Each names the hash of the one
//     before it.
//  2. Check record with the registrar's key of the fleet document, key with the hash in the record,
//     and the signature with key.
//  3. Fetch the objects, compare each with its name, decrypt it, and put the files together.
//  4. Write the log to log.jsonl, or log.NNNNNN.jsonl beside pruned.NNNNNN, cut it to bytes, and
//     verify it as package audit says. It must have passed through the head of every checkpoint.
//  5. Compare transcripts and plans with what the log says.
//
// # What is proven
//
// That the record is what the machine had, complete up to the last checkpoint, and that it had no
// other before: a machine that ships two histories, or puts an old copy back, is named. A machine
// does not ship a record that is not the one which the bucket has the beginning of ([ErrFork]).
//
// The bucket can take away the last manifests. Then there is a shorter history, which is valid: a
// reader learns since when the machine is silent. A machine ships at least once an hour while it
// is connected, so a longer silence says something. The witnesses know whether a later checkpoint
// was cosigned (Check.Ask). Anyone who can write the bucket can also put something in the place of
// the next manifest: the machine then ships nothing more, and says so. Times are those of the
// machine's clock, except in cosignatures.
//
// A machine that was taken over ships what its new owner writes; what it had shipped before stays.
//
// What was shipped is not changed by what happens later on the machine: a transcript that is
// deleted, or a text that is redacted, after it was shipped is still in the bucket.
//
// # Crashes
//
// An object is stored before the manifest that names it, and a manifest before the next one. Both
// are stored only if nothing has their name. A crash leaves an object without a manifest, and
// nothing else. The next shipment begins with what the manifests say. A file on the machine notes
// that, so that they need not all be read again: it counts only if its hash is right and the bucket
// has the manifest that it names last, and is made again otherwise. Before anything leaves, the log
// up to the checkpoint is on the disk, so that a power cut cannot take away what the bucket has.
//
// # Limits
//
// A verifier reads all manifests of a machine: one for each minute in which something was
// recorded, and one more where cosignatures came late. It holds about a hundred bytes of each. An
// agent that starts without its note reads them too. Recipients are of type X25519 alone.
package ship
