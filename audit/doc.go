// Package audit keeps a record of what happened, in order, that cannot be changed without being
// noticed: a log of entries to which many short-lived processes append, a transcript of the bytes
// of each session, and the means to prove, read and replay both.
//
// # Parties
//
// A writer is a process of the user who owns the folder. It appends entries (Log), and records the
// bytes between a program and its user (Recorder) before it passes them on. A verifier has the
// files, or a copy, and needs no secret (Verify, NewReader). A witness remembers a head or a signed
// checkpoint elsewhere. A viewer replays a session (packages audit/play and audit/export).
//
// The plans that entries name are stored by package audit/plans, in a folder of their own.
//
// The package does not interpret entries. The caller makes their bodies. Only the entries that
// vouch for transcripts are read (KindClose and its neighbours) and, with VerifyOptions.Complete,
// those about a run (KindIntent and its neighbours) or an approval.
//
// # The log
//
// log.jsonl holds one entry per line:
//
//	{"body":{...},"kind":"exec.intent","prev":"<64 hex>","seq":0,"time":"2026-03-01T12:00:00.000000Z"}
//
// A line is canonical JSON without floats: the bytes that Python's json.dumps writes with
// sort_keys, separators (',', ':') and ensure_ascii. prev is the SHA-256 of the line before,
// without its newline; the first entry names sha256("autopoiesis:audit:genesis"). The hash covers
// the bytes in the file, never a value that was parsed and written again, so two parsers cannot
// disagree about what was signed. seq counts from 0. time is UTC and never goes back, except at an
// entry of kind clock that says so. Lines are at most MaxLine long.
//
// Besides seal, four kinds belong to the log itself:
//
//	recover  names a torn tail
//	accept   names the bytes that a person accepted
//	clock    says that the clock was set back
//	prune    says that the first segments were removed
//
// A recover or accept entry names the bytes from offset on, bytes many, with their sha256. It is on
// the line after those bytes, which stay in the file, and its prev is the last good entry. An
// accept entry also has the name of the person and, in from (count, offset), how far anything
// vouched for the log: the anchor, the mark or a seal. What is between from and the entry is not
// proven, however well it is chained, and stays so (Report.Unproven): no later seal, checkpoint or
// pruning proves it, Prove refuses it, and Complete fails. In an accept entry of an earlier version
// from is missing; everything before it is unproven.
//
// # Segments
//
// After 8 MiB the log continues in log.000001.jsonl, and so on. Nothing is renamed. The log is the
// concatenation of its files (cat log.jsonl log.0*.jsonl): the first line of a file names the last
// of the one before, and every offset counts from the start of the whole. The anchor says which
// file is being written to and where it begins; the file before it is on the disk by then.
//
// Log.Prune removes the oldest files, by age or size. Before that it stores pruned.NNNNNN, where
// NNNNNN is the first file that stays:
//
//	{"count":N,"head":"<64 hex>","offset":O,"reason":"..","root":"<64 hex>","segment":S,"time":".."}
//	<64 hex>                                 the hash of each removed entry
//	{"body":{...},"kind":"seal",...}         seals and their like are kept whole
//
// and an entry of kind prune whose body is that first line. So files that are missing without that
// entry are noticed, the chain of seals still leads back to the pinned key, older checkpoints and
// remembered heads are still checked, and the proof of a removed entry is still valid. A file that
// vouches for an existing transcript is not removed.
//
// # The anchor
//
// A log cut at the end of a line is a shorter, valid log. anchor.json remembers count, head and
// size, and is written after every entry. It is an array of two objects, each in a sector of its
// own and with a MAC, written in turn (turn counts), so that an interrupted write leaves the other
// one intact. The file is never replaced, so this also works in a folder whose files may only grow
// (chattr +a). synced is how much of the log is known to be on the disk.
//
// The MAC is HMAC-SHA256, its first 16 bytes in hex, over the canonical object with "mac":"" in it.
// The key is LogOptions.Key; a state directory of tada-run has none, so there the key is empty and
// the MAC only a checksum. A slot is 512 bytes: '[' or a space, the object, spaces, and ",\n" or
// "]\n". An even turn is in the first slot, an odd one in the second.
//
// LogOptions.Mark names a file outside the folder. It remembers what the folder itself cannot: that
// the folder existed. It has the head that was stored last, in one line:
//
//	tada-mark/v1 COUNT SIZE LAST HEAD CHECK
//
// COUNT and SIZE are decimal, padded with zeros to 15 digits, LAST to 7. COUNT is the number of
// entries, SIZE the byte at which they end, and LAST the length of the last one, newline included.
// HEAD is its hash in hex. CHECK is the first 8 bytes, in hex, of the SHA-256 of the line before
// it, including the space in front of CHECK.
//
// With a mark, a folder that was deleted, or put back from a copy, does not look like a first run:
// Append returns *TamperError, and Verify reports it. The same holds for a missing or damaged mark:
// once a mark is on the disk, the file lock holds the one byte '1'. A folder with an empty lock
// never had a mark, and verifies with a note.
//
// Apart from the byte in lock, the files lock, lock.sync, lock.prune, reserve and those in running
// say nothing about the record, and Verify does not read them.
//
// # Appending
//
// Under one flock on the file lock, which is never replaced: check that the files behind the names
// are plain, belong to this user, have mode 0600 and only one name; read the anchor; compare the
// last entry with it; take in entries that a dead process wrote but did not anchor; append with a
// single O_APPEND write; write the anchor; unlock. A Durable entry is then stored by fdatasync
// under a second lock, lock.sync: one process stores for all that wait.
//
// What can go wrong, and what the next append does:
//
//	a process dies before the write        nothing happened
//	in the middle of the write             the tail is set apart by a recover entry
//	before the newline                     the entry counts; the newline is added
//	before the anchor is written           the entry counts; the anchor catches up
//	power cut                              a recover entry names what is gone, down to synced
//	log shorter than the anchor            *TamperError, until Accept
//	last entry not the one remembered      *TamperError, until Accept
//	lines that no writer of ours leaves    *TamperError, until Accept
//	fdatasync fails                        ErrNotDurable, for every process, until Accept
//	disk full                              ErrNoSpace for an Intent, before anything starts;
//	                                       other entries use up the file reserve
//
// Nothing is ever cut off: an attacker could make a good last entry look torn, and have the repair
// remove it.
//
// # Runs
//
// Log.Begin takes a place for a run in the folder running: a locked file, whose lock the kernel
// releases when the process dies. The next time the log is opened, Log.Orphans finds the places
// whose process is gone and records the end of their runs: exec.orphan. So Complete can require
// that every run that was started was announced before, had the authority that it names (a verdict
// that allows, or an approval consumed for this plan, once), and has an end.
//
// If the command of a run has ended and left processes running, the run says so with exec.left,
// once. It keeps its place until they have ended and exec.end is written.
//
// A place is made under another name (.SID.N), locked, and then renamed to SID; names in that
// folder change only under the lock of the file behind them. Earlier versions locked a place that
// already had its name, and could mistake a run that had just begun for a dead one. If such a run
// went on after its exec.orphan, its own entries count, and Report.Revived names it.
//
// # Seals
//
// From time to time (SealDue) a writer seals the log (Log.Seal): it adds an entry of kind seal,
// whose body is
//
//	{"epoch":0,"key":"<64 hex>","next":"<64 hex>","sig":"<128 hex>"}
//
// sig is Ed25519 by key over "tada-seal/v1\n" and the line with an empty sig, so it covers prev and
// with it the whole log before. next is the key of the next epoch. The file seal.key holds its
// secret; the key that signed is wiped, and what is before a seal can never be signed again. Epochs
// are counted by seals. None can be left out, and the log cannot be cut back to an earlier one,
// because the key to continue from there is gone. The first key should be pinned elsewhere
// (VerifyOptions.SealKey). journald's forward secure sealing has the same aim; its verification key
// is a secret that can forge, and it was broken by entries sealed late (CVE-2023-31439) and by a
// cut after which sealing went on (CVE-2023-31438).
//
// # Transcripts
//
// A transcript is an asciicast v3 file that every asciinema player plays. After each event is a
// comment, which players skip:
//
//	{"version":3,"term":{"cols":80,"rows":24}}
//	[0.012345,"o","text"]
//	#t SEQ T_US CODE AUTHOR LEN C CHAIN SALT
//
// C is HMAC-SHA256 keyed with the 16 bytes of SALT over the event line. CHAIN is the SHA-256 of
// "tada-cast/v1\n", the CHAIN before it as its 64 hex characters (for the first, the SHA-256 of the
// header line, without its newline, in hex), a space, and the line from SEQ to C, without the space
// after C. T_US is microseconds since the start, LEN the number of bytes of the stream that the
// event represents. SALT is outside the chain: an event is redacted by emptying its text and
// writing - for SALT, and the head does not change.
//
// Beyond asciicast's o i r m x there are e and n (stderr and stdin pipes), s (signal), t (the
// terminal's modes from there on, as words of stty(1); before the first it is as it was made), g
// (gap), h (hidden: a password), and b: bytes that are not UTF-8, in base64. The event of the
// stream itself follows a b event; its LEN is 0, and it only shows what a player can show of them.
//
// The header's tags say whether the output went to a pipe or to a terminal (Header.Wire), because
// line ends differ between them.
//
// Events are not gathered over time. The kernel has each event before its bytes are shown. Events
// have at most 32 KiB; reads from a terminal come in blocks anyway. Only the end of a read may wait
// for the next: up to three bytes of an unfinished character, and at most 4 KiB after the beginning
// of a possible credential.
//
// Passwords and credentials are never stored. An h event of their length commits to them; the
// stream's own event follows it with LEN 0 and shows an asterisk for every byte. Hidden are what
// the caller says (Recorder.Hidden, for a terminal with the echo off), what is typed after a prompt
// for a password, with its echo, and what has the shape of a known credential (secretShapes),
// however reads split it. FindSecrets finds what was missed, and Redact removes it.
//
// 256 MiB of output are kept for each session, and at most RecordOptions.Rate per second. The rest
// is counted and hashed in g events, except for the last 64 KiB of each such stretch. When the disk
// is full a session ends, and Log.Broke says so in both files, signed, using the reserve.
//
// The log vouches for a transcript: with rec.ckpt while it is written, and at its end with
// rec.close, which has head, count and bytes. While it is written its file is locked (flock), so
// that others can see whether its recorder is alive (Recording).
//
// Log.Pack compresses the segments but the two newest, in the same format, as
// log.NNNNNN.jsonl.SIZE.zst, where SIZE is that of the plain text. Offsets and hashes are those of
// the plain text; zstd -dc prints it.
//
// PackFolder compresses finished transcripts to zstd files (package audit/zstandard) in the
// seekable format: independent frames of 1 MiB of plain text, followed by an index. Any number of
// processes may do so at once. OpenTranscript finds either file, and seeks in both. Package
// audit/archive keeps small ones together. Proofs are over the plain text. Output that comes in
// pieces of a terminal's 4 KiB is compressed to 0.1 (listings) to 0.35 (program text) of its size.
// Each event adds some hundred bytes of commitments that cannot be compressed: output that comes
// line by line takes more than its size.
//
// # Verifying again
//
// With VerifyOptions.AtRest the report has a note for the next Verify (Verified): the SHA-256 of
// each packed file of the log that a seal covers, and of each file of transcripts; where the log
// was after each of those files; and the entries in them that speak of the log itself. Verify then
// compares hashes, begins after the last file before which nothing has changed, and parses the
// rest. If anything does not fit it reads everything. The note is as good as the folder that it is
// in.
//
// # Memory
//
// Verify needs the same memory for any number of runs. What must be known of each transcript, run
// and question until the end is sorted (package audit/sorted); beyond some MiB that is in temporary
// files without names, below /var/tmp. In memory is what is open: runs without an end, questions
// without an answer, runs reported lost; and what there is little of: seals, what passkeys signed,
// what a person accepted.
//
// # What is not proven
//
// A process that can write the folder as its owner can write a new end of the log after the last
// seal. If no first key is pinned, it can write a whole new history, or put back an old copy of
// everything, keys included. Nothing inside this folder can show that. It is shown by a head that
// someone else remembers (VerifyOptions.Remember), or by a checkpoint signed with a key that was
// stored elsewhere (Checkpoint, CheckpointPoint): C2SP signed notes over the RFC 6962 tree of the
// entries. Record n of the tree is the hash of line n, as 32 raw bytes, so a leaf is SHA-256(00 ||
// hash) and a node SHA-256(01 || left || right). A witness (package audit/witness) cosigns a
// checkpoint only if the log has grown out of what it saw before (ProveGrowth, Cosignatures);
// Journal gives the head to another account of the same machine. Times are only as true as the
// machine's clock.
//
// The order of intent and start is proven, but not that the intent was on the disk before the
// start: the protocol of Append ensures that. Complete starts again after a pruning: what was
// announced before it is taken on trust. A secret that has no known shape, is encoded, or is typed
// before the prompt that asks for it, is recorded like any text. What is in an entry or a header
// stays there: Redact changes events only, so a caller hides secrets first (HideSecrets).
//
// # Proofs
//
// Prove makes a proof of one entry, ProveStretch one of some events of a session. CheckProof and
// CheckStretch need nothing but the proof and the signer's key; a proof discloses nothing about the
// rest:
//
//	c2sp.org/tlog-proof@v1            https://c2sp.org/tlog-proof
//	extra <base64 of the line>
//	index 17
//	<base64 of a hash>                up to 63 of them
//
//	<signed checkpoint>
//
// A checkpoint has one extension line, "tada-head <64 hex>": the head of the chain, so that Verify
// can begin there (CheckpointPoint, VerifyOptions.Since). For the form of a stretch see
// ProveStretch.
//
// # Limits
//
// One line 1 MiB. One transcript event 32 KiB of data. One log 100 TB. Verifying uses all cores.
// Its memory does not grow with the log or a transcript, except by some hundred bytes for each
// transcript and, with Complete, each run. Trees take 64 bytes for each entry. Writing needs Linux;
// verifying and replaying do not.
//
// The fast check of the part that the anchor knows hashes bytes and does not look into bodies;
// VerifyOptions.Strict also requires that each body is canonical and has the members that it must
// have.
//
// testdata/verify.py checks all of the above except the signatures of seals and checkpoints (there
// is no Ed25519 there), in 150 lines of Python's standard library.
//
// # Example
//
//	log, err := audit.OpenLog(home+"/audit", audit.LogOptions{Now: time.Now, BootID: bootID, Mark: home + "/audit.mark"})
//	lost, err := log.Orphans()
//	running, err := log.Begin(sid)
//	_, err = log.Append("exec.intent", body, audit.Intent) // an error means: do not run
//	rec, err := audit.Create(home+"/sessions/"+sid+".cast", header, audit.RecordOptions{Now: mono, Rand: rand.Reader})
//	err = rec.Output(audit.CodeOutput, p) // an error means: do not show
//	sum, err := rec.Close()
//	_, err = log.Append(audit.KindClose, closeBody(sid, sum), audit.Durable)
//	err = running.End()
//
//	report, err := audit.Verify(home+"/audit", audit.VerifyOptions{Transcript: open})
//	var bad *audit.BadEntry
//	if errors.As(err, &bad) {
//		fmt.Println(bad) // log.jsonl: entry 41 (line 42, byte 20877): was changed: ...
//	}
package audit
