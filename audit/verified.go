package audit

import "time"

// A Verified is what Verify proved of the files of a log that nobody writes to any more, and of the
// transcripts. With it, the next Verify compares one hash for each of these files, and parses only
// what came after (AtRest.Before).
//
// It is a note of the account that verified: who can write it can also make Verify believe that
// changed files were verified. So it has no place where somebody doubts that account.
type Verified struct {
	Time  time.Time      `json:"time"`
	First time.Time      `json:"first"` // of the log's first entry
	End   verifiedPoint  `json:"end"`
	Size  int64          `json:"size"` // of the log
	Parts []verifiedPart `json:"parts"`
	Files []verifiedFile `json:"files"`
	// Missing counts the sessions whose transcripts were dropped.
	Missing int `json:"missing"`
	// Open is where the first entry is about a transcript that is in none of Files.
	Open int64 `json:"open"`
	// Beside are the transcripts about which the log has no entry, and whether it names their runs.
	Beside map[string]bool `json:"beside,omitempty"`
}

// A verifiedPoint is a Point in JSON.
type verifiedPoint struct {
	Count int64  `json:"count"`
	Head  string `json:"head"`
}

// A verifiedPart is a file of the log, sealed and packed.
type verifiedPart struct {
	File string `json:"file"`
	Base int64  `json:"base"`
	Size int64  `json:"size"` // of its text
	Disk int64  `json:"disk"` // size of the file
	Sum  string `json:"sum"`  // SHA-256 of the file
	// After is where the log is at its end, and Time that of the next entry.
	After verifiedPoint `json:"after"`
	Time  string        `json:"time"`
	Lines []keptLine    `json:"lines,omitempty"`
	Gaps  []Gap         `json:"gaps,omitempty"`
}

// A keptLine is an entry that speaks of the log itself, or of a passkey.
type keptLine struct {
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
	// Before is how many seals before it are left out.
	Before int64 `json:"before,omitempty"`
}

// A verifiedFile is a file of transcripts.
type verifiedFile struct {
	Name  string `json:"name"`
	Size  int64  `json:"size"`
	Sum   string `json:"sum"`
	First int64  `json:"first"` // where the first entry is about one of them
	Count int    `json:"count"` // of those that entries are about
}

func (p verifiedPart) end() int64 { return p.Base + p.Size }

// after is the cursor at the end of a part.
func (p verifiedPart) after() (c cursor, ok bool) {
	head, ok := parseHash([]byte(p.After.Head))
	if !ok || !validTime([]byte(p.Time)) {
		return c, false
	}
	return cursor{offset: p.end(), line: p.After.Count, seq: p.After.Count, head: head,
		time: stamp([]byte(p.Time))}, true
}
