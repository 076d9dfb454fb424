package environ

import (
	"path"
	"slices"
	"strings"
)

// number, word and id are the shapes of values that can say nothing of what runs or where it goes:
// a word is no path, no option and no list, an id is hexadecimal and so no name of a program or
// host in use.
func number(value string) bool { return strings.Trim(value, "0123456789") == "" }

func word(value string) bool {
	return strings.Trim(value, plainLetters+"0123456789._+%:-") == "" &&
		!strings.HasPrefix(value, "-") && !strings.HasPrefix(value, ".")
}

func id(value string) bool {
	return strings.Trim(value, "0123456789abcdefABCDEF-") == "" && !strings.HasPrefix(value, "-") &&
		strings.ContainsAny(value, "0123456789")
}

const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// temporaryFolder is the shape of a folder for temporary files, where every command may write.
func temporaryFolder(value string) bool {
	return path.Clean(value) == strings.TrimSuffix(value, "/") &&
		slices.ContainsFunc(SharedTemp, func(dir string) bool {
			return value == dir || strings.HasPrefix(value, dir+"/")
		})
}

// nothing and cat are the shapes of variables by which an agent's program keeps others from asking
// and paging.
func nothing(value string) bool {
	return value == "" || value == "true" || value == ":" || value == "0"
}

func cat(value string) bool { return value == "cat" || value == "" }

// SharedTemp is writable by everyone, and has as many names as anyone left there.
var SharedTemp = []string{"/tmp", "/var/tmp", "/dev/shm"}
