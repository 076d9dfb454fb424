//go:build amd64 || arm64

package broker

// A customer answers some of the calls of one run. It is asked by one thread, one call after the
// other, and must not make it wait: what takes time goes to workers.
type customer interface {
	answer(c *call) // now or later, and once
	close()
}

// A run is what a customer knows of the processes whose calls it answers.
type run struct {
	trees   *trees
	files   *files             // nil without a view and a guard
	changes *capture           // nil when nothing is kept
	starts  *starts            // nil where no rule depends on it
	member  func(pid int) bool // whether a process is of the run
	log     *connectionLog     // nil without a network
	lookups []int              // sockets in a network of the run's own, one for each name server
	first   func() int         // the first process of the run; nil where nothing depends on it
}
