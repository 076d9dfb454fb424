// Package sandbox is the kernel sandbox around one command. Start takes a Profile and returns a
// running Process, and a Receipt that says which Level was reached.
//
// There is no setuid program, no helper binary and no cgo, and no way to start a command without a
// sandbox. It works for ordinary users, for root, and inside containers, on Linux from 5.13 on
// amd64 and arm64. On macOS Start uses Seatbelt, which was tested on no Mac yet and keeps less (see
// beltGaps): a command leads a session, with a terminal of its own or none, and that session ends
// with it. Elsewhere it compiles, and Start returns ErrUnsupported.
//
// # Using it
//
//	p := sandbox.Default("/home/me/project", "/tmp", "/home/me/.ssh", "/home/me/.tada")
//	process, receipt, err := sandbox.Start(p, sandbox.Command{
//		Path:  "/bin/bash",
//		Argv:  []string{"bash", "-c", "make test"},
//		Env:   []string{"PATH=/usr/bin:/bin"},
//		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
//	})
//	if err != nil {
//		return err // nothing has run
//	}
//	log.Append(receipt)
//	status, err := process.Wait()
//	os.Exit(status.Shell())
//
// A Profile allows; anything that it does not name is out of reach. A caller that has opened and
// judged an object passes the open file (Path.File, Command.Exe, Command.Dir), so that the judged
// object is used, whatever has been put under its name since. Names must be absolute with symbolic
// links resolved.
//
// # Parties
//
// The launcher is the process that calls Start. It forks a supervisor, which builds the sandbox and
// stays as its guard, and the child, which enters the sandbox and becomes the command; at Strong
// also an init, and with a terminal an anchor. The namespaces of Strong can be made before it is
// known what will run in them (Prepare): a keeper holds them until the supervisor joins. Between
// fork and exec these processes run no Go code but a loop over a table of system calls that was
// made before the fork (type step): the table is the sandbox, and can be read as one. They share
// the launcher's memory until they execute, each on its own stack: copying the pages of a Go
// program for each of them, and again whatever it touches afterwards, cost more than the rest of a
// start. The child's are, in order:
//
//	setsid; or setpgid, as a job of the supervisor's session, when there is a terminal
//	dup3 ...                       the descriptors that Command names
//	close_range(CLOEXEC)           all others
//	mount proc, chdir              (Strong)
//	prlimit64 ...
//	rt_sigaction, rt_sigprocmask   as a fresh program has them
//	prctl, capset                  no capability, in any set
//	prctl(PR_SET_NO_NEW_PRIVS)
//	landlock_restrict_self
//	seccomp
//	proofs                         what must be refused, is tried
//	execveat or execve
//
// # Levels
//
// Base is Landlock and seccomp. Landlock decides on files, by the inode, and on signals and ptrace;
// the filter on what Landlock does not see: sockets, Fast Open, MPTCP, io_uring, namespaces,
// mounts, keys, set-uid bits, terminals typed into, and system calls by another architecture's
// numbers.
//
// Strong adds namespaces below that. Everything except the writable trees is mounted read-only;
// hidden files have something mounted over them; /proc shows the child's own processes, /dev/shm is
// empty, the network is a loopback.
//
// Both keep out of reach what the Profile says. They differ in other guarantees, and Receipt.Lost
// and Profile.Must have a name for each difference. The ones that matter at Base, by kernel 6.18:
//
//   - Metadata: Landlock has no right for mode, owner, times and attributes, and no filter can see a
//     path. So the broker makes these changes, to what it has looked at. It is lost in a sandbox
//     inside a sandbox, where the kernel allows no second answerer.
//   - HiddenList: stat(2) shows the size, mode and times of a hidden name that is known,
//     readlink(2) where a link leads. What is below a hidden folder is not listed or watched, but
//     in a sandbox inside a sandbox. At Strong all of it is lost for a hidden folder in which
//     something is allowed, because nothing can be mounted over it.
//   - Processes: /proc shows command lines of other processes and how many descriptors they have;
//     not their memory, environment or what the descriptors are.
//   - Devices: a device of which root has put a node into a writable tree can be read. At Strong
//     the trees are mounted without devices.
//
// At Base a hidden or read-only file in a writable tree has no mount over it. Landlock grants
// rights on the tree's other entries, one by one, and the broker makes and opens new entries. Where
// the broker cannot answer, Keeping is lost, and for hidden files Start returns a *CannotHideError.
//
// The level is found by trying, because the switches that forbid namespaces are many, and new ones
// appear: Start tries Strong, and if one of its steps fails, Base. Profile.Require refuses the
// second; Probe reports the failing step and what would help; Remembered saves useless tries.
//
// # The network
//
// Off is no network, the same at both levels: there are no sockets but pairs. Full is the machine's
// network. Hosts is what Profile.Reach names, and needs nothing from the programs, no proxy and no
// variable:
//
//	p.Network = sandbox.Hosts
//	rule, err := network.ParseRule("api.example.com:443")
//	p.Reach.Rules = append(p.Reach.Rules, rule)
//	...
//	status, err := process.Wait()
//	log.Append(process.Traffic())
//
// The kernel passes every call that makes, connects or binds a socket to the launcher, and package
// broker answers it: its documentation says what such a socket is, where names are looked up, and
// what is recorded. At Strong the run also has a private network, in which the broker answers at
// the addresses of the name servers.
//
// Below another program that answers system calls (a sandbox inside a sandbox) the kernel allows no
// second one. If hosts are named, Start then returns an error that wraps ErrNoAnswers. If only this
// machine was to be reached, Localhost is lost: the run has a private loopback at Strong, and no
// network at Base.
//
// # The end
//
// Everything that the command has started ends with it, when Kill is called, and when the launcher
// ends, even by SIGKILL. Ignoring signals, being stopped, double forks and new sessions do not
// help. The means is the lifeline: a pipe of which only the launcher holds the writing end. When it
// closes, the supervisor kills. At Strong it kills the init, and the kernel the namespace. At Base
// it calls kill(-1) from a Landlock domain with a signal scope, which contains everything that the
// command starts and nothing else. That call is the most dangerous line of this package: without
// the domain it would reach every process of the user. It is made only by a process that has seen
// the kernel refuse it a signal to the launcher.
//
// Without a signal scope (Landlock before 6, or without erratum 2) only the command's process group
// is killed, and Tree is lost.
//
// # What a run may use
//
// Profile.Limits bounds a run as a whole: its time, processor time, memory and processes. The
// kernel counts where it lets us make control groups: version 1, or version 2 in a tree that is
// delegated to us (a systemd user session), seldom in a container, where they are mounted
// read-only. Groups cost up to 16 ms (the kernel waits for all processors), so they are made only
// when asked for (Limits.Grouped). Elsewhere the launcher looks some 20 times a second, and ends
// the run: first at what the whole machine uses, and at the tree in /proc only when that is more
// than the limit. It sees everything: at Strong no process leaves the pid namespace, and at Base
// the launcher is the parent of the orphans (PR_SET_CHILD_SUBREAPER), which it knows by their
// filters. Only groups count memory in pipes. At Strong the kernel also counts processes, inotify
// instances and watches for the namespaces of the run (pid_max, user.max_inotify_*), for root too;
// at Base the launcher counts the instances, every half second at first and every four at last. For
// each single process the kernel always enforces RLIMIT_AS, _CPU, _FSIZE and _NOFILE, and at Strong
// RLIMIT_NPROC for all but root. Receipt.Bounds says which it was, Status.Exceeded what ended the
// run, and Status.Reached what the kernel refused it. Output is counted by the process that reads
// it: see Process.End. The next launcher removes what a killed one left of its groups.
//
// # Why something was refused
//
// The kernel gives a program EACCES or EPERM and tells us nothing. Profile.Explain says which rule
// covers a path, and Profile.ExplainOutput searches the command's output for paths and calls that a
// rule covers. That is a guess for people; nothing is decided by it.
//
// # Parts
//
// Package broker answers the calls that the kernel passes on, package seccomp makes the filter;
// package gitmeta removes what git would run later outside; package attack tries every known
// escape, for tests and for doctor.
//
// # Limits of the sandbox
//
// A file that exists when the child starts can be hidden; a name that does not exist yet cannot. A
// file that is created next to a hidden one after the start is out of reach too, and so is a file
// that another program renames to the hidden name: around it, only what was there at the start is
// allowed. At Strong this holds in folders that this user can change, since elsewhere the mount
// over the name goes only when an administrator replaces the file. Inside a writable tree Landlock
// cannot express that: there a mount alone hides, and the kernel removes the mount when another
// program renames another object to the name. The child itself cannot.
//
// With Command.Files and Command.Inherit, a directory that was opened outside is a way around
// read-only mounts (not around Landlock), mode and times of a file can be changed through its
// descriptor at Strong, and a socket or terminal keeps its abilities: a caller that passes the
// user's terminal lets the child read what is typed there.
//
// Execution is not limited beyond the readable trees: an interpreter or the loader runs what it can
// read, and a program can be made in memory. It runs in the same sandbox. With Profile.OneProgram
// only the command itself is executed; it can still run what it loads into its own memory.
//
// The supervisor shares the launcher's memory, so a kernel that runs out of memory and picks the
// launcher ends both: at Strong the tree ends with them, at Base it continues. There the command
// counts as larger than the launcher (oom_score_adj), so that the kernel picks it first.
//
// A child shares the machine: the load, the clock, covert channels, the bugs of the kernel. At
// Strong it uses more of the kernel than at Base.
//
// # Errors
//
// An error from Start means that nothing of the command has run. *SetupError names the step and the
// kernel's answer, *ExecError is the program's own and has the shell's exit status for it (126,
// 127).
package sandbox
