package audit

// An AtRest says in which files the transcripts are that nobody writes to any more, and what was
// verified of them and of the log.
type AtRest struct {
	// Before is what was verified before: files with the same hashes are not read again. It has no
	// effect with Since, Strict and Complete.
	Before *Verified
	// Files says each file of transcripts, also of those that are still written.
	Files func(say func(file string)) error
	// In returns the sessions whose transcripts are in a file.
	In func(file string) ([]string, error)
	// Span returns the first and the last session that a file may have, by its name.
	Span func(file string) (first, last string)
	// Path is where a file is.
	Path func(file string) string
}
