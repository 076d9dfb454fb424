// Package broker answers the system calls that the kernel hands over from a sandbox
// (seccomp_unotify(2)): a Profile says what it may grant to one run, a listener brings the calls,
// and Traffic says which connections there were.
//
//	p := &broker.Profile{Shared: true, Write: []broker.Tree{{Name: "/home/me/project"}}}
//	rules := p.Rules(true)               // for the filter of the run
//	...
//	b := broker.Open(p, broker.Handed{Listener: fd}, member)
//	go b.Serve()                         // until no process of the run is left
//	...
//	log.Append(b.Traffic())
//
// It starts nothing and knows nothing of levels, mounts or Landlock: package sandbox starts the run
// and opens the broker for it.
//
// # Parts
//
// The engine receives each call and gives it to the one customer that has it. A customer is a row
// of the table customers, with the reason why the kernel cannot decide its calls alone, and has a
// table of its calls. There are eight: sockets (who is reached; package network decides), requests
// (the socket by which a process of the run asks the launcher), scheduling (whose priority is
// changed), metadata (modes, owners, times and attributes of files), starts (which programs a host
// is for), files (what is made, changed and removed in directories that all programs share),
// objects (System V memory, semaphores and queues) and watches (inotify). To add one, write its
// file and its row.
//
// # Rules
//
// Each holds for every customer, and has the test that shows it; the tests named with sandbox are
// in that package, because they take a whole sandbox.
//
//   - A call that no customer has fails with ENOSYS, and a filter hands over no call that none has
//     (TestUnknownCallIsRefused, TestEachCallHasItsCustomer). Where the broker cannot be had, what
//     depends on it is refused or reported as lost (sandbox: TestReachBelow, TestReachNested).
//   - An argument in memory is copied once, and what is decided is about the copy: an address that
//     another thread swaps leads nowhere else (sandbox: TestConnectRaces, TestGuardRaces;
//     sandbox/attack: "address swapped by another thread").
//   - A caller's number is a thread's, and belongs to it only as long as it waits. What was read
//     about it counts once the kernel has said that it still waits (call.waits).
//   - Names are looked up from the caller's own root, directory and descriptors: the directory once
//     for each call (TestWorkingDirectoryOfACall; sandbox/attack: "linked file in a folder that
//     another thread goes to"). /proc/self, /proc/thread-self and /dev/fd, which lead to the
//     process that looks, are the caller's or are refused (sandbox: TestMetadata,
//     TestLocalSockets). A name that takes more than the kernel's memory to look up is looked up
//     beside, and openat2(2) says which that is.
//   - Where the answer is the permission, the broker makes the call itself, on the object that it has
//     looked at, or hands in the descriptor (sandbox: TestMetadataRace; sandbox/attack: "descriptor
//     swapped by another thread"). The kernel proceeds only where it decides alone, and
//     what the broker saw is for the record (sandbox: TestUnconnectedUDP, TestScheduling).
//   - Calls are answered with the caller's rights: a launcher that is root gives up its
//     capabilities for that, but for the one to look at the caller (sandbox:
//     TestBrokerHasTheRightsOfTheRun). Modes, owners and times are changed only of what the
//     caller's user owns, as the caller itself could without a sandbox (TestMetadataDecides).
//   - One thread receives calls, and does not wait: what takes time is done beside it, in a bounded
//     number of places (TestAnswersBesideAChange, sandbox: TestSlowConnect, TestQuestionsInBulk,
//     TestStreamsInBulk). While a call blocks, a signal to the caller ends it within a tenth of a
//     second.
//   - A descriptor is handed over first and the answer sent then: a signal to the launcher would undo
//     both at once (sandbox: TestAnswersUnderSignals).
//   - A caller that dies takes its call along, and the last one ends the broker (TestCallerDies,
//     TestUnknownCallIsRefused). While the launcher is stopped calls wait, and none is let through
//     (sandbox: TestStoppedLauncher).
//   - A thousand calls that wait take at most 16 MB (sandbox: TestHeldCalls).
//   - The listener is set so that caller and broker hand the processor to each other (Linux 6.6;
//     BenchmarkMediatedCall).
//
// openat2 and io_uring, which would go around a look at their arguments, are refused by the
// sandbox's own filter.
//
// # Shared directories
//
// In /tmp, /var/tmp and /dev/shm (Profile.View) the domain denies and the broker provides: Landlock
// grants no right to change anything there, at either level, and the broker makes those calls that
// are about entries which runs of this workspace have made. Calls about anything else are left to
// the kernel, which refuses them there and decides by the domain elsewhere: so a name that leads
// elsewhere by then, or a mistake about where it leads, gives nothing away.
//
//   - An entry is identified by device, number and time of birth (package view), not by its name.
//     Later runs of the workspace may change what earlier ones have made; the rest is read.
//   - Entries are made in the directory itself, but for names that programs look for, and in
//     folders of the workspace's own; in other folders only where the caller has its temporary
//     files, or a person has allowed the name. An entry that appears at a name in between stays
//     (O_EXCL, RENAME_NOREPLACE).
//   - An entry is opened as a handle first; what is looked at is what is opened, and a link is seen
//     by that (sandbox/attack: "link to a shared file swapped in by another thread").
//   - No socket, FIFO, device, set-id or sticky bit. A hard link is between entries of the
//     workspace's own. At strong FIFOs and sockets are made in a file system that only the run has;
//     the shared directory gets a link, which leads nowhere outside and goes with the run.
//   - A symbolic link leads to the workspace, to its own entries or to programs of the system, by
//     its text, in which dots may be only at its beginning. A folder or link moved to another
//     folder is EXDEV, and so is what comes from elsewhere or goes there: programs copy, and each
//     entry is judged again.
//   - A plain open for reading costs nothing, because the filter tests the flags. Where a hidden
//     name is in such a directory, the domain of base lets nothing be read that is made later, and
//     the broker opens what is the workspace's own.
//   - The mask is read of a caller only after some process of the run has set one. The run's mounts
//     of these directories are read-only at strong, so access(2) is answered too.
//
// Changes are made one at a time. Another program can put its own entry to a name between the look
// at it and the change: so what is removed or replaced is moved aside first, looked at again there,
// and put back when it is not what was looked at (TestSwappedMeanwhile).
//
// # Terminals
//
// All terminals of the machine are in one directory, so without one of the run's own Landlock
// grants none there. The broker makes those that the run asks for (Profile.Terminals), and opens
// these and no others; it holds each, because a name that is free is another program's next
// (sandbox: TestTerminalNamesOfOthers).
//
// # Names of what is hidden
//
// A Landlock right to list a folder also covers everything below. So the run has none on the
// folders that lead to something hidden (Guard.Lead), and the broker opens these for it. Calls that
// open a folder say so (O_DIRECTORY), and no others are passed on for that: a program that opens
// one of these few folders without the flag cannot list it, unless the broker sees all opens anyway
// (sandbox: TestFoldersThatLeadToHidden). A watch is made by the broker. What stat(2) and
// readlink(2) report about a name that is known already is not hidden: with a look at each of these
// calls git status takes six times as long, and npm ls 1.6 times.
//
// # Hidden and kept files in writable trees
//
// With mounts of its own a run has something mounted over what is hidden in a writable tree, and
// what is kept as it is mounted read-only. Without (Profile.Guard) the domain grants rights on the
// other entries of each directory that leads there, one by one, and none on the directory. Where
// nothing is guarded, nothing is asked; where files are only kept, reading is not.
//
//   - In such a directory the broker makes, moves, links and removes, and opens what has come there
//     since the start and has no rights. All else is left to the kernel: below the other entries it
//     allows, and a guarded name it refuses, whatever the broker thinks (sandbox: TestGuardedTree).
//   - A hidden file is known by inode and by name: what an editor puts there is hidden too,
//     and so is another hard link. What leads to something guarded is not moved (EBUSY).
//   - To execute a file takes a right of the domain, which knows no new ones. So new files and
//     folders beside something hidden are made of spares that have the rights and no place yet
//     (Spares), as long as there are some. Folders and programs that come from where Landlock
//     grants what they need are EXDEV: programs copy.
//
// # What changes
//
// What a run is about to change in its writable trees can be announced before (Profile.Changes), so
// that it can be kept for undo: every call that makes, removes, moves, links, opens for writing,
// truncates or marks something, by whatever name. Of what is in shared directories, what the
// workspace has made can be announced too.
//
//   - Nothing is allowed or refused because of it: the kernel or the broker makes the call as
//     without it (sandbox: TestChangesAreAnnounced).
//   - What is kept of a file of a tree that is opened for writing is of the very object that the
//     broker opens. Else a name is looked up before the kernel does: a program that swaps it in
//     between spoils what is kept of its own changes.
//   - Metadata that is changed through a descriptor is announced too. At strong one look is enough
//     where the file was made after the start, as by tar (Changes.IsNew), and the kernel makes the
//     change. A descriptor that is swapped by then is found by who keeps the changes.
//   - A call that the broker cannot place is reported (Miss), and not passed over.
//   - Where undo stands for a question (Capture.Strict), calls that could remove, replace or change
//     what is there are not let through. The broker makes them one at a time, by the mounts of the
//     run, after it has kept what they are about. What could not be kept stays (EDQUOT). Nothing is
//     moved to where nothing is kept of it (EXDEV), and a file with several names is not opened for
//     writing there (launcher: TestWhatStandsForAQuestionIsKept).
//   - The folder of the last call stays open for a moment: the next call is often about the same.
//
// # Files with several names
//
// A file of a tree can have another name, a hard link, outside of the trees, for example in the
// store of a package manager. What is written to it in place changes there too. So the broker makes
// each open for writing, but for those that only make files (O_EXCL, O_TMPFILE), and truncate(2)
// (Profile.InPlace): on the object that it has looked at, by the mounts of the caller. The kernel
// alone would look the name up again, and the file may be another one by then.
//
//   - A file with one name, by which it was found, is let through. Else its names are counted in
//     one walk through the trees, beside the thread that receives calls; what is hidden or
//     read-only does not count. With a name elsewhere, or one that was not found, the open is
//     EACCES, unless a person has approved the file (View.Linked). To replace or remove it stays
//     free.
//   - A name that is moved while they are counted is not counted twice: the file's time of change
//     says that there was none (linkJudge; sandbox/attack: "linked file counted in two folders").
//   - What is outside of the trees and no device of the profile is refused as the kernel would.
//     None of these opens is left to the kernel (sandbox/attack: "linked file swapped by another
//     thread", sandbox: TestLinked).
//   - New files have the caller's mask and the rules of the folder. A FIFO is opened when the other
//     side is there; /dev/tty is the terminal of the caller's session.
//
// # Files of code
//
// A shell opens a script by its name, and another program may have put its own there after the text
// was judged. So what executes such a file is handed a sealed copy of the judged text
// (Profile.Scripts; sandbox: TestJudgedTextIsRead, TestJudgedTextRaces).
//
//   - The name counts as it is spelled, because what it leads to is what cannot be relied on. Other
//     programs read what is there, and so does a server that starts itself again to read what was
//     edited (Script.Again).
//   - What the run itself changes, or tries to, it reads from then on, whatever name it used.
//   - The copy only takes the place of what the kernel would open. So a program of the run that
//     avoids it, by a call that is not asked about or under a name of its own, reads what it may
//     read anyway.
//   - Each open for reading then takes 10 to 15 µs longer. Where all the files are for programs
//     that open them without any flag, as shells and make do (Script.Plain; pathguard/resolve has
//     the table), others are not asked about (sandbox: TestPlainOpens): those of loaders, compilers
//     and interpreters, and most of git's.
//
// # The network
//
// A TCP socket that a run gets is the machine's own; the broker takes hold of it (pidfd_getfd(2)),
// asks the gate (package network) about its copy of the address, and makes connect, bind and listen
// on that very socket. What a socket is, is kept: options set before, a descriptor in epoll, calls
// that do not block, getpeername. The sockets that were handed in from outside stay what they are.
//
// In a network of the run's own (strong) the addresses of the name servers are on its loopback,
// where the broker answers: UDP works there and leads nowhere else. At base a UDP socket is a
// stand-in, one end of a pair that carries packets to the broker alone; the calls that tell where a
// packet came from are answered too, because the resolvers of the C libraries look at that.
//
// Servers of this machine can be reached where the profile says so: those of its workspace's runs,
// others after a question (package network). What the run listens on can be reached from this
// machine. A server that means all addresses gets 127.0.0.1, unless its port
// is published. Refused are source routes, which would lead an allowed connection elsewhere, and
// the ports of name servers on the loopback.
//
// Some rules are for the programs that the command line itself starts and not for what those start
// (Rule.Lead: package registries). Whose parents up to the first process of the run are all
// starters, such as shells, is one of them; whose parent has ended is not.
//
// Others are for one program, as the command line starts it, and for what that starts (Rule.For:
// the host that a command names). The kernel then reports each exec to the broker, which decides by
// the file and by what the process was before: the shell of the command line or a wrapper that it
// started (xargs), which may start the program, or anything else, which stays that whatever it
// executes. A file in a place where the run may write is never the program. What the program
// starts, or executes in its place, counts as the program; a process whose beginning was not seen,
// and whose parent has ended, counts as none.
//
// A connection that no rule allows waits while the gate asks about it, with the program that the
// caller runs (its inode, and whether the run may write it); a signal to the caller ends that. Of a
// name the broker connects to the first address that answers.
//
// A connection that is refused is EACCES; a name, one that does not exist. UDP to elsewhere is
// ENETUNREACH, so that programs which try QUIC go on with TCP. Calls that send and may name a
// receiver are asked about for the record and the error number: those with an address, and sendmsg
// and sendmmsg, of which a filter does not see whether they have one. An address that is swapped
// while the broker looks at it is refused by the kernel alone, without a record. A connect of UDP
// to a host that TCP may reach is not recorded where it looks like a resolver's, which puts
// addresses in order by it.
//
// A run has Unix sockets, streams and sequenced packets, among its own processes: at names where it
// may write and, in a network of its own, abstract ones. At other names where a program listens the
// gate asks, and the broker connects to the file that was asked about. All else is EACCES, or
// ECONNREFUSED where the run may write and no process listens. There are no datagrams to a name, as
// for syslog(3).
//
// Traffic says of each connection which process made it, to whom, and the bytes both ways; of a
// server, how many connections to it have ended and their bytes together. The kernel reports them
// when it takes a socket apart.
package broker
