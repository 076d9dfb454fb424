// Package archive keeps the transcripts of a folder when their sessions are over: large ones each
// in a compressed file of its own, small ones together in archives, because a file system gives out
// whole blocks, and most transcripts are smaller than one.
//
// # The folder
//
//	ID.cast                                a transcript, while it is written and after
//	ID.cast.zst                            a large one, packed
//	archives/archive.FIRST.LAST.SUM.zst    small ones, with ids from FIRST to LAST; SUM is the
//	                                       beginning of the SHA-256 of the text
//
// Packed files are in the seekable format of zstd; see package audit. The plain text of an archive
// is the transcripts, one behind the other; then for each, sorted by id, a line
//
//	ID OFFSET SIZE TIME
//
// where TIME is when it was last written to, in milliseconds since 1970; then a line
//
//	tada-archive/v1 OFFSET
//
// with the place of the first of those lines, in 15 digits. So `zstd -dc` shows everything.
//
// Nothing here is a proof: the log has the head of every transcript, and a reader of one checks it.
// Of a transcript that is there twice, because a process died, the file of its own counts.
//
// # Changing it
//
// [Folder.Pack], [Folder.Remove] and [Folder.Drop] need the caller's lock: one process at a time.
// An archive is never changed. What a new one replaces is removed when the new one was read back
// from the disk, by its name. So after a crash every transcript is there, some twice, until the
// next Pack: the crash leaves a draft, by which that one knows.
package archive
