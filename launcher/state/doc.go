// Package state is the state directory: where tada-run keeps its files, which user may have written
// them, and what processes that share it know about each other.
//
// # What is in it
//
// ~/.tada, in the home directory that /etc/passwd gives the account ($HOME does not count: it
// belongs to the agent). [Home] has the path of each part. Folders are 0700 and files 0600; looser
// ones, and those of another user, are refused with a [HomeError] that names the command to type.
//
//	config.yaml      the configuration                 key, trust, ...   answers from other machines
//	approvals.db     questions and approvals           shadow/           protected files
//	audit/           the log                           registered/       settings of other programs
//	sessions/        transcripts                       undo/             what runs changed, before
//	run/             what is valid for this boot       setup/            what tadactl setup changed
//	push.json, .key  devices that are notified
//
// # Several processes
//
// There is no daemon: each command is a process, and they meet in files. [Directory.Lock] is an
// flock(2) lock in run/, which the kernel releases however its holder ends. A process that waits
// for one reports which other process holds it (proc_locks(5)). A process is named by the boot, its
// id and its start ([Directory.Self]), because a pid alone is used again.
//
// A run is named by an id that sorts by time ([NewID]). Ids come from files and command lines: a
// text that is not an id ([IsID]) must not become a path.
package state
