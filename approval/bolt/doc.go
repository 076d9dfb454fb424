// Package bolt stores approvals in one bbolt file: it is the [approval.DB] of the programs.
//
// NAME is a bbolt database with a bucket for each of [approval.Buckets]. NAME.lock is locked with
// flock(2) before NAME is opened, because bbolt waits for its own lock by sleeping 50 ms at a time.
// NAME.lock is empty until NAME has been created and has one byte from then on. If the database is
// gone after that, it is an error and not a fresh start, which would forget what was used. NAME.new
// is a database being created. NAME.board and its bell exist while processes share a transaction
// (group.go), NAME.wait-ID while a process waits for the answer to ID (wait_linux.go); both can be
// deleted when no program runs. All have mode 0600 and belong to this user, or are refused; so is a
// folder that others may write to.
//
// Every operation opens the database, does one transaction and closes it. Operations that several
// runs need at the same time are done together: of 64 processes that use an approval at once, the
// first does its own, and while it waits for the disk the others gather for a second transaction.
//
// Schema 2 added quorum, signed answers and codes. Schema 1 can be read, and becomes 2 with the
// first change.
//
// bbolt panics on damaged pages, and a file shorter than its mapping faults; both are returned as
// approval.ErrCorrupt, and nothing is written.
package bolt
