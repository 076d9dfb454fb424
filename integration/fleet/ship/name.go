package ship

import (
	"fmt"
	"strconv"
	"strings"
)

// The names of objects, below the id of their machine.
const (
	manifests = "/manifests/"
	objects   = "/objects/"
	documents = "/fleet/"
	metFolder = "/met/"
)

// maxNumber is the highest number of a manifest: names sort as numbers do.
const maxNumber = 9_999_999_999

func manifestName(id string, number int64) string {
	return fmt.Sprintf("%s%s%010d", id, manifests, number)
}

func documentName(id string, serial int64) string {
	return fmt.Sprintf("%s%s%010d", id, documents, serial)
}

// serialOf reads the serial in the name of a fleet document.
func serialOf(id, name string) (int64, bool) {
	text, ok := strings.CutPrefix(name, id+documents)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, ok && err == nil && n > 0 && documentName(id, n) == name
}

func objectName(id, sum string) string { return id + objects + sum }

// numberOf reads the number in the name of a manifest.
func numberOf(id, name string) (int64, bool) {
	text, ok := strings.CutPrefix(name, id+manifests)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, ok && err == nil && n >= 0 && manifestName(id, n) == name
}

// isObject reports whether a name is one of an object of a machine.
func isObject(id, name string) bool {
	s, ok := strings.CutPrefix(name, id+objects)
	return ok && isSum(s)
}
