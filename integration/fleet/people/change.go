package people

// A Change is what a person knows of a bundle that is to be in force, or to end.
type Change struct {
	Despite int    // the count of the GateError that is overruled; of a bundle that is tried
	Version int64  // the version that was looked at; 0 for none
	Ungated string // why what ran was not judged again; "" if it was
}
