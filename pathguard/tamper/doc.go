// Package tamper watches protected files between runs: files that only tada-run, and the commands
// that it allowed, may change. A change by anything else is found before the next command.
//
// # Parties
//
// A [Store] belongs to one folder: a workspace, or tada-run's own configuration. The launcher
// verifies it before a command, announces before a run which protected files the verdict lets the
// run write, and afterwards takes over what it wrote. A person accepts or restores every other
// change, file by file. A change past all of these is detected as long as the store's directory is
// out of reach: no sandbox lets a command into it. A program outside the sandbox that runs as the
// same user can rewrite files and store together; a log that is kept on another machine helps
// against that.
//
// Where the sandbox can, it makes protected files read-only while a command runs. Where it cannot
// (Landlock alone can only allow a whole folder), the launcher verifies again when the command
// ends, and a finding then is the command's own failure: see launcher.ExitOf.
//
// # Checksum, copy, stamp
//
// A file is identified by the SHA-256 of its bytes, and a text (see [CalculateChecksum]) by that of
// its lines too: if only the line endings differ, that is a note and no finding. The kind of file
// (file, link and its target, directory, pipe), the permission bits and the real folder are part of
// the baseline. Owner, times and extended attributes are not.
//
// An unchanged file costs one lstat(2): device, inode, size, mode, mtime and ctime are those of the
// baseline. The trust is in ctime: utimensat(2) sets mtime, but a program without privileges can
// set ctime only to the present. A program that can set the clock or write to the disk below the
// file system can forge it. A stamp less than two seconds old when it was taken is not trusted,
// because the next change could have the same one; the file is read again instead. [Store.Paranoid]
// reads all of them.
//
// # Directory
//
//	manifest   all baselines and transactions; replaced as a whole (write, fsync, rename, fsync)
//	blobs/     the copies, each under its SHA-256, 0600; one per content; nothing above 16 MiB
//	tamper/    what was overridden: YYYY-MM-DD_HH-MM-SS[-N]/ with original.EXT, forced.EXT, event.json
//	names      every path that ever had a baseline, a quoted Go string per line
//	logged     the number of the last event that is in the log
//	lock       flock(2) on it is held while anything here changes
//
// The manifest is text, UTF-8, one line each; names are quoted as in Go:
//
//	tada-shadow 1
//	seq N                                      the number of the next event
//	mode ON PENDING                            security.tamper_proof as last known
//	file FORM MODE SIZE DEV INO MTIME CTIME STMODE SETTLED KEPT RAW TEXT "TARGET" "FOLDER" "PATTERN" "PATH"
//	grant "RUN" "OWNER" "PATH"...              a run that may write these now
//	save RAW "PATH" EVENT                      tada-run is putting this content there
//	shown DIGEST "PATH"                        what a person was shown last
//	told DIGEST "PATH"                         what was last reported as detected
//	event JSON                                 an event that may not be in the log yet
//	sum HEX                                    SHA-256 of all before
//
// MODE is octal, all else decimal; times are nanoseconds; a hash that does not exist is "-". A
// reader that meets a line it does not know refuses the file. The sum detects damage; the
// protection against malice is the directory, which commands cannot reach.
//
// # No step in between
//
// Copies are on the disk before a manifest names them, and stay until none does, so that a baseline
// always has its copy. The work after a manifest (archives get their names, copies go, checksums
// are exported) is repeated by the next process. Before a run may write, a grant is on the disk: if
// the run's launcher dies, the files it left are adopted, archived and reported; while the launcher
// lives, its writes are not reported as tampering. The same holds for what tada-run writes itself.
// An edit from outside, during a run that may write the same file, is attributed to the run:
// nothing here sees which process wrote.
//
// # Decisions
//
// A decision is bound to a digest over path, baseline and present state. [Store.Accept] takes only
// what [Store.Show] showed. There is no way to accept everything, and none to continue without
// deciding. With security.tamper_proof off, [Store.Pass] accepts findings automatically, and they
// are reported and archived. A file that had a baseline and has none is a finding, and so is a new
// file under a pattern whose files were known.
//
// # Failure
//
// An operation that returns an error changed nothing that a verification could see. Damage is
// [ErrCorrupt], and no verification succeeds then.
//
// # Example
//
//	s := tamper.Open(dir, tamper.Options{Root: workspace, Patterns: []string{"TODO.md"}, Now: time.Now})
//	report, err := s.VerifyIntegrity(who)
//	if len(report.Findings) > 0 {
//		return &tamper.TamperError{Root: workspace, Findings: report.Findings}
//	}
//	err = s.Begin(run, owner, paths) // the files that its verdict allows it to write
//	// ... the run ...
//	events, err := s.UpdateIntegrity(who, run)
package tamper
