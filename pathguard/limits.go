package pathguard

import (
	"math"
	"time"
)

// Limits bound one run. In a configuration zero is unset ("auto"), and Unlimited is written "none".
// Unset values are limited by the defaults of the machine, which are for programs that have gone
// wild. Processes: the most that is honestly needed is about one thread per processor in each of as
// many compilers, so 256 for each processor, and at least 4096, which is about what systemd gives a
// service. Memory: what is left lets the rest of the machine continue until the sampler has looked.
// The record: a build that prints 64 MiB at once is recorded in full.
//
//	                 default               strong                    base             at the limit
//	Time             none                  timer                     timer            the run is ended, status 124
//	CPU              none                  rlimit, sampled           rlimit, sampled  the run is ended
//	Memory           3/4 of the machine    sampled, size of tmpfs    sampled          the run is ended
//	Processes        4096 or 256 a CPU     sampled, pid_max, rlimit  sampled          the run is ended
//	Inotify          1/2 of the account's  user namespace            sampled          strong: EMFILE; base: the run is ended
//	Watches          1/2 of the account's  user namespace            -                strong: ENOSPC
//	Output           none                  counted                   counted          the run is ended
//	Record           256M                  counted                   counted          the rest is passed on and not recorded
//	RecordRate       4M                    counted                   counted          what is too fast is passed on and not recorded
//	FileSize         none                  rlimit                    rlimit           SIGXFSZ
//	OpenFiles        none                  rlimit                    rlimit           EMFILE
//
// Control groups, where they can be made, bound CPU, Memory and Processes exactly. They take up to
// 16 ms, so they are made when a file names one of the three.
type Limits struct {
	Time      time.Duration // of the wall clock, from the start of the command
	CPU       time.Duration // of the whole tree, user and system, in full seconds
	Memory    int64         // bytes of the whole tree
	Processes int64         // in the whole tree, threads counted
	Inotify   int64         // inotify instances of the whole tree
	Watches   int64         // inotify watches of the whole tree
	Output    int64         // bytes of what the run writes to its terminal and pipes
	Record    int64         // bytes of output in the transcript
	// bytes of output in the transcript per second, after the first 16 seconds' worth
	RecordRate int64
	FileSize   int64 // bytes of one file
	OpenFiles  int64 // descriptors of one process
}

// Unlimited is a limit that is set to none.
const Unlimited = math.MaxInt64

// fields are all of l, in order.
func (l *Limits) fields() [11]*int64 {
	return [11]*int64{(*int64)(&l.Time), (*int64)(&l.CPU), &l.Memory, &l.Processes, &l.Inotify,
		&l.Watches, &l.Output, &l.Record, &l.RecordRate, &l.FileSize, &l.OpenFiles}
}

// strictest takes the lower of two limits, where 0 is unset.
func (l Limits) strictest(add Limits) Limits {
	for i, v := range l.fields() {
		if other := *add.fields()[i]; *v == 0 || other > 0 && other < *v {
			*v = other
		}
	}
	return l
}

// unsetIn returns those of l that first does not set.
func (l Limits) unsetIn(first Limits) Limits {
	for i, v := range l.fields() {
		if *first.fields()[i] != 0 {
			*v = 0
		}
	}
	return l
}
