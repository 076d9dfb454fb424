// Package seccomp speaks the two languages of seccomp(2): a table of rules becomes the program
// that the kernel runs at each system call of a process, and a Listener receives the calls that a
// rule hands over (seccomp_unotify(2)) and answers them.
//
// Nothing here knows which calls are forbidden or answered, or why. Package sandbox says what is
// forbidden, package broker what is answered.
package seccomp
