package pathguard

import "golang.org/x/sys/unix"

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

// existing returns the real paths of those names that exist. Most of the built-in names do
// not on any one machine, so they are asked for with one system call before being walked.
// Names with a pattern in them are expanded by nobody here and are left out.
func existing(names []string) []string {
	w, err := newWalker()
	if err != nil {
		return nil
	}
	defer w.close()
	var out []string
	for _, name := range names {
		var st unix.Stat_t
		if name[0] != '/' || unix.Lstat(name, &st) != nil {
			continue
		}
		end := w.walk(w.root, name, true)
		end.close()
		if end.missing == "" && end.fd >= 0 {
			out = append(out, end.real)
		}
	}
	return out
}
