package ship

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/integration/fleet/document"
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

// objectSum reads the SHA-256 in the name of an object.
func objectSum(id, name string) (string, bool) {
	sum, ok := strings.CutPrefix(name, id+objects)
	return sum, ok && isSum(sum)
}

// numberOf reads the number in the name of a manifest.
func numberOf(id, name string) (int64, bool) {
	text, ok := strings.CutPrefix(name, id+manifests)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, ok && err == nil && n >= 0 && manifestName(id, n) == name
}

// metName is the name of the record of a machine below the one that has stored it.
func metName(id, name string) string { return id + metFolder + name }

// metOf reads what is behind the folder in that name: the id of the other machine, and the SHA-256
// of its record.
func metOf(id, name string) (other, hash string, ok bool) {
	text, ok := strings.CutPrefix(name, id+metFolder)
	i := strings.LastIndexByte(text, '-')
	if !ok || i < 0 {
		return "", "", false
	}
	other, hash = text[:i], text[i+1:]
	return other, hash, document.IsMachineID(other) && isSum(hash)
}

// areMet reports whether names are those of records below a machine.
func areMet(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, _, ok := metOf("", metName("", name))
		return !ok
	})
}
