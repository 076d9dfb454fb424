package render

import (
	"fmt"
	"strconv"

	"github.com/tada-run/tada-run/approval/canonical"
)

// The listing of a full page has a line for each value, in canonical order:
//
//	NAME = VALUE
//
// NAME is the path of the value: .key for a member, written as a JSON string unless it consists of
// letters, digits, _ and -, and [n] for an element; the top is "plan". VALUE is a number, true,
// false, null, {} or [] when empty, or a text in its inert form between quotes. Bytes that are not
// canonical JSON are one text with the name "bytes". Longer lines continue after a wrap mark.

const (
	listingTitle = "every value by its name"
	listingTop   = "plan"
	listingBytes = "bytes"
	listingWrap  = "    " + wrapGutter + " "
)

func (v *view) listing(payload []byte) {
	emit := func(name string, units []unit) {
		all := append(show(name, exact, nil), own(" = ")...)
		all = append(all, units...)
		for i := range all {
			all[i].hard = false
		}
		v.add(row{Row: Row{Kind: Listed}, units: all, next: listingWrap})
	}
	tree, err := canonical.Parse(payload)
	if err != nil {
		emit(listingBytes, quoted(show(string(payload), exact, nil)))
		return
	}
	walk(listingTop, tree, emit)
}

// walk calls emit for every leaf of a tree, in canonical order.
func walk(name string, x any, emit func(string, []unit)) {
	switch x := x.(type) {
	case map[string]any:
		for _, k := range object(x).keys() {
			walk(name+"."+member(k), x[k], emit)
		}
		if len(x) == 0 {
			emit(name, own("{}"))
		}
	case []any:
		for i, v := range x {
			walk(name+"["+strconv.Itoa(i)+"]", v, emit)
		}
		if len(x) == 0 {
			emit(name, own("[]"))
		}
	case string:
		emit(name, quoted(show(x, exact, nil)))
	case nil:
		emit(name, own("null"))
	default:
		emit(name, own(fmt.Sprint(x)))
	}
}

// member writes a plain key as itself, and any other as a JSON string, which is ASCII.
func member(k string) string {
	if isPlainKey(k) {
		return k
	}
	return string(canonical.AppendString(nil, k))
}

func isPlainKey(k string) bool {
	for i := range len(k) {
		if c := k[i]; c != '_' && c != '-' && (c < '0' || c > '9') &&
			(c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return k != ""
}
