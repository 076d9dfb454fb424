package caller

// An ancestor is what tells trees of processes apart.
type ancestor struct {
	name, started string
	parent, uid   int
}
