package walk

// MaxListed bounds one listing of a directory. Names in a larger one are looked up one by one:
// there are only a few hundred that are of interest.
const MaxListed = 4096

// The bounds of a search of a workspace for names that can be at any depth.
const (
	MaxSearched = 256  // directories
	MaxLooked   = 4096 // names in them
)
