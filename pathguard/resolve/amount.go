package resolve

import (
	"fmt"
	"strconv"
)

// An Amount is how much is in a target that is deleted.
type Amount struct {
	Files int   // all but directories
	Bytes int64 // of regular files, without those that have another link
	More  bool  // there is more: it was too large, too deep, or not readable
	Dir   bool  // it is a directory
}

// String is the amount for a person, "about 210 files, 3.1 MB", with two digits of what is large:
// an approval binds it, and a file more in a large directory is no other plan.
func (a Amount) String() string {
	size := sizeText(a.Bytes)
	switch {
	case !a.Dir:
		return size
	case a.Files == 0 && !a.More:
		return "no files"
	}
	n, about := rounded(int64(a.Files))
	files := grouped(n) + " files"
	if a.Files == 1 {
		files = "1 file"
	}
	switch {
	case a.More:
		files = "more than " + files
	case about:
		files = "about " + files
	}
	return files + ", " + size
}

// rounded is a number with its first two digits, and whether that changed it. Up to 100 it is
// exact.
func rounded(n int64) (int64, bool) {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit, n%unit != 0
}

// grouped writes a number with commas.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// sizeText is a number of bytes with two digits, in units of 1,000.
func sizeText(n int64) string {
	unit, names := int64(1), []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	for i, name := range names {
		if n < unit*1000 || i == len(names)-1 {
			if whole := n / unit; unit == 1 || whole >= 10 {
				whole, _ = rounded(whole)
				return fmt.Sprintf("%d %s", whole, name)
			}
			return fmt.Sprintf("%d.%d %s", n/unit, n%unit*10/unit, name)
		}
		unit *= 1000
	}
	return ""
}
