// Package audit keeps what happened, in order, so that nobody can quietly
// change it: a log of entries that many short-lived processes append to, a
// transcript of the bytes of each session, and the means to prove, read and
// replay both.
//
// # Parties
//
// A writer is a process of the user who owns the folder. It appends entries
// (Log), and records the bytes that pass between a program and its user
// (Recorder) before it passes them on. A verifier has the files, or a copy,
// and needs no secret (Verify, NewReader). A witness remembers a head
// or a signed checkpoint somewhere else. A viewer sees a session again
// (packages audit/play and audit/export).
//
// The package decides nothing about what entries mean. Their bodies are made
// by the caller; only the entries that vouch for transcripts (KindClose and
// its neighbours) are looked into, and, when it is asked for
// (VerifyOptions.Complete), those that tell a run (KindIntent and its) or an
// approval.
//
// # The log
//
// log.jsonl holds one entry per line:
//
//	{"body":{...},"kind":"exec.intent","prev":"<64 hex>","seq":0,"time":"2026-03-01T12:00:00.000000Z"}
//
// A line is canonical JSON: the bytes that Python's json.dumps writes with
// sort_keys, separators (',', ':') and ensure_ascii, and holds no floats.
// prev is the SHA-256 of the line before, without its newline; the first
// entry names sha256("autopoiesis:audit:genesis"). What is hashed are the
// bytes in the file, never a value that was parsed and written again, so two
// parsers cannot disagree about what was signed. seq counts from 0. time is
// UTC and never goes back, except at an entry of kind clock that says so.
// Lines are at most MaxLine long.
//
// Four kinds are the log's own, besides seal. recover names a torn tail, accept
// what a person went on after: the bytes from offset on, bytes many, with their
// sha256. They stand on the line behind those bytes, which stay in the file,
// and name as prev the last good entry. An accept entry also says by whom, and
// in from (count, offset) how far anything vouched for the log: the anchor, the
// mark or a seal. What is between there and the entry is not proven, however
// well it is chained, and stays so (Report.Unproven): no seal, checkpoint or
// pruning after it proves it, Prove refuses it, and Complete fails. An entry
// without from, of an earlier version, leaves all before it unproven. clock
// tells that the clock was set back. prune tells that the first segments were
// removed.
//
// # Segments
//
// After 64 MiB the log goes on in log.000001.jsonl, and so on. Nothing is
// renamed. The log is its files, one behind the other (cat log.jsonl
// log.0*.jsonl): the first line of a file names the last of the one before,
// and every offset is one into the whole. The anchor says which file is
// written to and where it begins; the file before is on the disk by then.
//
// Log.Prune removes the oldest files, by age or size. Before one goes,
// pruned.NNNNNN, where NNNNNN is the first file that stays, is stored:
//
//	{"count":N,"head":"<64 hex>","offset":O,"reason":"..","root":"<64 hex>","segment":S,"time":".."}
//	<64 hex>                                 the hash of each removed entry
//	{"body":{...},"kind":"seal",...}         seals and their like stay as they are
//
// and an entry of kind prune whose body is that first line. So files that are
// gone without that entry are missed, the chain of seals still leads back to
// the pinned key, checkpoints and remembered heads from before are checked as
// ever, and so is a proof of an entry that is gone. A file that vouches for a
// transcript which is still there is not removed.
//
// # The anchor
//
// A log cut at the end of a line is a shorter, valid log. anchor.json
// remembers count, head and size; it is written after every entry. It is an
// array of two objects, each in a sector of its own and with a MAC, written
// in turn (turn counts), so that a write that dies leaves the other: no file
// is ever put in the place of another, which also works in a folder whose
// files may only grow (chattr +a). synced tells how much of the log the disk
// has promised.
//
// The MAC is HMAC-SHA256, its first 16 bytes in hex, over the canonical object
// with "mac":"" in it. The key is LogOptions.Key; a state directory of tada-run
// has none, so there the key is empty and the MAC only a checksum. A slot is
// 512 bytes: '[' or a space, the object, spaces, and ",\n" or "]\n". An even
// turn is in the first, an odd one in the second.
//
// LogOptions.Mark names a file outside of the folder for what a folder cannot
// remember of itself: that it was there. It holds the head as it was stored
// last, in one line:
//
//	tada-mark/v1 COUNT SIZE LAST HEAD CHECK
//
// COUNT and SIZE are decimal with zeros in front up to 15 digits, LAST up to 7:
// so many entries, which end at byte SIZE, the last of them LAST bytes long,
// newline included. HEAD is its hash in hex. CHECK is the first 8 bytes, in
// hex, of the SHA-256 of the line before it, the space in front of CHECK
// included.
//
// A folder that was deleted, or put back from a copy, is then no first run:
// Append returns *TamperError, and Verify names it. The same holds for a mark
// that is gone or damaged: once the disk has a mark, the file lock holds the one
// byte '1'. A folder whose lock is empty never had one, and verifies with a note.
//
// The byte of lock, and the files lock.sync, lock.prune, reserve and those in
// running, say nothing else about the record, and Verify reads no more of them.
//
// # Appending
//
// Under one flock on the file lock, which is never replaced: check that the
// files behind the names are plain, ours, 0600, with one name; read the
// anchor; compare the last entry with it; take in entries that a dead process
// wrote but did not anchor; append with a single O_APPEND write; write the
// anchor; unlock. A Durable entry is then stored by fdatasync under a second
// lock, lock.sync: one process stores for all that wait.
//
// What goes wrong, and what the next append then does:
//
//	a process dies before the write        nothing happened
//	in the middle of the write             the tail is set apart by a recover entry
//	before the newline                     the entry counts; the newline is added
//	before the anchor is written           the entry counts; the anchor catches up
//	power cut                              down to synced, what is gone is told by recover
//	log shorter than the anchor            *TamperError, until Accept
//	last entry not the one remembered      *TamperError, until Accept
//	lines that no writer of ours leaves    *TamperError, until Accept
//	fdatasync fails                        ErrNotDurable, for every process, until Accept
//	disk full                              ErrNoSpace for an Intent, before anything starts;
//	                                       other entries use up the file reserve
//
// Nothing is ever cut off: an attacker could make a good last entry look
// torn, and have it removed by the repair.
//
// # Runs
//
// Log.Begin takes a place for a run in the folder running, a locked file that
// the kernel lets go of when the process dies. Log.Orphans, at the next open,
// finds those whose process is gone and tells their end: exec.orphan. With
// that, Complete can demand that every run which was started was announced
// before, had the authority that it names (a verdict that allows, or an
// approval consumed for this plan, once), and has an end.
//
// A run whose command has ended and left processes that go on says so by
// exec.left, once; it has its place until they have ended, and exec.end.
//
// A place is made under a name of its own (.SID.N), locked, and then gets the
// name SID; names there change only under the lock of the file behind them. Earlier
// versions locked a place that had its name already, and could take a run that
// had just begun for a dead one. Where such a run went on behind its
// exec.orphan, its own entries count, and Report.Revived names it.
//
// # Seals
//
// From time to time (SealDue) a writer seals the log (Log.Seal): an entry of
// kind seal, whose body is
//
//	{"epoch":0,"key":"<64 hex>","next":"<64 hex>","sig":"<128 hex>"}
//
// sig is Ed25519 by key over "tada-seal/v1\n" and the line as it is with an
// empty sig, so over prev and with it the whole log before. next is the key
// of the epoch to come. The file seal.key holds its secret; the one that
// signed is wiped, and nobody can sign again what is behind a seal. Epochs are
// counted by seals: none can be left out, and the log cannot be cut back to an
// earlier one, because the key for going on from there is gone. The first key
// is to be pinned elsewhere (VerifyOptions.SealKey). journald's forward secure
// sealing has the same aim; its verification key is a secret that can forge,
// and it was broken by entries sealed late (CVE-2023-31439) and by a cut
// behind which sealing went on (CVE-2023-31438).
//
// # Transcripts
//
// A transcript is an asciicast v3 file that every asciinema player plays.
// Behind each event stands a comment, which players pass over:
//
//	{"version":3,"term":{"cols":80,"rows":24}}
//	[0.012345,"o","text"]
//	#t SEQ T_US CODE AUTHOR LEN C CHAIN SALT
//
// C is HMAC-SHA256 keyed with the 16 bytes of SALT over the event line. CHAIN is the SHA-256 of
// "tada-cast/v1\n", the CHAIN before it as its 64 hex characters (for the first, the SHA-256 of the
// header line, without its newline, in hex), a space, and the line from SEQ to C, without the space
// behind C. T_US is microseconds since the start, LEN the bytes of the stream that the event stands
// for. SALT is outside the chain: an event is redacted by emptying its text and writing - for SALT,
// and the head stays what it was.
//
// Beyond asciicast's o i r m x there are e and n (stderr and stdin pipes),
// s (signal), t (the terminal's modes from there on, as words of stty(1);
// before the first it is as it was made), g (gap), h (hidden: a password), and b:
// bytes that are not UTF-8, in base64, behind which the event of the stream
// itself, with LEN 0, only shows what a player can show of them.
//
// The header's tags say whether the output went to a pipe or to a terminal
// (Header.Wire): the ends of its lines mean something else.
//
// Events are not gathered over time. Each is in the kernel's hands before its
// bytes are shown, in events of at most 32 KiB; reads from a terminal come in
// blocks by themselves. Only the end of a read may wait for the next: up to
// three bytes of an unfinished character, and at most 4 KiB behind what a
// credential begins with.
//
// Passwords and credentials are never stored, only committed to, by an h event
// of their length; behind it the stream's own event, with LEN 0, shows an
// asterisk for every byte. Hidden are what the caller says (Recorder.Hidden,
// for a terminal with the echo off), what is typed behind a prompt for a
// password, with its echo, and what has the shape of a known credential
// (secretShapes), wherever reads cut it. What was missed is found by
// FindSecrets and removed by Redact.
//
// Of one session 256 MiB of output are kept, and no more a second than
// RecordOptions.Rate says; what comes beyond is counted and hashed in g events,
// but for the last 64 KiB of each such stretch. When the disk is full a session
// ends, and Log.Broke says so in both files, signed, in the reserve.
//
// The log vouches for a transcript: rec.ckpt while it is written, rec.close
// with head, count and bytes at its end. While it is written its file is locked
// (flock), so that it is known who still lives (Recording).
//
// At rest, PackFolder makes it a zstd file (package audit/zstandard) in the seekable format:
// independent frames of 1 MiB of plain text, and behind them an index. Any number of processes may
// do so at once. OpenTranscript finds either file, and seeks in both. Proofs are over the plain
// text. Output in pieces of a terminal's 4 KiB takes 0.1 (listings) to 0.35 (program text) of its
// size there. Each event adds some hundred bytes of commitments that nothing makes smaller: what
// comes as a line now and then takes more than it was.
//
// # What is not proven
//
// Whoever can write the folder as its owner can write a new end of the log behind the last seal,
// or, where no first key is pinned, a whole new history, or put back an old copy of everything,
// keys included. Inside this folder nothing can tell. It is told by a head that someone else
// remembers (VerifyOptions.Remember), or a checkpoint signed with a key that was kept elsewhere
// (Checkpoint, CheckpointPoint): C2SP signed notes over the RFC 6962 tree of the entries. Its
// record n is the hash of line n, as 32 raw bytes, so a leaf is SHA-256(00 || hash) and a node
// SHA-256(01 || left || right). A witness (package audit/witness) cosigns one only when the log has
// grown out of what it saw before (ProveGrowth, Cosignatures); Journal leaves the head with another
// account of the same machine. Times are the word of the machine's clock.
//
// The order of intent and start is proven, not that the intent was on the disk
// before the start: that is the protocol of Append. Complete begins anew behind
// a pruning: what was announced before it is taken on trust. A secret that has
// no shape, is encoded, or is typed before the prompt that asks for it, is
// recorded like any text; what stands in an entry or a header
// stays there: Redact reaches the events, so a caller hides first (HideSecrets).
//
// # Proofs
//
// Prove makes a proof of one entry, ProveStretch one of some events of a
// session; CheckProof and CheckStretch need nothing but them and the signer's
// key, and tell nothing about the rest:
//
//	c2sp.org/tlog-proof@v1            https://c2sp.org/tlog-proof
//	extra <base64 of the line>
//	index 17
//	<base64 of a hash>                up to 63 of them
//
//	<signed checkpoint>
//
// A checkpoint has one extension line, "tada-head <64 hex>": the head of the
// chain, so that Verify can begin there (CheckpointPoint, VerifyOptions.Since).
// Of the form of a stretch see ProveStretch.
//
// # Limits
//
// One line 1 MiB. One transcript event 32 KiB of data. One log 100 TB.
// Verifying uses all cores; its memory grows neither with the log nor with a
// transcript, but by some hundred bytes for each transcript and, with Complete,
// each run. Trees take 64 bytes for each entry. Writing needs Linux; verifying
// and replaying do not.
//
// The fast check of the part that the anchor knows hashes bytes and looks into
// no body; VerifyOptions.Strict also demands that each is canonical, and says
// what it has to.
//
// testdata/verify.py checks all of the above but signatures, of seals and of
// checkpoints (there is no Ed25519 there), in 150 lines of Python's standard
// library.
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
