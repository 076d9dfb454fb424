package audit

// An identity says which file it is.
type identity struct {
	device, number uint64
	changed        int64 // as the kernel keeps it
}
