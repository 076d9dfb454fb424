// Package preimage keeps what runs change in files, as it was before (package undo): the broker
// announces each change of a run to a [Run], a [History] has those of all runs, and a [Selection]
// says which of them are shown or taken back. Where there is no broker, what a line names is kept
// before its command starts ([Run.Ahead]).
package preimage
