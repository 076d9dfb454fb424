// Package caller finds out who asks: what the kernel says of a process, of its ancestors and of the
// terminal in front of it. It decides nothing; [approval.Caller] does, from these facts.
//
// A process can choose its name, its environment and its arguments. It cannot choose its ancestors
// (but for leaving them), nor take off no_new_privs or a seccomp filter once it has one, nor say
// who holds the other end of its terminal. So who may answer a question is told by those. The facts
// are read anew for each answer, because a process can end up in another place than it began in.
//
// [Tree] names the process tree for the limits on questions, and [OwnerOf] the process that a run
// is for: what a command leaves running goes on no longer than that.
//
// All of it is read from /proc (proc(5)), so on Linux only. What cannot be read counts as unknown,
// and an unknown caller may not answer.
package caller
