// Package scale makes the record of many runs, to measure how reading it behaves: a year of an
// agent's work takes hours to run, and minutes to make here.
//
// [Make] varies some real runs. Everything goes through the writers that a run uses, and none of
// their files is copied: entries through audit.Log, transcripts through audit.Recorder, plans
// through plans.Put, questions through approval.Store. The clock is one that advances by leaps. A
// reader cannot tell the runs from others: they verify, with --complete too.
//
// What differs from run to run is the id, the time, the workspace, the agent, the words of the
// command, its plan, what it printed and how long it took. One in [askedEach] asks a question,
// which expires, or is denied, or is approved and then used; one in [deniedEach] is denied by the
// policy. Two thirds of the commands were used before, so that their plans are stored already.
//
// Not made are the places in the folder running, of which an ended run leaves no trace, and the
// pre-images for undo, which are deleted after some days.
package scale
