package walk

// MaxListed bounds one listing of a directory. Names in a larger one are looked up one by one:
// there are only a few hundred that are of interest.
const MaxListed = 4096

// The bounds of a search of a workspace for names that can be at any depth.
const (
	MaxSearched = 256  // directories
	MaxLooked   = 4096 // names in them
)

// The bounds of the kernel's own walk: path_resolution(7), <linux/limits.h>.
const (
	PathMax  = 4096 // PATH_MAX, with the closing zero byte
	nameMax  = 255  // NAME_MAX
	maxLinks = 40   // MAXSYMLINKS
)
