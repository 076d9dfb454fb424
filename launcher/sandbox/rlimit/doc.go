// Package rlimit remembers the soft limit of open files that this process was started with.
//
// The runtime raises the limit for itself when package syscall is initialised, and restores it only
// in processes that it starts itself. A process that is started by other means needs the value from
// before, or a program that closes "all" descriptors in a loop, as many still do, takes seconds
// instead of milliseconds.
//
// Packages are initialised in the order of their import paths, as far as their imports allow. This
// one imports nothing that is initialised, so it reads the limit before package syscall can change
// it; nothing may be imported here.
package rlimit
