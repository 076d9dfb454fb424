package audit

// An AtRest says in which files the transcripts are that nobody writes to any more, and what was
// verified of them and of the log.
type AtRest struct {
	// Before is what was verified before: files with the same hashes are not read again. It has no
	// effect with Since, Strict and Complete.
	Before *Verified
	// Files lists the files of transcripts, also of those that are still written.
	Files func() ([]string, error)
	// In returns the sessions whose transcripts are in a file.
	In func(file string) ([]string, error)
	// Of returns the files that have a transcript of a session: two, where a process died.
	Of func(session string) ([]string, error)
	// Path is where a file is.
	Path func(file string) string
}
