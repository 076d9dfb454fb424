package audit

import "github.com/tada-run/tada-run/audit/sorted"

// A listed is what is known of transcripts: of a record of years, more than fits in memory.
type listed struct {
	vouched   evidence
	unlisted  error         // why the transcripts that there are could not be listed
	strangers []string      // transcripts that no entry is about
	rested    sorted.Sorter // the sessions that the next Verify may rely on; see keepFiles
	back      bool          // a transcript is there that the log says was dropped
}

func (l *listed) close() {
	l.vouched.Close()
	l.rested.Close()
}
