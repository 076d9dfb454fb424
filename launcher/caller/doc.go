// Package caller identifies the process that asks: what the kernel reports about the process, its
// ancestors and the terminal in front of it. It decides nothing; [approval.Caller] does, from these
// facts.
//
// A process can choose its name, its environment and its arguments. It cannot choose its ancestors
// (it can only leave them), nor take off no_new_privs or a seccomp filter once it has one, nor
// decide which process holds the other end of its terminal. So these facts decide who may answer a
// question. They are read again for each answer, because a process can move after it has started.
//
// [Tree] names the process tree for the limits on questions, and [OwnerOf] the process that a run
// is for: processes that a command leaves running end with it at the latest.
//
// On Linux it is read from /proc (proc(5)). On macOS, which was not tried on a Mac, the kernel
// lists processes (sysctl), and not who holds the other end of a terminal: the program that opened
// it stands for that. What cannot be read counts as unknown, and an unknown caller may not answer.
package caller
