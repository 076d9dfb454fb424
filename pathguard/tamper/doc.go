// Package tamper keeps an eye on protected files between runs: files that only tada-run, and the
// commands that it was allowed to run, may change. What anybody else does to them is found before
// the next command.
//
// # Parties
//
// A [Store] belongs to one folder: a workspace, or tada-run's own configuration. The launcher
// verifies it before a command, says before a run which protected files its verdict lets it write,
// and afterwards takes over what it wrote. A person accepts or restores what somebody else did,
// file by file. Whoever changes a file past all of these is found out, as long as the store's
// directory is out of reach: no fence lets a command into it. A program without a fence that runs
// as the same user can rewrite files and store together; against that helps a record that is kept
// elsewhere.
//
// Where the fence can, it keeps protected files as they are while a command runs. Where it cannot
// (Landlock alone allows a folder as a whole), the launcher verifies again when the command ends,
// and a finding then is the command's own failure: see launcher.ExitOf.
//
// # Checksum, copy, stamp
//
// A file is known by SHA-256 of its bytes, and a text (see [CalculateChecksum]) by that of its
// lines too: when only the ends of lines differ, that is a note and no finding. What stands under
// the name (file, link and its target, directory, pipe), the permission bits and the real folder
// are part of the baseline. Owner, times and extended attributes are not.
//
// An unchanged file costs one lstat(2): device, inode, size, mode, mtime and ctime are those of the
// baseline. Trusted is ctime: utimensat(2) sets mtime, but a program without privileges can set
// ctime only to now. Who can set the clock or write to the disk below the file system can forge it.
// A stamp less than two seconds old when it was taken is not trusted, because the next change could
// have the same one; the file is read again instead. [Store.Paranoid] reads all of them.
//
// # Directory
//
//	manifest   all baselines and what is going on, replaced as a whole: written beside, fsync, rename, fsync
//	blobs/     the copies, each under its SHA-256, 0600; one per content; nothing above 16 MiB
//	tamper/    what was overridden: YYYY-MM-DD_HH-MM-SS[-N]/ with original.EXT, forced.EXT, event.json
//	names      every path that ever had a baseline, a quoted Go string per line
//	logged     the number of the last event that the record has
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
//	told DIGEST "PATH"                         what was last told as detected
//	event JSON                                 what the record may not have yet
//	sum HEX                                    SHA-256 of all before
//
// MODE is octal, all else decimal; times are nanoseconds; a hash that does not exist is "-". A
// reader that meets a line it does not know refuses the file. The sum finds damage: against malice
// stands the directory.
//
// # No step in between
//
// Copies are on the disk before a manifest names them, and stay until none does, so that a baseline
// always has its copy. What follows a manifest (archives get their names, copies go, checksums are
// exported) is repeated by the next process. Before a run may write, a grant is on the disk: when
// the run's launcher dies, what it left is adopted, archived and told; while it lives, nobody calls
// its writing tampering. The same holds for what tada-run writes itself. An edit from outside in
// the middle of a run that may write the same file is taken for the run's: nothing here sees who
// wrote.
//
// # Decisions
//
// A decision is bound to a digest over path, baseline and what is there. [Store.Accept] takes only
// what [Store.Show] showed. There is no way to accept everything, nor one to go on without
// deciding. With security.tamper_proof off, findings are accepted automatically by [Store.Pass],
// told and archived. A file that had a baseline and has none is a finding, and so is a new file
// under a pattern whose files were known.
//
// # Failure
//
// An operation that returns an error changed nothing that a verification could see. Damage is
// [ErrCorrupt], and no verification succeeds then. On systems other than Linux everything is
// [ErrUnsupported].
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
