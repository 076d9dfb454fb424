// Package etcd stores the approvals of a machine in an etcd cluster: it is the [approval.DB] of a
// machine of a fleet. tada-run and tadactl do not link it.
//
// # The keys
//
// A machine has everything below one prefix:
//
//	PREFIX/head          how many commits there were, and their chain; sealed
//	PREFIX/log/N         commit N: its ticket and its changes
//	PREFIX/part/TICKET/I part I of a text that is too long for one value
//
// The buckets of the rules are not keys. They are what the commits since the snapshot have left,
// and every process has them in memory. A commit is one record, whatever it changes. So the rules
// read without the network, a commit has two operations though a prune of a week's questions
// changes thousands of keys, and nothing can be put back one key at a time: see "Who is trusted".
// When the log is twice as long as the last snapshot, and at least 1 MiB, a new snapshot in parts
// replaces it. The same etcd transaction removes the old log and every part that nothing refers to,
// such as those of a process that died.
//
// # A commit
//
// Update runs the rules on the copy in memory and sends one etcd transaction: if the head was not
// changed since the copy was made, put the new head and the record. Otherwise it reads the commits
// that came first and runs the rules again. What the rules refuse, or only read, counts when the
// servers said that the copy is the newest. Each result is that of one order of all commits, the
// same for everyone, in which each call is at some time between its beginning and its end. All
// reads are linearizable, or at a revision that such a read returned.
//
// One process does one commit at a time. Jobs ([approval.Job]) that wait meanwhile share the next.
//
// # An outcome that is not known
//
// If the connection is lost, the leader changes or no answer comes for 3 s, the transaction may
// have been done or not, or may be done later. The client library does not send it again (it
// repeats a write only if no connection was there). This package reads the head. As long as it has
// not changed, the transaction may be on its way: then the head is written again as it is, under
// the same condition. One of the two is first, and the other fails. Each record has a random
// ticket, so the commits say which it was, and only if it was not is the change done again. The
// copy remembers the tickets of the last 1024 commits. If no server answers until the call ends, it
// ends with approval.ErrUnsure: nothing is permitted. The approval may be used up; it is never used
// twice.
//
// # Waiting
//
// All waits of a process share one watch of the log. Each record says which questions it changed.
// When a watch begins, also after an interruption, a compaction or the loss of a leader, everyone
// who waits looks once. A wait looks every 20 s without a sign. No lease is used: nothing that is
// stored may expire by itself, because the rules decide by two clocks of their own; parts without
// use are removed by the next snapshot. This package uses no clock but to limit how long it waits.
//
// # Limits
//
// Every call ends after Options.Wait, by default 30 s, with approval.ErrAway or, after a commit was
// sent, at most 2 s later. etcd allows 128 operations in a transaction and 1.5 MiB in a request.
// Commits have two operations, snapshots five. Changes of more than 256 KiB go into parts of 1 MiB,
// which are written before the commit refers to them. Changes or a state of more than 64 MiB are
// refused before anything is written. A process holds the state in memory and reads at most three
// times its size when it begins. A commit writes about 1 KiB besides what it changes. etcd keeps
// old revisions until it is told to compact them: let it, by --auto-compaction-retention.
//
// # Who is trusted
//
// The secret of the seals is a file of the machine ([Options].Secret) and never in etcd. The head
// is sealed with a key of it and covers every commit, in order, so whoever can write in etcd but
// does not have the secret, such as its operator, cannot forge, change, move or leave out any value
// without being noticed: it is approval.ErrCorrupt, or ErrBehind where commits are missing, for the
// whole database. Such a writer can delete everything, and put back all of it as it once was.
// Processes that have seen newer commits refuse that, and so does everyone who gives
// [approval.Options].Record. They can read the questions: nothing is encrypted here. Use TLS and
// give each machine a user with the role readwrite on its prefix.
//
// The cluster's id is in the head, and [Options].Cluster remembers it outside: another cluster
// behind the same addresses, or one made of a backup, is refused, and so is an empty prefix where
// there was a database.
//
// # Moving
//
// [DB.Import] takes over a database of package bolt. See there for what is in force when.
package etcd
