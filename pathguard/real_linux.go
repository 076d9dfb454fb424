package pathguard

// realOf returns the path of a name without a symbolic link, by text as far as the name
// does not exist, and its inode when it exists.
func realOf(name string) (string, ID, bool) {
	w, err := newWalker()
	if err != nil {
		return name, ID{}, false
	}
	defer w.close()
	end := w.walk(w.root, name, true)
	end.close()
	return join(end.real, end.missing), end.id(), end.missing == "" && end.fd >= 0
}
