package resolve

import (
	"fmt"
	"strconv"
	"strings"
)

// An Amount is how much is in a target that is deleted.
type Amount struct {
	Files int   // all but directories
	Bytes int64 // of regular files that have no other name elsewhere
	Only  int   // files whose content git does not have; -1 where that is not known
	More  bool  // there is more: it was too large, too deep, or not readable
	Dir   bool  // it is a directory
}

// String is the amount for a person: "about 210 files, 3.1 MB", with two digits of what is large.
func (a Amount) String() string {
	size := sizeText(a.Bytes)
	switch {
	case !a.Dir && a.Only == 1:
		return size + ", not in git"
	case !a.Dir:
		return size
	case a.More && a.Files == 0:
		return "an unknown number of files"
	case a.More:
		return fmt.Sprintf("more than %s files and %s", grouped(int64(a.Files)), size)
	case a.Files == 0:
		return "no files"
	case a.Files == 1 && a.Only == 1:
		return "1 file, " + size + ", not in git"
	case a.Files == 1:
		return "1 file, " + size
	}
	n, about := rounded(int64(a.Files))
	files := grouped(n) + " files, " + size
	if about {
		files = "about " + files
	}
	return files + a.only()
}

// only says how many files are in git nowhere.
func (a Amount) only() string {
	n, about := rounded(int64(a.Only))
	switch {
	case a.Only <= 0:
		return ""
	case a.Only == a.Files:
		return ", none of them in git"
	case about:
		return fmt.Sprintf(", about %s not in git", grouped(n))
	}
	return fmt.Sprintf(", %s not in git", grouped(n))
}

// Exact is the amount as [ParseAmount] reads it.
func (a Amount) Exact() string {
	return fmt.Sprintf("f%d b%d o%d more=%t dir=%t", a.Files, a.Bytes, a.Only, a.More, a.Dir)
}

// ParseAmount reads what Exact wrote; ok is false for anything else.
func ParseAmount(s string) (a Amount, ok bool) {
	words := strings.Fields(s)
	if len(words) != 5 {
		return Amount{}, false
	}
	a.Files, _ = strconv.Atoi(strings.TrimPrefix(words[0], "f"))
	a.Bytes, _ = strconv.ParseInt(strings.TrimPrefix(words[1], "b"), 10, 64)
	a.Only, _ = strconv.Atoi(strings.TrimPrefix(words[2], "o"))
	a.More, a.Dir = words[3] == "more=true", words[4] == "dir=true"
	return a, a.Exact() == s
}

// Like reports whether a person who was told of an amount a little while ago has been told of this
// one: it is no more than a tenth more, or a little, and not another kind of thing.
func (a Amount) Like(told Amount) bool {
	return a.More == told.More && a.Dir == told.Dir && a.Files <= told.Files+told.Files/10+2 &&
		a.Only <= told.Only+told.Only/10+2 && (a.Only >= 0) == (told.Only >= 0) &&
		a.Bytes <= told.Bytes+told.Bytes/10+1<<16
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

// units are those of sizes, each a thousand of the one before.
const units = "B kB MB GB TB PB EB"

// sizeText is a number of bytes with two digits.
func sizeText(n int64) string {
	unit := int64(1)
	for name := range strings.FieldsSeq(units) {
		if whole := n / unit; whole < 1000 {
			if unit > 1 && whole < 10 {
				return fmt.Sprintf("%d.%d %s", whole, n%unit*10/unit, name)
			}
			if unit > 1 {
				whole, _ = rounded(whole)
			}
			return fmt.Sprintf("%d %s", whole, name)
		}
		unit *= 1000
	}
	return ""
}
