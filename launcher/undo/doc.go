// Package undo keeps what a run is about to change, shows what it changed, and takes it back.
//
//	store, err := undo.Open("/home/me/.tada/undo", undo.Options{Quota: 2 << 30, File: 256 << 20})
//	journal, err := store.Begin(undo.Start{Run: id, Trees: []string{"/home/me/project"}})
//	journal.Remove(handle, "/home/me/project", "a.txt") // before the kernel removes it
//	summary, err := journal.Close(undo.End{Walk: 20_000})
//
//	run, err := store.Read(id)
//	for _, c := range run.Changes() { ... }
//
// # State, not operations
//
// A journal has entries and inodes. Before a run first touches an entry (a folder and a name in
// it), the journal notes which inode was there, or that there was none. Before it first changes an
// inode, the journal notes its metadata and keeps its content. So the rename of a folder is two
// entries and not a walk, a call that fails after it was noted costs nothing, and hard links and
// exchanges come out right. When the run has ended, the journal notes what is at each entry and in
// each inode then: what it left. A change made later, by a person, is recognised by that.
//
// An inode is identified by device, number and time of birth (ID). A folder is found again by its
// identity too, at any of the places where the run is known to have put it.
//
// # Pre-images
//
// What is removed or replaced is kept by a hard link, without copying. Content that is changed in
// place is cloned where the file system can do that, else copied; short content is in the journal
// itself. What a run itself made after its start needs no pre-image. Pre-images are in the folder
// of the store if a link leads there from the tree, else in a folder of the same mount
// (Journal.Folders), else they are copies.
//
// Of a run that no one was asked about because it can be undone (Start.Stands), what could still be
// changed by another name or an open descriptor is copied as well, what is in no tree is an error,
// and GC deletes nothing before Options.Keep is over. Such runs get half of the quota.
//
// # The file
//
// A journal is a file of the run's folder in the store, to which one write(2) appends what one
// change needs before the change is made:
//
//	"tada-undo" version (1 byte), then records:
//	length (4 bytes) | CRC-32C of the payload (4) | CRC-32C of these 8 bytes (4) | payload
//
// All numbers are little-endian. A payload is its kind (1 byte) and fields; see record.go. When a
// run ends in order, its last record says so and the file gets another name. A record that the end
// of the file cuts is the work of a crash: its change was not made. Everything else that does not
// fit is refused (DamagedError), as is a later version.
//
// # Taking back
//
// An undo has a journal like any run, so it can be undone, and a redo is an undo of an undo. It
// moves nothing that is neither as the run left it nor as the run found it. What must go is first
// kept; what was there is linked back from the store. Every step goes through the handle of a
// folder of known identity, and follows no symbolic link.
//
// Several runs are taken back in one journal, the newest first. A file that two of them moved or
// replaced keeps its inode, so its content in the store is always what the run removed that holds
// it: an undo that leaves it there rewrites it too.
//
// A run or an undo may be killed at any moment. What a killed run left is not known: what changed
// up to two seconds after its last note counts. A killed undo is finished by another one. It writes
// content from the start to the end, so that what it wrote in part differs from a later change.
//
// # Limits
//
// Where the mount of a tree has no place for pre-images, folders that changed places cannot change
// them back: the undo refuses them, by name. A link(2) is noted as Make of the new name and Mark of
// the file; without the latter the file may have one name more after an undo, in the store.
//
// On macOS, where it was not tried on a Mac, a handle is used by the name that the kernel has for
// it: its calls take none. Content is cloned by clonefile(2); a file that is made again has a name
// from the start, .tada-undo-new-*, until it is complete.
//
// A journal knows what it was told. Journal.Close looks for changes in the trees that it was not
// told of, and names them. It cannot say which process made them.
package undo
