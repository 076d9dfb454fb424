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
// and needs no secret (Verify, VerifyTranscript). A witness remembers a head
// or a signed checkpoint somewhere else. A viewer sees a session again
// (packages audit/play and audit/export).
//
// The package decides nothing about what entries mean. Their bodies are made
// by the caller; only the entries that vouch for transcripts (KindClose and
// its neighbours) are looked into.
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
// Three kinds are the log's own. recover names a torn tail, accept what a
// person went on after: the bytes from offset on, bytes many, with their
// sha256. They stand on the line behind those bytes, which stay in the file,
// and name as prev the last good entry. clock tells that the clock was set
// back.
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
// C is HMAC-SHA256 keyed with the 16 bytes of SALT over the event line.
// CHAIN is the SHA-256 of "tada-cast/v1\n", the CHAIN before it (for the
// first, the SHA-256 of the header line), a space, and the line from SEQ to
// C. T_US is microseconds since the start, LEN the bytes of the stream that
// the event stands for. SALT is outside the chain: an event is redacted by
// emptying its text and writing - for SALT, and the head stays what it was.
//
// Beyond asciicast's o i r m x there are e and n (stderr and stdin pipes),
// s (signal), t (terminal modes), g (gap), h (hidden: a password), and b:
// bytes that are not UTF-8, in base64, behind which the event of the stream
// itself, with LEN 0, only shows what a player can show of them.
//
// Events are not gathered over time. Each is in the kernel's hands before its
// bytes are shown, in events of at most 32 KiB; reads from a terminal come in
// blocks by themselves. Only up to three bytes of an unfinished character
// wait for their rest.
//
// The log vouches for a transcript: rec.ckpt while it is written, rec.close
// with head, count and bytes at its end. While it is written its file is locked
// (flock), so that it is known who still lives (Recording).
//
// At rest, PackFile makes it a zstd file in the seekable format: independent
// frames of 1 MiB of plain text, and behind them an index. OpenTranscript finds
// either file, and seeks in both. Proofs are over the plain text.
//
// # What is not proven
//
// Whoever can write the folder as its owner can write a new end of the log
// behind the last seal, or, where no first key is pinned, a whole new history,
// or put back an old copy of everything, keys included. Inside this folder
// nothing can tell. It is told by a head that someone else remembers
// (VerifyOptions.Remember), or a checkpoint signed with a key that was kept
// elsewhere (Checkpoint, VerifyCheckpoint, Prove): C2SP signed notes over the
// RFC 6962 tree whose leaves are the entries' hashes. A deleted folder looks
// like a first run to OpenLog. Times are the word of the machine's clock.
//
// # Limits
//
// One line 1 MiB. One transcript event 32 KiB of data. Verifying uses all
// cores; memory grows neither with the log nor with a transcript. Trees take 64 bytes for each entry. Writing needs Linux;
// verifying and replaying do not.
//
// testdata/verify.py checks all of the above but seals and checkpoints (there
// is no Ed25519 there) in a hundred lines of Python's standard library.
//
// # Example
//
//	log, err := audit.OpenLog(home+"/audit", audit.LogOptions{Now: time.Now, BootID: bootID})
//	_, err = log.Append("exec.intent", body, audit.Intent) // an error means: do not run
//	rec, err := audit.Create(home+"/sessions/"+sid+".cast", header, audit.RecordOptions{Now: mono, Rand: rand.Reader})
//	err = rec.Output(audit.CodeOutput, p) // an error means: do not show
//	sum, err := rec.Close()
//	_, err = log.Append(audit.KindClose, closeBody(sid, sum), audit.Durable)
//
//	report, err := audit.Verify(home+"/audit", audit.VerifyOptions{Transcript: open})
//	var bad *audit.BadEntry
//	if errors.As(err, &bad) {
//		fmt.Println(bad) // log.jsonl: entry 41 (line 42, byte 20877): was changed: ...
//	}
package audit
